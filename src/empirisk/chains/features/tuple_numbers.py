"""Tuples of value numbers as numbers of attributes: the compiled passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel

ABSENT = -1
EVERY_BIT = np.uint64(2**64 - 1)
# Odd constants with well-mixed bits, from the golden ratio and the square root of 3.
START, FACTOR, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B), np.uint64(32)


@kernel
def number_tuples(values, rows, offsets, starts, slots, tuples, size, kept, may_add, counts, out):
    """Number the tuple of each token: values[rows[m], t + offsets[m]] for all m; how many tuples there are then.

    `tuples` holds those that are known, a row each, and `slots`, whose size is a power of two, finds them by a hash of
    64 bits, of which `kept` says those that are used. A tuple of which a part is absent or beyond the ends of the
    sequence, or one that is new where none may be added, is ABSENT in `out`. `counts` counts the others.
    """
    mask = np.uint64(slots.size - 1)
    width = rows.size
    low, high = 0, 0
    for m in range(width):
        low = min(low, offsets[m])
        high = max(high, offsets[m])
    for j in range(starts.size - 1):
        first, last = starts[j], starts[j + 1]
        for t in range(first, last):
            out[t] = ABSENT
            if t + low < first or t + high >= last:
                continue
            hashed = START
            is_whole = True
            for m in range(width):
                value = values[rows[m], t + offsets[m]]
                if value < 0:
                    is_whole = False
                    break
                hashed = (hashed ^ np.uint64(value)) * FACTOR
                hashed ^= hashed >> SHIFT
            if not is_whole:
                continue
            slot = hashed & kept & mask
            while slots[slot] >= 0:
                known = slots[slot]
                m = 0
                while m < width and tuples[known, m] == values[rows[m], t + offsets[m]]:
                    m += 1
                if m == width:
                    break
                slot = (slot + np.uint64(1)) & mask
            if slots[slot] < 0:
                if not may_add:
                    continue
                for m in range(width):
                    tuples[size, m] = values[rows[m], t + offsets[m]]
                slots[slot] = size
                size += 1
            out[t] = slots[slot]
            counts[slots[slot]] += 1
    return size


@kernel
def fill_slots(tuples, slots):
    """Put known tuples into an empty table."""
    mask = np.uint64(slots.size - 1)
    for known in range(tuples.shape[0]):
        hashed = START
        for m in range(tuples.shape[1]):
            hashed = (hashed ^ np.uint64(tuples[known, m])) * FACTOR
            hashed ^= hashed >> SHIFT
        slot = hashed & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = known


def ranks(counts: NDArray[np.int64], least: int, first: int) -> tuple[NDArray[np.int32], int]:
    """Numbers by falling count, of equal ones in order, from `first` on; ABSENT for counts below `least`.

    And the number after the last one.
    """
    out = np.full(counts.size, ABSENT, np.int32)
    n_kept = _rank(counts, np.zeros(int(counts.max(initial=0)) + 2, np.int64), max(least, 1), first, out)
    return out, first + int(n_kept)


@kernel
def _rank(counts, places, least, first, out):
    """A counting sort: `places` has room for every count, and one more."""
    for k in range(counts.size):
        places[counts[k]] += 1
    at = 0
    for count in range(places.size - 1, least - 1, -1):
        more = places[count]
        places[count] = at
        at += more
    for k in range(counts.size):
        if counts[k] >= least:
            out[k] = first + places[counts[k]]
            places[counts[k]] += 1
    return at


@kernel
def hash_tuples(values, hashes, rows, offsets, starts, seed, mask, out):
    """Numbers from the hash of the tuple of each token, without a dictionary; ABSENT as in `number_tuples`.

    `hashes[m]` has that of each value of term m, `seed` is that of the template.
    """
    low, high = 0, 0
    for m in range(rows.size):
        low = min(low, offsets[m])
        high = max(high, offsets[m])
    for j in range(starts.size - 1):
        first, last = starts[j], starts[j + 1]
        for t in range(first, last):
            out[t] = ABSENT
            if t + low < first or t + high >= last:
                continue
            hashed = seed
            is_whole = True
            for m in range(rows.size):
                value = values[rows[m], t + offsets[m]]
                if value < 0:
                    is_whole = False
                    break
                hashed = (hashed ^ hashes[rows[m], value]) * FACTOR
                hashed ^= hashed >> SHIFT
            if is_whole:
                hashed *= START
                out[t] = (hashed >> SHIFT) & mask


@kernel
def gather_rows(found, bases, numbers, indices, token_starts):
    """The attributes of token t are those numbers[bases[m] + found[t, m]] that are not ABSENT; how many there are.

    `indices` may be the memory of `found`: what is written never overtakes what is read.
    """
    at = 0
    for t in range(found.shape[0]):
        for m in range(found.shape[1]):
            known = found[t, m]
            if known >= 0:
                number = numbers[bases[m] + known]
                if number >= 0:
                    indices[at] = number
                    at += 1
        token_starts[t + 1] = at
    return at

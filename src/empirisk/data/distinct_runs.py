"""Runs of symbols in a buffer, cells of a table or words of texts, numbered by machine code: equal ones alike."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel

KEYS = np.array([2**28 + secrets.randbelow(2**28) for _ in range(2)])  # new in every process
PRIME = 2**31 - 1
NO_MARK = -1  # where what is before a run does not matter


def distinct_runs(
    buffer: NDArray[Any], starts: NDArray[np.int64], ends: NDArray[np.int64], mark: int = NO_MARK
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first place of each distinct run in order of appearance, and of each run its number among these.

    Runs differ, too, where the symbol `mark` is right before one of them alone.
    """
    n = len(starts)
    codes, firsts, slots = np.empty(n, np.int64), np.empty(n, np.int64), np.full(2 << n.bit_length(), -1)
    n_distinct = number_runs(buffer, starts, ends, mark, KEYS, slots, codes, firsts)
    return firsts[:n_distinct], codes


@kernel(exact=True)
def number_runs(buffer, starts, ends, mark, keys, slots, codes, firsts):
    """Number the distinct runs: codes[k] is the number of run k, firsts[number] the first place of it; how many.

    `slots` is a hash table, -1 throughout, of a length that is a power of two above that of `starts`.

    The hash is a polynomial modulo a prime at a secret point, `keys` (J. Carter and M. Wegman, 1979): two runs of L
    symbols collide with a chance of L / 2^31, whoever chose them, so that no file makes the search long. The answer
    does not depend on the keys.
    """
    n_distinct = 0
    mask = len(slots) - 1
    first_key, second_key = keys[0], keys[1]
    for run in range(len(starts)):
        start, end = starts[run], ends[run]
        is_marked = np.int64(buffer[start - 1]) == mark
        mix = np.int64(2 * (end - start) + is_marked) & PRIME
        for k in range(start, end):
            mix = mix * first_key + np.int64(buffer[k])  # below 2^62, as a mix is below 2^32 and a key below 2^29
            mix = (mix & PRIME) + (mix >> 31)
        place = ((mix % PRIME) * second_key) % PRIME & mask
        while True:
            code = slots[place]
            if code < 0:
                slots[place] = code = n_distinct
                firsts[code] = run
                n_distinct += 1
                break
            other, length = starts[firsts[code]], ends[firsts[code]] - starts[firsts[code]]
            if length == end - start and (np.int64(buffer[other - 1]) == mark) == is_marked:
                k = 0
                while k < length and buffer[other + k] == buffer[start + k]:
                    k += 1
                if k == length:
                    break
            place = (place + 1) & mask
        codes[run] = code
    return n_distinct

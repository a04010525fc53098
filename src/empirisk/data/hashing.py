"""Names as numbers of columns: the hash of Vowpal Wabbit 9, so that its columns and ours are the same.

A name of digits alone is that number added to the seed; any other name is hashed by murmur3 in 32 bits (A. Appleby,
2008) from the seed. The seed of a feature is the hash of its namespace, 0 for the empty one, and that of the text in
name:text the hash of the name. The last bits of the hash are the column.
"""

from __future__ import annotations

import functools

import numpy as np

from empirisk.compiled import kernel

MOST_BITS = 30

# Words of 32 bits in 64: no product overflows, so that interpreted code agrees without a warning.
LOW = np.uint64(2**32 - 1)
FIRST, SECOND = np.uint64(0xCC9E2D51), np.uint64(0x1B873593)
FIVE, ADDED = np.uint64(5), np.uint64(0xE6546B64)
THIRD, FOURTH = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)
S8, S13, S15, S16, S17, S19, S24 = (np.uint64(shift) for shift in (8, 13, 15, 16, 17, 19, 24))


@kernel(exact=True, inlined=True)
def _mixed(word):
    """Four bytes before they meet the hash."""
    word = (word * FIRST) & LOW
    return (((word << S15) | (word >> S17)) & LOW) * SECOND & LOW


@kernel(exact=True)
def murmur(buffer, start, end, seed):
    """Murmur3 of the bytes from start to end, in 32 bits."""
    found, p = np.uint64(seed) & LOW, start
    while p + 4 <= end:
        word = np.uint64(buffer[p]) | np.uint64(buffer[p + 1]) << S8
        word = word | np.uint64(buffer[p + 2]) << S16 | np.uint64(buffer[p + 3]) << S24
        found = found ^ _mixed(word)
        found = ((found << S13) | (found >> S19)) & LOW
        found = (found * FIVE + ADDED) & LOW
        p += 4
    if p < end:
        word = np.uint64(buffer[p])
        if p + 1 < end:
            word = word | np.uint64(buffer[p + 1]) << S8
        if p + 2 < end:
            word = word | np.uint64(buffer[p + 2]) << S16
        found = found ^ _mixed(word)
    found = found ^ np.uint64(end - start)
    found = ((found ^ (found >> S16)) * THIRD) & LOW
    found = ((found ^ (found >> S13)) * FOURTH) & LOW
    return np.int64(found ^ (found >> S16))


@kernel(exact=True)
def hash_name(buffer, start, end, seed):
    """The hash of a name, numerals being themselves: a number of 32 bits."""
    number, p = np.int64(0), start
    while p < end and 48 <= buffer[p] <= 57:
        number = (10 * number + np.int64(buffer[p]) - 48) & 0xFFFFFFFF
        p += 1
    if p == end:  # the empty name is the seed
        return (number + seed) & 0xFFFFFFFF
    return murmur(buffer, start, end, seed)


@functools.lru_cache(maxsize=1 << 16)
def hashed(name: str, seed: int = 0) -> int:
    """The same of a text."""
    encoded = name.encode("utf-8", "backslashreplace")  # half of a pair of UTF-16, which JSON can hold
    buffer = np.frombuffer(encoded + b"\n", np.uint8)  # read-only, as blocks are
    return int(hash_name(buffer, 0, len(encoded), seed))

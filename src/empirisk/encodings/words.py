"""The words of texts, found and numbered by machine code: runs of two or more letters, digits and underscores."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel

SHORTEST = 2  # characters of a word
END = ord("\n")  # between texts; no part of a word


class Words(NamedTuple):
    """The words of n texts in their order."""

    distinct: list[str]  # in order of appearance
    codes: NDArray[np.int64]  # of each word, its place among the distinct ones
    texts: NDArray[np.int64]  # of each word, the text that it is in; rises
    n_texts: int

    def follows(self) -> NDArray[np.int64]:
        """The places of words that are followed by another one of the same text."""
        return np.flatnonzero(self.texts[:-1] == self.texts[1:])


def words_of(texts: Sequence[str]) -> Words:
    """The words of the texts, in lower case."""
    lowered = [text.lower() for text in texts]
    joined = "\n".join([*lowered, ""])
    characters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    stops = np.cumsum(np.fromiter(map(len, lowered), np.int64, len(lowered)) + 1)
    most = len(characters) // (SHORTEST + 1) + 1
    starts, ends, owners = (np.empty(most, np.int64) for _ in range(3))
    n = find_words(characters, _are_word(characters), stops, starts, ends, owners)
    starts, ends, owners = starts[:n], ends[:n], owners[:n]
    codes, firsts, slots = np.empty(n, np.int64), np.empty(n, np.int64), np.full(2 << n.bit_length(), -1)
    key = (secrets.randbits(23) << 1) | 1  # nobody can write words that all fall into one slot
    n_distinct = number_words(characters, starts, ends, key, slots, codes, firsts)
    distinct = [joined[starts[k] : ends[k]] for k in firsts[:n_distinct].tolist()]
    return Words(distinct, codes, owners, len(lowered))


def _are_word(characters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """By character, of those that occur: whether it is part of a word, as in Python's regular expressions."""
    largest = int(characters.max(initial=127))
    are_word = np.zeros(largest + 1, np.bool_)
    occurring = range(128) if largest < 128 else np.unique(characters).tolist()
    for character in occurring:
        are_word[character] = chr(character).isalnum() or chr(character) == "_"
    return are_word


@kernel(exact=True)
def find_words(characters, are_word, stops, starts, ends, owners):
    """Where each word starts and ends, and the text it is in; the number of words. Text i ends before stops[i] - 1."""
    n, p = 0, 0
    for i in range(len(stops)):
        stop = stops[i] - 1
        while p < stop:
            while p < stop and not are_word[characters[p]]:
                p += 1
            start = p
            while p < stop and are_word[characters[p]]:
                p += 1
            if p - start >= SHORTEST:
                starts[n], ends[n], owners[n] = start, p, i
                n += 1
        p = stop + 1
    return n


@kernel(exact=True)
def number_words(characters, starts, ends, key, slots, codes, firsts):
    """Number the distinct words in order of appearance: codes[k] is the number, firsts[number] the first place of it.

    Returns how many there are. `slots` is a hash table, -1 throughout, of a length that is a power of two above that of
    `starts`; `key` is odd and below 2^24.
    """
    n_distinct = 0
    mask = len(slots) - 1
    for k in range(len(starts)):
        start, size = starts[k], ends[k] - starts[k]
        mix = np.int64(size)
        for p in range(start, start + size):
            mix = ((mix ^ np.int64(characters[p])) * key) & 0x3FFFFFFFFF  # of 38 bits: the product stays below 2^62
            mix ^= mix >> 17
        place = (mix ^ (mix >> 19)) & mask
        while True:
            code = slots[place]
            if code < 0:
                slots[place] = code = n_distinct
                firsts[code] = k
                n_distinct += 1
                break
            other = starts[firsts[code]]
            if ends[firsts[code]] - other == size:
                p = 0
                while p < size and characters[other + p] == characters[start + p]:
                    p += 1
                if p == size:
                    break
            place = (place + 1) & mask
        codes[k] = code
    return n_distinct

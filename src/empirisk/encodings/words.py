"""The words of texts, found and numbered by machine code: runs of two or more letters, digits and underscores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.data.distinct_runs import distinct_runs

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
    firsts, codes = distinct_runs(characters, starts, ends)
    distinct = [joined[starts[k] : ends[k]] for k in firsts.tolist()]
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

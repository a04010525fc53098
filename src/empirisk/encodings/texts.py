"""A text as the weights of its words and pairs of words: tf-idf (Salton and Buckley, 1988)."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.encodings.cells import Cells
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.missing import flag_name
from empirisk.encodings.words import Words, words_of
from empirisk.stored_fields import check, check_fields, check_texts

MOST_TERMS = 1 << 18  # of a dictionary: the terms in most texts


class Text(NamedTuple):
    """The features `message: free`, `message: free entry`, one for each term of the dictionary.

    With tf the times that a term t occurs in a text, df_t the texts of the fit that have it, of n:

        x_t = tf * (1 + log((1 + n) / (1 + df_t))),  then x / ||x||_2

    A text without any of these terms, or without a value, is zero.
    """

    name: str
    terms: tuple[str, ...]  # sorted: words, and two words with a blank between them
    counts: tuple[int, ...]  # of the texts of the fit that have them
    n_texts: int  # of the fit
    has_flag: bool = False  # whether one more feature says that there was no value

    def width(self) -> int:
        """A feature for each term, and the flag."""
        return len(self.terms) + self.has_flag

    def filled(self) -> int:
        """Few: one of them makes most dictionaries sparse."""
        return 1

    def feature_names(self) -> tuple[str, ...]:
        """Name and term."""
        flag = (flag_name(self.name),) if self.has_flag else ()
        return (*(f"{self.name}: {term}" for term in self.terms), *flag)

    def encode(self, cells: Cells, unknown: str) -> Any:
        """A CSR matrix; words that are not in the dictionary count for nothing."""
        words = words_of(_texts(cells))
        places, terms = _occurrences(words, self.terms)
        matrix = _counted(places, terms, (words.n_texts, len(self.terms)))
        rarity = 1.0 + np.log((1.0 + self.n_texts) / (1.0 + np.array(self.counts, dtype=np.float64)))
        matrix.data *= rarity[matrix.indices]
        rows = np.repeat(np.arange(words.n_texts), np.diff(matrix.indptr))
        norms = np.sqrt(np.bincount(rows, weights=matrix.data * matrix.data, minlength=words.n_texts))
        matrix.data /= norms[rows]
        if not self.has_flag:
            return matrix
        flags = np.zeros(words.n_texts) if cells.missing is None else cells.missing
        return scipy.sparse.hstack([matrix, scipy.sparse.csr_array(flags.astype(np.float64).reshape(-1, 1))]).tocsr()

    def takes_text(self) -> bool:
        """Yes, also where all texts are numbers."""
        return True

    def needs_values(self) -> bool:
        """A text without a value has no words."""
        return False

    def to_json(self) -> dict[str, Any]:
        """The dictionary."""
        counts = {"terms": list(self.terms), "counts": list(self.counts), "n_texts": self.n_texts}
        return {**counts, "has_flag": self.has_flag}


def fit_text(cells: Cells, choices: ColumnChoices) -> Text:
    """The dictionary of words and pairs in at least `min_count` texts; of more than 2^18 those in most texts."""
    words = words_of(_texts(cells))
    n_words = len(words.distinct)
    codes, owners = words.codes, words.texts
    keys = np.empty(0, np.int64)
    if choices.pairs:
        follows = words.follows()
        keys, pairs = np.unique(codes[follows] * n_words + codes[follows + 1], return_inverse=True)
        codes, owners = np.concatenate([codes, n_words + pairs]), np.concatenate([owners, owners[follows]])
    counts = np.bincount(
        _counted(owners, codes, (words.n_texts, n_words + len(keys))).indices, minlength=n_words + len(keys)
    )
    kept = np.flatnonzero(counts >= choices.min_count)
    terms = {_term(k, words.distinct, keys): int(counts[k]) for k in kept.tolist()}
    if not terms:
        said = f"expected words of two letters or more that are in {choices.min_count} texts, found none"
        raise DataError(f"{said}; min_count=... asks for fewer", cells.path, None, cells.name)
    chosen = tuple(sorted(terms))
    if len(chosen) > MOST_TERMS:
        chosen = tuple(sorted(sorted(chosen, key=terms.__getitem__, reverse=True)[:MOST_TERMS]))
    has_flag = choices.missing == "indicator" and cells.missing is not None
    return Text(cells.name, chosen, tuple(terms[term] for term in chosen), words.n_texts, has_flag)


def text_from_json(name: str, fields: dict[str, Any]) -> Text:
    """What `to_json` gave, checked."""
    check_fields(fields, Text(name, (), (), 0).to_json(), "a column of text")
    terms, counts, n_texts = check_texts(fields["terms"], "terms"), fields["counts"], fields["n_texts"]
    check(0 < len(terms) <= MOST_TERMS, f"there must be from one to {MOST_TERMS} terms")
    check(all(low < high for low, high in itertools.pairwise(terms)), "terms must be in order")
    check(type(n_texts) is int and 0 < n_texts < 2**53, "n_texts must be a positive number")
    is_count = type(counts) is list and len(counts) == len(terms)
    check(is_count and all(type(c) is int and 1 <= c <= n_texts for c in counts), "counts must be texts with each term")
    check(type(fields["has_flag"]) is bool, "has_flag must be true or false")
    return Text(name, terms, tuple(counts), n_texts, fields["has_flag"])


def _texts(cells: Cells) -> list[str]:
    """The cells as they are written, those without a value as empty texts."""
    values = cells.values.tolist() if cells.are_text else list(map(repr, cells.values.tolist()))
    if cells.missing is None:
        return values
    return ["" if is_missing else text for text, is_missing in zip(values, cells.missing.tolist(), strict=True)]


def _term(k: int, distinct: list[str], keys: NDArray[np.int64]) -> str:
    """Word k, or a pair after all words."""
    if k < len(distinct):
        return distinct[k]
    first, second = divmod(int(keys[k - len(distinct)]), len(distinct))
    return f"{distinct[first]} {distinct[second]}"


def _occurrences(words: Words, terms: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The text and the term of each word and pair that is in the dictionary."""
    n_words = len(words.distinct)
    codes = {word: code for code, word in enumerate(words.distinct)}
    columns = np.full(n_words, -1)
    keys, of_pairs = [], []
    for column, term in enumerate(terms):
        first, _, second = term.partition(" ")
        if first not in codes:
            continue
        if not second:
            columns[codes[first]] = column
        elif second in codes:
            keys.append(codes[first] * n_words + codes[second])
            of_pairs.append(column)
    own = columns[words.codes] if n_words else words.codes
    found = [(words.texts[own >= 0], own[own >= 0])]
    if keys:
        order = np.argsort(keys)
        known, of_known, follows = np.array(keys)[order], np.array(of_pairs)[order], words.follows()
        pairs = words.codes[follows] * n_words + words.codes[follows + 1]
        places = np.minimum(np.searchsorted(known, pairs), len(known) - 1)
        hits = known[places] == pairs
        found.append((words.texts[follows[hits]], of_known[places[hits]]))
    texts, places_of_terms = zip(*found, strict=True)
    return np.concatenate(texts), np.concatenate(places_of_terms)


def _counted(texts: NDArray[np.int64], terms: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """How often each term occurs in each text: a CSR matrix whose columns rise in each row."""
    matrix = scipy.sparse.coo_array((np.ones(len(terms)), (texts, terms)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix

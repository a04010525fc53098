"""Attributes that are given by name: a dictionary of the names that were met."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.chains.features.tuple_numbers import ABSENT, ranks
from empirisk.compiled import kernel
from empirisk.data.sequences import Strings, TokenAttributes
from empirisk.designs import CSR, Indicators, as_design, indicators


class NameDictionary:
    """The name of each attribute."""

    def __init__(self, names: Strings | None = None) -> None:
        self._names = Strings() if names is None else names

    @property
    def n_attributes(self) -> int:
        """How many names there are."""
        return self._names.size

    def encode(self, tokens: TokenAttributes) -> Indicators | CSR:
        """The attributes of each token, unknown ones left out."""
        return with_numbers(tokens, self._names.find_cells(*tokens.names.cells()), self.n_attributes)

    def grown(self, tokens: TokenAttributes, min_count: int = 1) -> tuple[Indicators | CSR, NameDictionary]:
        """The same of tokens whose new attributes join first, if at least `min_count` tokens have them.

        Numbers go by falling frequency among those that are new; the old ones stay.
        """
        content, begins, ends = tokens.names.cells()
        numbers = self._names.find_cells(content, begins, ends)
        counts = np.bincount(tokens.numbers, minlength=begins.size)
        counts[numbers != ABSENT] = 0
        new, n_attributes = ranks(counts, min_count, self.n_attributes)
        order = np.flatnonzero(new != ABSENT)
        order = order[np.argsort(new[order])]
        names = self._names.copy()
        names.add_cells(content, begins[order], ends[order])
        return with_numbers(tokens, np.where(new == ABSENT, numbers, new), n_attributes), NameDictionary(names)

    def name_of(self, attribute: int) -> str:
        """Its name."""
        return self._names[attribute]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The bytes of all names, and where each starts."""
        content, starts = self._names.to_arrays()
        return {"names": content, "name_starts": starts}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> NameDictionary:
        """What `to_arrays` told; ValueError for what cannot be."""
        return cls(Strings.of_arrays(arrays["names"], arrays["name_starts"]))


def with_numbers(tokens: TokenAttributes, numbers: NDArray[Any], n_attributes: int) -> Indicators | CSR:
    """Rows of tokens whose name k is attribute numbers[k], or none where that is ABSENT.

    What a token has twice has the sum of the weights.
    """
    n = tokens.numbers.size
    indices, starts = np.empty(n, np.uint32), np.zeros(tokens.token_starts.size, np.int64)
    places = np.full(n_attributes, -1)
    weights = np.empty(0) if tokens.weights is None else tokens.weights
    values = np.empty(weights.size)
    size, n_twice = _gather(tokens.numbers, weights, tokens.token_starts, numbers, places, indices, values, starts)
    if n_twice and not weights.size:
        weights, values = np.ones(n), np.empty(n)
        places[:] = -1
        _gather(tokens.numbers, weights, tokens.token_starts, numbers, places, indices, values, starts)
    if not weights.size or bool(np.all(values[:size] == 1.0)):
        return indicators(indices[:size], starts, n_attributes)
    signed = indices[:size].view(np.int32)
    design = as_design(scipy.sparse.csr_array((values[:size], signed, starts), shape=(starts.size - 1, n_attributes)))
    assert isinstance(design, CSR)
    return design


@kernel
def _gather(given, weights, token_starts, numbers, places, indices, values, starts):
    """Rows of attributes and weights, each attribute once in a row; how many entries, and how many came twice.

    `places[a]` is where attribute a was written last.
    """
    at = n_twice = 0
    for t in range(token_starts.size - 1):
        first = at
        for k in range(token_starts[t], token_starts[t + 1]):
            number = numbers[given[k]]
            if number < 0:
                continue
            if places[number] >= first:
                n_twice += 1
                if weights.size:
                    values[places[number]] += weights[k]
                continue
            places[number] = at
            indices[at] = number
            if weights.size:
                values[at] = weights[k]
            at += 1
        starts[t + 1] = at
    return at, n_twice

"""Sequences of tokens: what each token is described by, and where each sequence starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Indicators, rows_between


class Sequences(NamedTuple):
    """Tokens of all sequences one after the other; sequence j is the tokens starts[j], ..., starts[j + 1] - 1."""

    attributes: Indicators | CSR  # a row a token, a column an attribute
    dense: NDArray[np.float64]  # a row a token; no columns where there are no dense features
    starts: NDArray[np.int64]

    @property
    def n_sequences(self) -> int:
        """How many sequences."""
        return int(self.starts.size - 1)

    @property
    def n_tokens(self) -> int:
        """How many tokens, of all sequences together."""
        return int(self.starts[-1])

    @property
    def longest(self) -> int:
        """The number of tokens of the longest sequence; 0 where there is none."""
        return int(np.diff(self.starts).max(initial=0))

    def between(self, first: int, last: int) -> Sequences:
        """The sequences first, ..., last - 1: a view, whose tokens count from 0."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        starts = self.starts[first : last + 1] - begin
        starts.flags.writeable = False
        return Sequences(rows_between(self.attributes, begin, end), self.dense[begin:end], starts)

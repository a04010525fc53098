"""Tokens of sequences as columns of values, and as lists of attributes: what readers give, and features are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.data.sequences.strings import Strings


class Origin(NamedTuple):
    """Where tokens come from, for errors: a file, the line of each token, and what the file calls each sequence."""

    path: str
    lines: NDArray[np.int32]
    names: list[str] | None = None  # by sequence; '' where it has none

    def error(self, message: str, token: int, sequence: int | None = None) -> DataError:
        """The error of this message at a token; of a sequence that has a name, with it."""
        name = self.names[sequence] if self.names is not None and sequence is not None else ""
        return DataError(message + (f" (sentence {name})" if name else ""), self.path, int(self.lines[token]))


class Column(NamedTuple):
    """One value a token, as numbers into a list of distinct ones."""

    numbers: NDArray[np.int32]
    values: Strings

    def texts(self) -> list[str]:
        """The value of each token."""
        values = self.values.texts()
        return [values[k] for k in self.numbers.tolist()]


class TokenColumns(NamedTuple):
    """Columns of all tokens, one after the other; sequence j is the tokens starts[j], ..., starts[j + 1] - 1."""

    columns: tuple[Column, ...]
    starts: NDArray[np.int64]
    origin: Origin | None = None  # None for tokens that were given in Python
    names: tuple[str, ...] | None = None  # of the columns, where the format has some


class TokenAttributes(NamedTuple):
    """Attributes of all tokens, as numbers into a list of distinct names; token t has those from token_starts[t] on."""

    names: Strings
    numbers: NDArray[np.int32]
    weights: NDArray[np.float64] | None  # None where all are 1
    token_starts: NDArray[np.int64]
    starts: NDArray[np.int64]
    labels: Column | None = None
    origin: Origin | None = None

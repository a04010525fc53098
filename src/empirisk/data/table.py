"""Named columns, as a table file holds them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Table(NamedTuple):
    """Columns of equal length: float64 for numbers, else Python strings (dtype object), verbatim.

    `missing[j]` says which cells of column j have no value, None where all have one. Such a cell is NaN among numbers
    and stands as it was written among text; a column without any value is text.
    """

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    path: str
    missing: tuple[NDArray[np.bool_] | None, ...] = ()  # empty where no column lacks a value
    inexact: tuple[str, ...] = ()  # columns of numbers that are text because float64 would round one of them
    remarks: tuple[str, ...] = ()  # sentences on what the reader decided by itself
    texts: Mapping[str, NDArray[Any]] = MappingProxyType({})  # the columns that were to be kept, as they were written
    rows: NDArray[np.int64] | None = None  # of the file, where these are not all of them

    def column(self, name: str) -> NDArray[Any]:
        """The cells of this column."""
        return self.columns[self.names.index(name)]

    def mask(self, name: str) -> NDArray[np.bool_] | None:
        """Which cells of this column have no value; None where all have one."""
        return self.missing[self.names.index(name)] if self.missing else None

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """The column as numbers, NaN where there is no value; None for text. A column of no values at all is both."""
        cells, mask = self.column(name), self.mask(name)
        if cells.dtype != object:
            return cells
        return np.full(len(cells), np.nan) if mask is not None and bool(mask.all()) else None

    def of_rows(self, rows: NDArray[np.bool_]) -> Table:
        """The rows that are marked."""
        missing = tuple(None if mask is None or not mask[rows].any() else mask[rows] for mask in self.missing)
        of_file = np.flatnonzero(rows) if self.rows is None else self.rows[rows]
        columns = tuple(column[rows] for column in self.columns)
        return self._replace(columns=columns, missing=missing, rows=of_file)

    def row_of_file(self, row: int) -> int:
        """Which row of the file it is."""
        return row if self.rows is None else int(self.rows[row])

    def without_value(self) -> tuple[str, ...]:
        """The columns of numbers that lack some, and those without any value."""
        found = (name for name in self.names if self.mask(name) is not None and self.numbers(name) is not None)
        return tuple(found)

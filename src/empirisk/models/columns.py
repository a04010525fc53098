"""How the columns of a table became numbers, so that another table becomes the same ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.data.errors import DataError, shortened
from empirisk.data.lines import line_of
from empirisk.data.table import Table

FULLNESS = 0.25  # a matrix with a smaller share of entries is stored sparse
SHOWN = 5  # names that an error lists


class Column(NamedTuple):
    """One column of a table: a number as it is, or a category as one column of zeros and ones for each."""

    name: str
    categories: tuple[str, ...] | None = None  # sorted; None for numbers

    def width(self) -> int:
        """The number of features it becomes."""
        return 1 if self.categories is None else len(self.categories)

    def feature_names(self) -> tuple[str, ...]:
        """`age` for numbers, `color=blue`, `color=red` for categories."""
        return (self.name,) if self.categories is None else tuple(f"{self.name}={c}" for c in self.categories)

    def numbers(self, cells: NDArray[Any], path: str) -> NDArray[np.float64]:
        """The cells of a numeric column."""
        if cells.dtype != object:
            return cells
        row = first_word(cells)
        message = f"expected a number as in the data of the fit, found {shortened(cells[row])!r}"
        raise _bad_cell(message, path, row, self.name)

    def codes(self, cells: NDArray[Any], path: str, unknown: str) -> NDArray[np.int64]:
        """The place of each cell among the categories; -1 for one that the fit did not see."""
        assert self.categories is not None
        places: dict[Any, int] = {category: k for k, category in enumerate(self.categories)}
        if cells.dtype != object:
            places = self._numeric_places(path)
        codes = np.fromiter((places.get(cell, -1) for cell in cells.tolist()), np.int64, len(cells))
        if unknown == "error" and bool(np.any(codes < 0)):
            row = int(np.argmax(codes < 0))
            found = repr(shortened(cells[row] if cells.dtype == object else f"{cells[row]:g}"))
            message = f"expected a category of the fit ({_listed(self.categories)}), found {found}"
            raise _bad_cell(message, path, row, self.name)
        return codes

    def _numeric_places(self, path: str) -> dict[Any, int]:
        """Categories by their value, for a table in which this column happens to hold nothing but numbers."""
        assert self.categories is not None
        places: dict[Any, int] = {}
        for k, category in enumerate(self.categories):
            try:
                value = float(category)
            except ValueError:
                continue
            if value in places:
                pair = _listed((self.categories[places[value]], category))
                raise DataError(
                    f"expected text, found numbers only, which do not tell {pair} apart", path, 1, self.name
                )
            places[value] = k
        return places


class Columns(NamedTuple):
    """The columns that a model uses, in the order of its features."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in the table."""
        return tuple(column.name for column in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of the matrix."""
        return tuple(name for column in self.columns for name in column.feature_names())

    def is_sparse(self) -> bool:
        """Whether less than a quarter of the matrix is filled: every column fills one entry a row."""
        return len(self.columns) < FULLNESS * sum(column.width() for column in self.columns)

    def encode(
        self, table: Table, unknown: str = "error", *, ignore: Collection[str] = (), ignore_new: bool = False
    ) -> Any:
        """The matrix of a table, its columns matched by name: an array, or a CSR matrix where most would be zeros.

        A category that the fit did not see is an error, or all zeros with `unknown="zero"`. A column that it did not
        see is an error, unless `ignore` names it or `ignore_new` leaves out every one.
        """
        if unknown not in ("error", "zero"):
            raise ValueError(f"unknown must be 'error' or 'zero', got {unknown!r}")
        self._check_names(table, ignore, ignore_new)
        cells = dict(zip(table.names, table.columns, strict=True))
        places, values = [], []
        offset, n = 0, len(table.columns[0])
        for column in self.columns:
            if column.categories is None:
                places.append(np.full(n, offset))
                values.append(column.numbers(cells[column.name], table.path))
            else:
                codes = column.codes(cells[column.name], table.path, unknown)
                places.append(offset + np.maximum(codes, 0))
                values.append(np.where(codes >= 0, 1.0, 0.0))
            offset += column.width()
        return _sparse(places, values, offset) if self.is_sparse() else _dense(places, values, offset)

    def _check_names(self, table: Table, ignore: Collection[str], ignore_new: bool) -> None:
        lacking = [name for name in self.names if name not in table.names]
        if lacking:
            which = "column" if len(lacking) == 1 else "columns"
            raise DataError(
                f"expected the {which} {_listed(lacking)} of the fit, found none of this name", table.path, 1
            )
        known = {*self.names, *ignore}
        extra = [name for name in table.names if name not in known]
        if extra and not ignore_new:
            which = "column" if len(extra) == 1 else "columns"
            raise DataError(
                f"expected only the columns of the fit, found also the {which} {_listed(extra)}", table.path, 1
            )


def fit_columns(table: Table, exclude: Collection[str] = ()) -> Columns:
    """Numbers as they are, text as categories; `exclude` names the columns that are no features."""
    columns = [
        Column(name, tuple(sorted(set(cells.tolist()))) if cells.dtype == object else None)
        for name, cells in zip(table.names, table.columns, strict=True)
        if name not in exclude
    ]
    if not columns:
        raise DataError(f"expected columns to learn from besides {_listed(list(exclude))}, found none", table.path, 1)
    return Columns(tuple(columns))


def first_word(cells: NDArray[Any]) -> int:
    """The first row of a column of text that is not a finite number."""
    for row, cell in enumerate(cells.tolist()):
        try:
            if "_" in cell or not math.isfinite(float(cell)):
                return row
        except ValueError:
            return row
    return 0


def _bad_cell(message: str, path: str, row: int, name: str) -> DataError:
    line = line_of(path, row)
    return DataError(message if line is not None else f"{message} in row {row + 1} of the data", path, line, name)


def _dense(places: list[NDArray[np.int64]], values: list[NDArray[np.float64]], width: int) -> NDArray[np.float64]:
    rows = np.arange(len(values[0]))
    matrix = np.zeros((len(rows), width))
    for place, value in zip(places, values, strict=True):
        matrix[rows, place] = value
    return matrix


def _sparse(places: list[NDArray[np.int64]], values: list[NDArray[np.float64]], width: int) -> Any:
    n, per_row = len(values[0]), len(values)
    starts = np.arange(0, n * per_row + 1, per_row)
    entries = np.column_stack(values).ravel(), np.column_stack(places).ravel(), starts
    matrix = scipy.sparse.csr_array(entries, shape=(n, width))
    matrix.eliminate_zeros()
    return matrix


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(repr(shortened(name)) for name in names[:SHOWN])
    return listed if len(names) <= SHOWN else f"{listed}, ... ({len(names)} in all)"

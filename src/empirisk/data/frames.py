"""Frames of pandas, polars and pyarrow as matrices: numbers only, copied once, without importing any of the three."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import shortened

BUFFER = 1 << 20  # numbers that are converted at once, column by column, before they become rows
FEWEST_ROWS = (
    4000  # to convert at once: a slice costs time of its own; no power of two, whose columns share cache lines
)
SINGLE = ("float32", "float")  # what pandas and polars, in lower case, and Arrow call the type of 32 bits
CATEGORIES = ("category", "categorical", "enum", "dictionary")


class _Column(NamedTuple):
    name: Any
    kind: str  # the type as its library prints it
    cells: Any  # can be sliced, and each slice becomes a NumPy array


def from_frame(X: Any) -> Any:
    """A frame as an array in C order, float32 if all its columns are, else float64; missing values are NaN.

    Anything else is given back as it is, a pandas frame of nothing but sparse columns too: scikit-learn keeps it
    sparse. A column that holds no numbers is a ValueError.
    """
    columns = _columns(X)
    if columns is None:
        return X
    for column in columns:
        if column.kind.lower().startswith(CATEGORIES):
            raise _no_numbers(column, "categories")
    if columns and all(column.kind.startswith("Sparse[") for column in columns):
        return X
    are_single = bool(columns) and all(column.kind.lower() in SINGLE for column in columns)
    matrix = np.empty((len(X), len(columns)), np.float32 if are_single else np.float64)
    rows = min(len(X), max(FEWEST_ROWS, BUFFER // max(1, len(columns))))
    buffer = np.empty((len(columns), rows), matrix.dtype)
    for start in range(0, len(X), rows or 1):
        stop = min(start + rows, len(X))
        for column, numbers in zip(columns, buffer, strict=True):
            numbers[: stop - start] = _numbers(column, start, stop)
        matrix[start:stop] = buffer[:, : stop - start].T
    return matrix


def _columns(X: Any) -> Sequence[_Column] | None:
    """The columns of a frame, None for what is none. A library that was not imported has made no frame."""
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return [_Column(name, str(series.dtype), series.array) for name, series in X.items()]
    if polars is not None and isinstance(X, polars.DataFrame):
        # As arrays, which share the memory of what holds numbers and no gaps: to slice a series is slow.
        return [_Column(column.name, str(column.dtype), np.asarray(column)) for column in X.iter_columns()]
    if polars is not None and isinstance(X, polars.LazyFrame):
        raise TypeError("X is a LazyFrame of polars, which holds no rows yet: give X.collect()")
    if pyarrow is not None and isinstance(X, pyarrow.Table):
        return [_Column(name, str(cells.type), cells) for name, cells in zip(X.column_names, X.columns, strict=True)]
    return None


def _numbers(column: _Column, start: int, stop: int) -> NDArray[Any]:
    array = np.asarray(column.cells[start:stop])
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind not in "OUT":  # objects and text
        raise _no_numbers(column, "no numbers")
    return np.array([_number(column, cell) for cell in array.tolist()], np.float64)


def _number(column: _Column, cell: Any) -> float:
    """A number among Python objects, such as a decimal; texts are none, even where they look like one."""
    if cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None):
        return np.nan
    if isinstance(cell, (str, bytes)):
        raise _no_numbers(column, f"text such as {shortened(str(cell))!r}")
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise _no_numbers(column, f"values such as {shortened(str(cell))}") from None


def _no_numbers(column: _Column, found: str) -> ValueError:
    said = f"column {column.name!r} of X holds {found} (dtype {shortened(column.kind)})"
    advice = "encode it, for example with OneHotEncoder of scikit-learn, or fit a CSV file on the command line"
    return ValueError(f"{said}, and a linear model needs numbers: {advice}")

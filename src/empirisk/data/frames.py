"""Frames of pandas, polars and pyarrow as matrices or tables, copied once, without importing any of the three."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import MOST_EXACT, first_inexact, inexact, is_exact
from empirisk.data.errors import shortened
from empirisk.data.missing import lacking_values
from empirisk.data.table import Table

BUFFER = 1 << 20  # numbers that are converted at once, column by column, before they become rows
FEWEST_ROWS = (
    4000  # to convert at once: a slice costs time of its own; no power of two, whose columns share cache lines
)
SINGLE = ("float32", "float")  # what pandas and polars, in lower case, and Arrow call the type of 32 bits
LONG_INTEGER = re.compile("u?int64$", re.IGNORECASE)
ENCODED = "encode it, for example with OneHotEncoder of scikit-learn, or fit a CSV file on the command line"
TIMES = "take the year, the month, the weekday, the hour or the days since the first one"
GAPS = "SimpleImputer and KNNImputer of scikit-learn, in a pipeline before this estimator, fill them"
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
        for column in columns:
            _numbers(column._replace(cells=column.cells.sp_values), 0, len(X))
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


def refuse_gaps(X: Any, matrix: NDArray[Any]) -> None:
    """ValueError that lists every column of a frame in whose matrix there are NaN, with counts."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(matrix.sum()):  # one pass over what is whole
            return
    counts = np.isnan(matrix).sum(axis=0).tolist()
    lacking = {str(column.name): count for column, count in zip(_columns(X) or (), counts, strict=True) if count}
    if lacking:
        raise ValueError(f"X: {lacking_values(lacking, len(matrix))}; {GAPS}")


def is_frame(X: Any) -> bool:
    """Whether it is a frame of one of the three libraries."""
    return _columns(X) is not None


def table_of(X: Any, texts: Collection[str] = ()) -> Table:
    """A frame as the table that its rows would be in a CSV file; `texts` names columns that hold text.

    Numbers are float64, NaN where they are missing. Text and categories are text, empty where they are missing; so is
    a column of truth values among `texts`, and one of numbers elsewhere.
    """
    columns = _columns(X)
    assert columns is not None
    names = tuple(str(column.name) for column in columns)
    pairs = [_cells(column, name in texts) for column, name in zip(columns, names, strict=True)]
    masks = tuple(mask if mask.any() else None for _, mask in pairs)
    return Table(names, tuple(cells for cells, _ in pairs), "the data frame", masks)


def _cells(column: _Column, is_text: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """What a table holds of a column, float64 or texts as Python objects, and which cells have no value."""
    array = np.asarray(column.cells)
    holds_text = array.dtype.kind == "O" and any(isinstance(cell, (str, bytes)) for cell in array.tolist())
    if array.dtype.kind in "iuf" or (array.dtype.kind in "bO" and not (is_text or holds_text)):
        numbers = _numbers(column, 0, len(array)).astype(np.float64)
        return numbers, np.isnan(numbers)
    missing = np.array([_is_missing(cell) for cell in array], dtype=bool)
    array = array.astype(str) if array.dtype.kind in "mM" else array  # times, which a list would hold as whole numbers
    texts = np.empty(len(array), object)
    texts[:] = ["" if is_gap else str(cell) for cell, is_gap in zip(array.tolist(), missing.tolist(), strict=True)]
    return texts, missing


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None) or cell != cell


def _columns(X: Any) -> Sequence[_Column] | None:
    """The columns of a frame, None for what is none. A library that was not imported has made no frame."""
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return [_Column(name, str(series.dtype), series.array) for name, series in X.items()]
    if polars is not None and isinstance(X, polars.DataFrame):
        # As arrays, which share the memory of what holds numbers and no gaps: to slice a series is slow.
        return [_Column(column.name, str(column.dtype), _of_polars(column)) for column in X.iter_columns()]
    if polars is not None and isinstance(X, polars.LazyFrame):
        raise TypeError("X is a LazyFrame of polars, which holds no rows yet: give X.collect()")
    if pyarrow is not None and isinstance(X, pyarrow.Table):
        return [_Column(name, str(cells.type), cells) for name, cells in zip(X.column_names, X.columns, strict=True)]
    return None


def _numbers(column: _Column, start: int, stop: int) -> NDArray[Any]:
    array = np.asarray(column.cells[start:stop])
    if array.dtype.kind == "f" and LONG_INTEGER.match(column.kind) and bool(np.any(np.abs(array) >= MOST_EXACT)):
        cells = column.cells[start:stop]  # gaps became NaN, and the other numbers were rounded
        array = np.array(cells.to_pylist() if hasattr(cells, "to_pylist") else cells.tolist(), dtype=object)
    if array.dtype.kind in "biuf":
        if (at := first_inexact(array)) >= 0:
            raise _inexact(column, array[at])
        return array
    if array.dtype.kind in "mM":
        raise _no_numbers(column, "times", TIMES)
    if array.dtype.kind not in "OUT":  # objects and text
        raise _no_numbers(column, "no numbers")
    return np.array([_number(column, cell) for cell in array.tolist()], np.float64)


def _of_polars(column: Any) -> NDArray[Any]:
    """A column of polars, whose gaps among whole numbers would make the others float64."""
    if column.null_count() and LONG_INTEGER.match(str(column.dtype)):
        return np.array(column.to_list(), dtype=object)
    return np.asarray(column)


def _number(column: _Column, cell: Any) -> float:
    """A number among Python objects, such as a decimal; texts are none, even where they look like one."""
    if cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None):
        return np.nan
    if isinstance(cell, (datetime.date, datetime.time, datetime.timedelta)):
        raise _no_numbers(column, "times", TIMES)
    if isinstance(cell, (str, bytes)):
        raise _no_numbers(column, f"text such as {shortened(str(cell))!r}")
    if not is_exact(cell):
        raise _inexact(column, cell)
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise _no_numbers(column, f"values such as {shortened(str(cell))}") from None


def _inexact(column: _Column, cell: Any) -> ValueError:
    return ValueError(inexact(f"column {column.name!r} of X holds", cell))


def _no_numbers(column: _Column, found: str, advice: str = ENCODED) -> ValueError:
    said = f"column {column.name!r} of X holds {found} (dtype {shortened(column.kind)})"
    return ValueError(f"{said}, and a linear model needs numbers: {advice}")

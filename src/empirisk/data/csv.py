"""Comma-separated tables (RFC 4180) with a header, and a careful guess at which columns are numbers."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from empirisk.data.csv_cells import (
    DONE,
    RAGGED,
    UNCLOSED,
    locate_cells,
    next_cell,
    parse_cells,
    skip_empty_lines,
)
from empirisk.data.csv_columns import Cells, as_text, settle
from empirisk.data.csv_text import AT_ONCE, Text
from empirisk.data.errors import DataError
from empirisk.data.missing import MissingCells, missing_cells
from empirisk.data.table import Table

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_csv(
    source: str | os.PathLike[str] | BinaryIO, *, na: Collection[str] | None = None, verbatim: Collection[str] = ()
) -> Table:
    """Read a path or a binary stream: UTF-8, a header, commas, quotes as in RFC 4180, CRLF or LF.

    A column is numeric when every cell is a decimal number or missing; blanks and quotes around it do not matter, and
    its value is exactly what Python's `float` gives. A column without numbers is text, every cell verbatim. Where
    numbers and words occur:

    - at most ten words and at most one in a hundred cells: most likely typing errors, so an error that names the first,
      as for an infinite number, however often it occurs;
    - else the column is text, such as house numbers 12, 12a, 14.

    `na` names the cells that are missing, capitals aside, and numbers among them by their value; an empty one always
    is. By default NA, N/A, NaN, null and ? are, and among numbers also None, a point and a dash. The columns of
    `verbatim` are text whatever they hold. Empty lines are skipped, and blanks around a column's name are dropped. Bad
    data raises `DataError`.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        with open(source, "rb") as stream:
            data = stream.read()
    else:
        path = str(getattr(source, "name", "<stream>"))
        data = source.read()
    data = data.removeprefix(BYTE_ORDER_MARK)
    if not data.endswith(b"\n"):
        data += b"\n"
    text = Text(data, np.frombuffer(data, np.uint8), path)
    text.check_encoding()
    names, start = _read_header(text)
    return _read_columns(text, start, names, missing_cells(na), frozenset(verbatim))


def _read_header(text: Text) -> tuple[tuple[str, ...], int]:
    """The names of the columns, and the byte after them."""
    stop = len(text.data)
    p = skip_empty_lines(text.view, 0, stop)
    if p == stop:
        raise DataError("expected a header with the names of the columns, found an empty file", text.path, 1)
    names: dict[str, int] = {}
    while True:
        start, end, delimiter, code = next_cell(text.view, p, stop)
        if code != DONE:
            raise _quote_error(text, code, p, text.byte_column(p))
        name, number = text.cell(start, end).strip(), len(names) + 1
        if not name:
            raise text.error(f"expected a name for column {number}, found none", p, text.byte_column(p))
        if name in names:
            raise text.error(f"expected each name once, found columns {names[name]} and {number} of this name", p, name)
        names[name] = number
        p = delimiter + 1
        if text.data[delimiter] == 10:
            return tuple(names), p


def _read_columns(text: Text, start: int, names: tuple[str, ...], na: MissingCells, verbatim: frozenset[str]) -> Table:
    stop = len(text.data)
    most_rows = sum(int(np.count_nonzero(text.view[p : p + AT_ONCE] == 10)) for p in range(start, stop, AT_ONCE))
    most_rows = min(most_rows, (stop - start) // len(names))  # each field takes a delimiter: empty lines cost no memory
    values = np.empty((len(names), most_rows))
    n_decided = np.zeros(len(names), np.int64)
    code, p, field, n_rows = parse_cells(text.view, start, stop, values, n_decided)
    if code == RAGGED:
        raise text.error(f"expected {len(names)} fields as in the header, found {field}", p)
    if code != DONE:
        raise _quote_error(text, code, p, names[field] if field < len(names) else text.byte_column(p))
    if n_rows == 0:
        raise text.error("expected rows of data after the header, found none", stop)
    doubtful = np.flatnonzero((n_decided < n_rows) | np.isin(names, list(verbatim)))
    slots = np.full(len(names), -1)
    slots[doubtful] = np.arange(len(doubtful))
    starts, ends = np.empty((len(doubtful), n_rows), np.int64), np.empty((len(doubtful), n_rows), np.int64)
    if len(doubtful):
        locate_cells(text.view, start, stop, slots, starts, ends)
    columns, masks = [], []
    for name, slot, numbers in zip(names, slots, values[:, :n_rows], strict=True):
        column, mask = numbers, None
        if slot >= 0:
            cells = Cells(text, name, starts[slot], ends[slot])
            column, mask = as_text(cells, na) if name in verbatim else settle(cells, numbers, na)
        if na.numbers and column.dtype != object:
            column, mask = _without(column, mask, na.mask_of(column))
        columns.append(column)
        masks.append(mask)
    return Table(names, tuple(columns), text.path, tuple(masks))


def _without(numbers: NDArray[np.float64], mask: Any, more: NDArray[np.bool_]) -> tuple[NDArray[np.float64], Any]:
    """The column and its mask, these numbers being missing too."""
    if not bool(more.any()):
        return numbers, mask
    return np.where(more, np.nan, numbers), more if mask is None else mask | more


def _quote_error(text: Text, code: int, p: int, column: int | str) -> DataError:
    if code == UNCLOSED:
        return text.error("expected a closing quote before the end of the file, found none", p, column)
    return text.error("expected a comma or the end of the line after the closing quote", p, column)

"""Comma-separated tables (RFC 4180) with a header, and a careful guess at which columns are numbers."""

from __future__ import annotations

import os
from typing import BinaryIO, NamedTuple

import numpy as np

from empirisk.data.csv_cells import (
    DONE,
    RAGGED,
    UNCLOSED,
    locate_cells,
    next_cell,
    number_cells,
    parse_cells,
    skip_empty_lines,
)
from empirisk.data.errors import DataError, shortened
from empirisk.data.table import Table

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "?", ".", "inf", "infinity"})  # signs aside
FEW = 10  # so many words among numbers, and no more than a hundredth of the cells, are typing errors
AT_ONCE = 1 << 20  # bytes that are looked at in one piece: passing copies of the whole file would cost more


def read_csv(source: str | os.PathLike[str] | BinaryIO) -> Table:
    """Read a path or a binary stream: UTF-8, a header, commas, quotes as in RFC 4180, CRLF or LF.

    A column is numeric when every cell is a decimal number; blanks and quotes around it do not matter, and its value is
    exactly what Python's `float` gives. A column without numbers is text, every cell verbatim. Where both occur:

    - nothing but missing values among the numbers (an empty cell, NA, N/A, null, None, ?, NaN, inf ...): an error that
      names the first of them, because a guess would be worse;
    - at most ten other cells and at most one in a hundred: most likely typing errors, so an error that names the first;
    - else the column is text, such as house numbers 12, 12a, 14.

    Empty lines are skipped, and blanks around a column's name are dropped. Bad data raises `DataError`.
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
    text = _Text(data, np.frombuffer(data, np.uint8), path)
    text.check_encoding()
    names, start = _read_header(text)
    return Table(names, _read_columns(text, start, names), path)


class _Text(NamedTuple):
    """The bytes of a file, as an object and as an array of the same memory, and its name."""

    data: bytes
    view: np.ndarray
    path: str

    def error(self, message: str, p: int, column: int | str | None = None) -> DataError:
        """The error of this message at byte p."""
        return DataError(message, self.path, self.data.count(b"\n", 0, p) + 1, column)

    def byte_column(self, p: int) -> int:
        """Where byte p stands in its line, for errors in a place that has no column name."""
        return p - self.data.rfind(b"\n", 0, p)

    def cell(self, start: int, end: int) -> str:
        """A cell as it was meant: a quote before it says that doubled quotes in it stand for one."""
        cell = self.data[start:end].decode()
        return cell.replace('""', '"') if start and self.data[start - 1] == 34 else cell

    def check_encoding(self) -> None:
        """Refuse what is not UTF-8, a part at a time: a line feed is never part of a longer character."""
        start = len(self.data) if self.data.isascii() else 0
        while start < len(self.data):
            stop = self.data.find(b"\n", start + AT_ONCE) + 1 or len(self.data)
            try:
                self.data[start:stop].decode()
            except UnicodeDecodeError as error:
                p = start + error.start
                message = f"expected text in UTF-8, found the byte 0x{self.data[p]:02x}"
                raise self.error(message, p, self.byte_column(p)) from None
            start = stop


def _read_header(text: _Text) -> tuple[tuple[str, ...], int]:
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


def _read_columns(text: _Text, start: int, names: tuple[str, ...]) -> tuple[np.ndarray, ...]:
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
    columns = list(values[:, :n_rows])
    doubtful = np.flatnonzero(n_decided < n_rows)
    if len(doubtful):
        slots = np.full(len(names), -1)
        slots[doubtful] = np.arange(len(doubtful))
        starts, ends = np.empty((len(doubtful), n_rows), np.int64), np.empty((len(doubtful), n_rows), np.int64)
        locate_cells(text.view, start, stop, slots, starts, ends)
        for j, cell_starts, cell_ends in zip(doubtful, starts, ends, strict=True):
            columns[j] = _settle(text, names[j], columns[j], cell_starts, cell_ends)
    return tuple(columns)


def _settle(text: _Text, name: str, values: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """What a column becomes that holds NaN for cells that are no numbers and infinity for undecided numbers."""
    strays = np.flatnonzero(np.isnan(values))
    if len(strays) == 0:
        undecided = np.flatnonzero(np.isinf(values))
        values[undecided] = [float(text.cell(starts[i], ends[i])) for i in undecided]
        too_large = undecided[np.isinf(values[undecided])]
        if len(too_large):
            i = too_large[0]
            found = _quoted(text.cell(starts[i], ends[i]))
            raise text.error(f"expected a number within the range of float64, found {found}", starts[i], name)
        return values
    if len(strays) < len(values):
        _refuse_mistakes(text, name, starts[strays], ends[strays], min(FEW, len(values) // 100))
    codes, firsts = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    slots = np.full(2 << len(values).bit_length(), -1)
    n_distinct = number_cells(text.view, starts, ends, slots, codes, firsts)
    distinct = np.empty(n_distinct, object)  # equal cells share one string: categories are few
    distinct[:] = [
        text.cell(start, end) for start, end in zip(starts[firsts[:n_distinct]], ends[firsts[:n_distinct]], strict=True)
    ]
    return distinct[codes]


def _refuse_mistakes(text: _Text, name: str, starts: np.ndarray, ends: np.ndarray, few: int) -> None:
    """Raise if these cells among numbers are missing values but for a few: else they are categories."""
    n_words = 0
    for start, end in zip(starts, ends, strict=True):
        n_words += not _is_missing(text.cell(start, end))
        if n_words > few:
            return
    found = text.cell(starts[0], ends[0])
    message = f"expected a number as in most of this column, found {_quoted(found)}"
    raise text.error(message + " (a missing value)" * _is_missing(found), starts[0], name)


def _is_missing(cell: str) -> bool:
    return cell.strip().lower().lstrip("+-") in MISSING


def _quoted(cell: str) -> str:
    return repr(shortened(cell)) if cell else "an empty cell"


def _quote_error(text: _Text, code: int, p: int, column: int | str) -> DataError:
    if code == UNCLOSED:
        return text.error("expected a closing quote before the end of the file, found none", p, column)
    return text.error("expected a comma or the end of the line after the closing quote", p, column)

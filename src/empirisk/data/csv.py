"""Tables of text: a header, commas (RFC 4180) or other separators, and a careful guess at which columns are numbers."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import BinaryIO

import numpy as np

from empirisk.data.csv_cells import (
    DONE,
    RAGGED,
    UNCLOSED,
    locate_cells,
    next_cell,
    parse_cells,
    skip_empty_lines,
)
from empirisk.data.csv_columns import Cells, Settled, as_text, settle
from empirisk.data.csv_separator import find_separator
from empirisk.data.csv_text import AT_ONCE, Text, as_utf8
from empirisk.data.dialect import name_of_separator
from empirisk.data.errors import DataError
from empirisk.data.missing import MissingCells, missing_cells
from empirisk.data.row_numbers import without_index
from empirisk.data.table import Table


def read_csv(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    na: Collection[str] | None = None,
    verbatim: Collection[str] = (),
    keep: Collection[str] = (),
) -> Table:
    """Read a path or a binary stream: a header, quotes as in RFC 4180, CRLF, LF or CR, text in UTF-8.

    Without `separator` commas, tabs, semicolons and pipes are told apart by what gives the first records as many fields
    as the header. `encoding` is one of Python's; without it the text is UTF-8, or UTF-16 with a byte order mark.

    A column is numeric when every cell is a decimal number or missing; blanks and quotes around it do not matter, and
    its value is exactly what Python's `float` gives. A column without numbers is text, every cell verbatim but for
    spaces around it outside quotes. Where numbers and words occur:

    - at most ten words and at most one in a hundred cells: most likely typing errors, so an error that names the first,
      as for an infinite number, however often it occurs;
    - else the column is text, such as house numbers 12, 12a, 14.

    `na` names the cells that are missing, capitals aside, and numbers among them by their value; an empty one always
    is. By default NA, N/A, NaN, null and ? are, and among numbers also None, a point and a dash. The columns of
    `verbatim` are text whatever they hold; so is one with a whole number in digits alone that float64 does not hold.
    Those of `keep` are in `texts` too, as they are written. A first column without a name, or called 'Unnamed: 0', that
    numbers the rows is left out. Empty lines are skipped. Bad data raises `DataError`.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        with open(source, "rb") as stream:
            data = stream.read()
    else:
        path = str(getattr(source, "name", "<stream>"))
        data = source.read()
    data = as_utf8(data, encoding, path)
    view = np.frombuffer(data, np.uint8)
    found = separator or find_separator(view)
    text = Text(data, view, path, ord(found))
    names, start = _read_header(text)
    table = _read_columns(text, start, names, missing_cells(na), frozenset(verbatim), frozenset(keep))
    remarks = () if found in (separator, ",") else (f"Separator: {name_of_separator(found)}.",)
    return without_index(table._replace(remarks=remarks))


def _read_header(text: Text) -> tuple[tuple[str, ...], int]:
    """The names of the columns, and the byte after them; the first may be empty."""
    stop = len(text.data)
    p = skip_empty_lines(text.view, 0, stop)
    if p == stop:
        raise DataError("expected a header with the names of the columns, found an empty file", text.path, 1)
    names: dict[str, int] = {}
    while True:
        start, end, delimiter, code = next_cell(text.view, p, stop, text.separator)
        if code != DONE:
            raise _quote_error(text, code, p, text.byte_column(p))
        name, number = text.cell(start, end).strip(), len(names) + 1
        at_end = text.data[delimiter] == 10
        if not name and (number > 1 or at_end):
            raise text.error(f"expected a name for column {number}, found none", p, text.byte_column(p))
        if name in names:
            found = f"expected each name once, found columns {names[name]} and {number} of this name"
            hint = "; the first line must have the names of the columns" if name.replace(".", "").isdigit() else ""
            raise text.error(found + hint, p, name)
        names[name] = number
        p = delimiter + 1
        if at_end:
            return tuple(names), p


def _read_columns(
    text: Text, start: int, names: tuple[str, ...], na: MissingCells, verbatim: frozenset[str], keep: frozenset[str]
) -> Table:
    stop = len(text.data)
    most_rows = sum(int(np.count_nonzero(text.view[p : p + AT_ONCE] == 10)) for p in range(start, stop, AT_ONCE))
    most_rows = min(most_rows, (stop - start) // len(names))  # each field takes a delimiter: empty lines cost no memory
    values = np.empty((len(names), most_rows))
    n_decided = np.zeros(len(names), np.int64)
    code, p, field, n_rows = parse_cells(text.view, start, stop, text.separator, values, n_decided)
    if code == RAGGED:
        between = "" if text.separator == 44 else f" between {name_of_separator(chr(text.separator))}s"
        raise text.error(f"expected {len(names)} fields as in the header, found {field}{between}", p)
    if code != DONE:
        raise _quote_error(text, code, p, names[field] if field < len(names) else text.byte_column(p))
    if n_rows == 0:
        raise text.error("expected rows of data after the header, found none", stop)
    doubtful = np.flatnonzero((n_decided < n_rows) | [name in verbatim | keep for name in names])
    slots = np.full(len(names), -1)
    slots[doubtful] = np.arange(len(doubtful))
    starts, ends = np.empty((len(doubtful), n_rows), np.int64), np.empty((len(doubtful), n_rows), np.int64)
    if len(doubtful):
        locate_cells(text.view, start, stop, text.separator, slots, starts, ends)
    settled, texts = [], {}
    for name, slot, numbers in zip(names, slots, values[:, :n_rows], strict=True):
        found = Settled(numbers, None)
        if slot >= 0:
            cells = Cells(text, name, starts[slot], ends[slot])
            found = as_text(cells, na) if name in verbatim else settle(cells, numbers, na)
            if name in keep:
                texts[name] = as_text(cells, na).column
        settled.append(_without(found, na) if na.numbers and found.column.dtype != object else found)
    columns, masks, _ = zip(*settled, strict=True)
    inexact = tuple(name for name, found in zip(names, settled, strict=True) if found.is_inexact)
    return Table(names, columns, text.path, masks, inexact, texts=texts)


def _without(numbers: Settled, na: MissingCells) -> Settled:
    """The column, numbers that say so being missing too."""
    more = na.mask_of(numbers.column)
    if not bool(more.any()):
        return numbers
    return Settled(np.where(more, np.nan, numbers.column), more if numbers.mask is None else numbers.mask | more)


def _quote_error(text: Text, code: int, p: int, column: int | str) -> DataError:
    if code == UNCLOSED:
        return text.error("expected a closing quote before the end of the file, found none", p, column)
    mark = name_of_separator(chr(text.separator))
    return text.error(f"expected a {mark} or the end of the line after the closing quote", p, column)

"""The cells of a CSV text (RFC 4180): where each one starts and stops, and the number it may be.

All kernels expect a read-only buffer that ends with a line feed, which stops every loop outside quotes.
"""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel
from empirisk.data.numbers import NUMBER, parse_number

DONE, UNCLOSED, AFTER_QUOTE, RAGGED = range(4)
TAB = 9


@kernel(exact=True, inlined=True)
def _quoted_cell(buffer, p, stop, separator):
    """The cell that a quote opens at byte p: (start, end, delimiter, code)."""
    end = p + 1
    while True:
        while end < stop and buffer[end] != 34 and (buffer[end] != 10 or separator != TAB):
            end += 1
        if end == stop or buffer[end] == 10:
            return p, end, end, UNCLOSED
        if buffer[end + 1] != 34:  # within the buffer: a line feed ends it
            break
        end += 2  # a doubled quote stands for one
    delimiter = end + 1
    while buffer[delimiter] == 32:
        delimiter += 1
    if buffer[delimiter] == 13 and buffer[delimiter + 1] == 10:
        delimiter += 1
    if buffer[delimiter] != separator and buffer[delimiter] != 10:
        return p + 1, end, delimiter, AFTER_QUOTE
    return p + 1, end, delimiter, DONE


@kernel(exact=True)
def next_cell(buffer, p, stop, separator):
    """The cell at byte p: (start, end, delimiter, code); quotes and spaces around it lie outside start and end.

    The delimiter is the byte of the separator or line feed that follows. In a table with tabs a quote that is not
    closed before the next tab or the end of its line is an ordinary character, because most such tables know no quotes.
    """
    while buffer[p] == 32:
        p += 1
    if buffer[p] == 34:
        start, end, delimiter, code = _quoted_cell(buffer, p, stop, separator)
        if code == DONE or separator != TAB:
            return start, end, delimiter, code
    end = p
    while buffer[end] != separator and buffer[end] != 10:
        end += 1
    delimiter = end
    if buffer[end] == 10 and end > p and buffer[end - 1] == 13:
        end -= 1
    while end > p and buffer[end - 1] == 32:
        end -= 1
    return p, end, delimiter, DONE


@kernel(exact=True)
def skip_empty_lines(buffer, p, stop):
    """The first byte from p on where a record starts, or stop."""
    while p < stop:
        if buffer[p] == 10:
            p += 1
        elif buffer[p] == 13 and buffer[p + 1] == 10:
            p += 2
        else:
            break
    return p


@kernel(exact=True)
def walk_records(buffer, start, stop, separator, starts, counts):
    """Where the first records start and how many fields each has: (number of whole records, code)."""
    row = 0
    p = skip_empty_lines(buffer, start, stop)
    while p < stop and row < len(counts):
        starts[row] = p
        counts[row] = 0
        at_end = False
        while not at_end:
            _, _, delimiter, code = next_cell(buffer, p, stop, separator)
            if code != DONE:
                return row, code
            counts[row] += 1
            at_end = buffer[delimiter] == 10
            p = delimiter + 1
        row += 1
        p = skip_empty_lines(buffer, p, stop)
    return row, DONE


@kernel(exact=True, inlined=True)
def cell_number(buffer, start, end):
    """The number that a cell is, blanks around it aside: (value, whether it is a number)."""
    while start < end and (buffer[start] == 32 or buffer[start] == 9):
        start += 1
    while end > start and (buffer[end - 1] == 32 or buffer[end - 1] == 9):
        end -= 1
    if start == end:
        return np.nan, False
    value, stop, kind = parse_number(buffer, start)
    return value, kind == NUMBER and stop == end


@kernel(exact=True)
def parse_cells(buffer, start, stop, separator, values, n_decided):
    """Parse the records of buffer[start:stop] into values[column, row]: (code, byte, fields found, rows).

    A cell that is no number is NaN and a number that `float` must decide is infinite: `n_decided` counts the others.
    """
    n_columns = len(n_decided)
    row = 0
    p = skip_empty_lines(buffer, start, stop)
    while p < stop:
        record, column, at_end = p, 0, False
        while not at_end:
            value, end, kind = parse_number(buffer, p)
            is_number = kind == NUMBER
            if not is_number or (buffer[end] != separator and buffer[end] != 10):
                first, last, end, code = next_cell(buffer, p, stop, separator)
                if code != DONE:
                    return code, p, column, row
                value, is_number = cell_number(buffer, first, last)
            if column < n_columns:
                if is_number and value == value:
                    n_decided[column] += 1
                    values[column, row] = value
                else:
                    values[column, row] = np.inf if is_number else np.nan
            column += 1
            at_end = buffer[end] == 10
            p = end + 1
        if column != n_columns:
            return RAGGED, record, column, row
        row += 1
        p = skip_empty_lines(buffer, p, stop)
    return DONE, p, n_columns, row


@kernel(exact=True)
def locate_cells(buffer, start, stop, separator, slots, starts, ends):
    """Find the cells of well-formed records again: those of column j go to row slots[j] of `starts` and `ends`.

    A column with a negative slot is passed over.
    """
    row = 0
    p = skip_empty_lines(buffer, start, stop)
    while p < stop:
        for slot in slots:
            first, last, delimiter, _ = next_cell(buffer, p, stop, separator)
            if slot >= 0:
                starts[slot, row] = first
                ends[slot, row] = last
            p = delimiter + 1
        row += 1
        p = skip_empty_lines(buffer, p, stop)

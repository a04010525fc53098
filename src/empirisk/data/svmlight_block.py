"""One block of a svmlight file, and the labels and entries it holds.

One compiled pass turns a block into arrays; a bad byte comes back as a code and a position, and the sentence is built
here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.data.block_numbers import settle_numbers, wanted_number
from empirisk.data.blocks import Block
from empirisk.data.errors import DataError
from empirisk.data.numbers import NUMBER, parse_number

INDEX_FULL = 10**17  # an index below it takes one more digit without overflow

DONE, BAD_LABEL, LABEL_LIST, BAD_INDEX, LONG_INDEX, BAD_VALUE, BAD_QUERY = range(7)


class Entries(NamedTuple):
    """The rows of a block; row i is entries row_ends[i - 1] to row_ends[i], their values found at `value_starts`."""

    labels: np.ndarray
    label_starts: np.ndarray
    row_ends: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    value_starts: np.ndarray


def scratch_for(block: Block) -> Entries:
    """Room for the rows of any block of this length: a row takes at least two bytes, an entry four."""
    size = len(block.text)
    per_row = [np.empty(size // 2 + 1, kind) for kind in (np.float64, np.int64, np.int64)]
    per_entry = [np.empty(size // 4 + 1, kind) for kind in (np.int64, np.float64, np.int64)]
    return Entries(*per_row, *per_entry)


def parse_block(block: Block, scratch: Entries, dtype: np.dtype[Any]) -> Entries:
    """The rows of a block, as views of `scratch`: indices sorted and unique, values finite as `dtype`."""
    view = block.view()
    code, p, n_rows, n_entries, n_undecided, n_descents = _parse_rows(view, block.stop, *scratch)
    if code != DONE:
        raise _syntax_error(block, code, p)
    entries = Entries(*(array[:n_rows] for array in scratch[:3]), *(array[:n_entries] for array in scratch[3:]))
    if n_undecided or dtype != np.float64:
        settle_numbers(block, entries.labels, entries.label_starts, np.dtype(np.float64))
        settle_numbers(block, entries.values, entries.value_starts, dtype)
    if n_descents:
        _sort_rows(block, entries)
    return entries


def index_start(block: Block, p: int) -> int:
    """The first byte of the index whose value starts at byte p."""
    p = int(p) - 1
    while block.text[p - 1] in b"0123456789":
        p -= 1
    return p


def _sort_rows(block: Block, entries: Entries) -> None:
    """Sort the indices of each row in place, and refuse one that occurs twice."""
    indices, starts = entries.indices, entries.value_starts
    row_of = np.repeat(np.arange(len(entries.row_ends)), np.diff(entries.row_ends, prepend=0))
    order = np.lexsort((indices, row_of))  # stable: of two equal indices the later in the file stays the later
    for array in (indices, entries.values, starts):
        array[:] = array[order]
    again = 1 + np.flatnonzero((np.diff(indices) == 0) & (np.diff(row_of) == 0))
    if len(again):
        k = again[np.argmin(starts[again])]
        message = f"expected each feature index once in a row, found {indices[k]} again"
        raise block.error(message, index_start(block, starts[k]))


def _syntax_error(block: Block, code: int, p: int) -> DataError:
    found = block.token(p)
    if code in (BAD_LABEL, BAD_VALUE):
        place = "as the label" if code == BAD_LABEL else "after ':'"
        return block.error(f"expected {wanted_number(found)} {place}, found {found!r}", p)
    if code == LABEL_LIST:
        return block.error(f"expected one label, found the list {found!r}: multi-label data is not supported", p)
    if code == BAD_QUERY:
        return block.error(f"expected a whole number after 'qid:', found {found!r}", p)
    if code == LONG_INDEX:
        return block.error(f"expected a feature index below 10^18, found {found!r}", p)
    name, colon, _ = found.partition(":")
    if colon:
        return block.error(f"expected a feature index before ':', found {name!r}", p)
    return block.error(f"expected index:value, found {found!r}", p)


@kernel(exact=True)
def _skip_blanks(buffer, p):
    """The first byte from p on that is not a space, a tab or a carriage return."""
    while buffer[p] == 32 or buffer[p] == 9 or buffer[p] == 13:
        p += 1
    return p


@kernel(exact=True)
def _ends_token(byte):
    """A blank, a line feed or the start of a comment."""
    return byte == 32 or byte == 10 or byte == 9 or byte == 13 or byte == 35


@kernel(exact=True)
def _parse_rows(buffer, stop, labels, label_starts, row_ends, indices, values, value_starts):
    """Parse buffer[:stop], which ends with a line feed: (code, byte, rows, entries, undecided, descents).

    The line feed bounds every inner loop. A row takes at least two bytes and an entry four: the arrays are that long.
    """
    p = n_rows = n_entries = n_undecided = n_descents = 0
    while p < stop:
        p = _skip_blanks(buffer, p)
        if buffer[p] != 10 and buffer[p] != 35:
            value, end, kind = parse_number(buffer, p)
            if kind != NUMBER or not _ends_token(buffer[end]):
                return (LABEL_LIST if buffer[end] == 44 else BAD_LABEL), p, n_rows, n_entries, 0, 0
            if value != value:
                n_undecided += 1
            labels[n_rows] = value
            label_starts[n_rows] = p
            p = _skip_blanks(buffer, end)
            if buffer[p] == 113:  # q
                end = p + 1
                for letter in (105, 100, 58):  # id:
                    if buffer[end] != letter:
                        return BAD_INDEX, p, n_rows, n_entries, 0, 0
                    end += 1
                p = end
                while 48 <= buffer[end] <= 57:
                    end += 1
                if end == p or not _ends_token(buffer[end]):
                    return BAD_QUERY, p, n_rows, n_entries, 0, 0
                p = _skip_blanks(buffer, end)
            previous = np.int64(-1)
            while buffer[p] != 10 and buffer[p] != 35:
                index, end = np.int64(0), p
                while True:
                    digit = np.int64(buffer[end]) - 48
                    if digit < 0 or digit > 9:
                        break
                    if index >= INDEX_FULL:
                        return LONG_INDEX, p, n_rows, n_entries, 0, 0
                    index = 10 * index + digit
                    end += 1
                if digit != 10 or end == p:  # a colon
                    return BAD_INDEX, p, n_rows, n_entries, 0, 0
                p = end + 1
                value, end, kind = parse_number(buffer, p)
                if kind != NUMBER or not _ends_token(buffer[end]):
                    return BAD_VALUE, p, n_rows, n_entries, 0, 0
                if value != value:
                    n_undecided += 1
                if index <= previous:
                    n_descents += 1
                previous = index
                indices[n_entries] = index
                values[n_entries] = value
                value_starts[n_entries] = p
                n_entries += 1
                p = _skip_blanks(buffer, end)
            row_ends[n_rows] = n_entries
            n_rows += 1
        while buffer[p] != 10:
            p += 1
        p += 1
    return DONE, p, n_rows, n_entries, n_undecided, n_descents

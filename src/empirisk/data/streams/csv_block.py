"""Lines of a CSV stream, a record each: one compiled pass that turns a block into arrays.

Cells are those of `csv_cells`; a bad one comes back as a code, a position and its column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.data.blocks import Block
from empirisk.data.csv_cells import DONE, RAGGED, cell_number, next_cell
from empirisk.data.hashing import hash_name

MISSING, NOT_A_NUMBER = RAGGED + 1, RAGGED + 2  # codes beside those of `csv_cells`
IGNORED, UNDECIDED, NUMBERS, CATEGORIES, LABEL, LABEL_WORD, WEIGHT = range(7)  # what a column is


class CSVScratch(NamedTuple):
    """Room for the rows of a block: a row takes at least two bytes, a cell too."""

    labels: np.ndarray
    row_starts: np.ndarray
    label_starts: np.ndarray
    label_ends: np.ndarray
    weights: np.ndarray
    weight_starts: np.ndarray
    row_ends: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    value_starts: np.ndarray
    value_ends: np.ndarray
    columns: np.ndarray  # of each entry the column of the table


PER_ROW = 7  # fields
FLOATS = ("labels", "weights", "values")


def scratch_for(block: Block) -> CSVScratch:
    """Room for any block of this length."""
    size = len(block.text) // 2 + 1
    return CSVScratch(*(np.empty(size, np.float64 if name in FLOATS else np.int64) for name in CSVScratch._fields))


@kernel(exact=True)
def parse_records(
    buffer,
    stop,
    separator,
    kinds,
    decided_at,
    seeds,
    mask,
    are_absent,
    labels,
    row_starts,
    label_starts,
    label_ends,
    weights,
    weight_starts,
    row_ends,
    indices,
    values,
    value_starts,
    value_ends,
    columns,
):
    """Parse the records of buffer[:stop], a line each: (code, byte, column, rows, entries).

    Where `kinds` is undecided the first cell that is not empty decides it, in the row that goes to `decided_at`. A
    number that `float` must decide is NaN, an entry of zero is left out, and with `are_absent` an empty cell is too.
    """
    n_columns = kinds.size
    p = n_rows = n_entries = 0
    while p < stop:
        line_end = p
        while buffer[line_end] != 10:
            line_end += 1
        if line_end == p or (line_end == p + 1 and buffer[p] == 13):
            p = line_end + 1
            continue
        row_starts[n_rows] = label_starts[n_rows] = label_ends[n_rows] = weight_starts[n_rows] = p
        labels[n_rows] = 0.0
        weights[n_rows] = 1.0
        at_end, column = False, 0
        while not at_end:
            start, end, delimiter, code = next_cell(buffer, p, line_end, separator)
            if code != DONE:
                return code, p, column, n_rows, n_entries
            if column < n_columns and kinds[column] != IGNORED:
                kind = kinds[column]
                is_empty = start == end
                if is_empty and not (are_absent and kind <= CATEGORIES):
                    return MISSING, p, column, n_rows, n_entries
                if not is_empty:
                    value, is_number = 1.0, True
                    if kind != CATEGORIES and kind != LABEL_WORD:
                        value, is_number = cell_number(buffer, start, end)
                    if kind == UNDECIDED:
                        kind = NUMBERS if is_number else CATEGORIES
                        kinds[column] = kind
                        decided_at[column] = n_rows
                        if not is_number:
                            value, is_number = 1.0, True
                    if not is_number:
                        return NOT_A_NUMBER, start, column, n_rows, n_entries
                    if kind in (LABEL, LABEL_WORD):
                        labels[n_rows] = value
                        label_starts[n_rows] = start
                        label_ends[n_rows] = end
                    elif kind == WEIGHT:
                        weights[n_rows] = value
                        weight_starts[n_rows] = start
                    elif value != 0.0:
                        found = seeds[column]
                        if kind == CATEGORIES:
                            found = hash_name(buffer, start, end, found)
                        indices[n_entries] = found & mask
                        values[n_entries] = value
                        value_starts[n_entries] = start
                        value_ends[n_entries] = end if kind == CATEGORIES else start
                        columns[n_entries] = column
                        n_entries += 1
            column += 1
            at_end = buffer[delimiter] == 10
            p = delimiter + 1
        if column != n_columns:
            return RAGGED, row_starts[n_rows], column, n_rows, n_entries
        row_ends[n_rows] = n_entries
        n_rows += 1
    return DONE, p, 0, n_rows, n_entries

"""Rows whose columns come in any order, and more than once: sorted, and values of the same column added up."""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel, quiet

PLACE = 32  # bits of an entry's place in its row


def tidy(row_ends: np.ndarray, indices: np.ndarray, values: np.ndarray) -> int:
    """Make the columns of each row ascend, in place; how many entries are left."""
    longest = int(np.diff(row_ends, prepend=0).max(initial=0))
    with quiet():  # sums may overflow
        return int(_tidy_rows(row_ends, indices, values, np.empty(longest, np.int64), np.empty(longest)))


@kernel(exact=True)
def _tidy_rows(row_ends, indices, values, keys, sorted_values):
    """Keys hold column and place, so that values of one column are added in their order."""
    start = kept = 0
    for i in range(row_ends.size):
        end, n_descents = row_ends[i], 0
        for k in range(start + 1, end):
            n_descents += indices[k] <= indices[k - 1]
        if n_descents:
            size = end - start
            for k in range(size):
                keys[k] = (indices[start + k] << PLACE) | k
            _sort(keys, size)
            for k in range(size):
                sorted_values[k] = values[start + (keys[k] & 0xFFFFFFFF)]
            previous = np.int64(-1)
            for k in range(size):
                column = keys[k] >> PLACE
                if column == previous:
                    values[kept - 1] += sorted_values[k]
                else:
                    indices[kept] = column
                    values[kept] = sorted_values[k]
                    kept += 1
                previous = column
        else:
            for k in range(start, end):
                indices[kept] = indices[k]
                values[kept] = values[k]
                kept += 1
        start = end
        row_ends[i] = kept
    return kept


@kernel(exact=True)
def _sort(keys, size):
    """Shell's sort in the gaps of M. Ciura (2001): no memory, and never quadratic where rows are long."""
    gap = 1
    while gap < size:
        gap = 4 if gap == 1 else 10 if gap == 4 else 9 * gap // 4
    while gap >= 1:
        for k in range(gap, size):
            key, place = keys[k], k
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                place -= gap
            keys[place] = key
        gap = 0 if gap == 1 else 1 if gap == 4 else 4 if gap == 10 else max(1, 4 * gap // 9)

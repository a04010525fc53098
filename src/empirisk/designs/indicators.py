"""Rows of ones: which columns a row has, and no values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt, kernel


class Indicators(NamedTuple):
    """Read-only arrays of rows whose entries are all 1: their columns, and where each row starts.

    A row has no column twice; its columns come in any order. Columns are unsigned, as those of CSR are.
    """

    indices: NDArray[Any]
    starts: NDArray[np.int64]
    columns: int

    def n_rows(self):
        """The number of examples."""
        return self.starts.size - 1

    def n_columns(self):
        """The number of features."""
        return self.columns

    def row_size(self, i):
        """The number of entries of row i."""
        return self.starts[i + 1] - self.starts[i]

    def column_at(self, i, k):
        """The column of entry k of row i."""
        return self.indices[np.uint64(self.starts[i] + k)]

    def entry_at(self, i, k):
        """The value of entry k of row i, which is 1."""
        return 1.0

    def stored_value(self, k):
        """The value of entry k of all rows, which is 1."""
        return 1.0

    def dot_row(self, i, w):
        """<x_i, w>."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(indices.size):
            total += w[indices[k]]
        return total

    def dot_row_sizes(self, i, w):
        """The sum of |w_j| over the columns of row i, which bounds the rounding of dot_row."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(indices.size):
            total += abs(w[indices[k]])
        return total

    def measure_row(self, i, w):
        """<x_i, w>, the sum of |w_j| over its columns and ||x_i||^2, in one read of the row."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        sizes = 0.0
        for k in range(indices.size):
            term = np.float64(w[indices[k]])
            total += term
            sizes += abs(term)
        return total, sizes, np.float64(indices.size)

    def add_row(self, i, a, w):
        """Add a * x_i to w."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            w[indices[k]] += a

    def add_row_to_both(self, i, a, w, c, v):
        """Add a * x_i to w and c * x_i to v, in one read of the row."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            w[indices[k]] += a
            v[indices[k]] += c

    def add_weighted_row(self, i, a, weights, out):
        """Add a * weights[j] to out[j] for each column j of row i."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            j = indices[k]
            out[j] += a * weights[j]

    def add_row_squares(self, i, a, out):
        """Add a to out[j] for each column j of row i."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            out[indices[k]] += a

    def squared_row_norm(self, i):
        """||x_i||^2, the number of its columns."""
        return np.float64(self.starts[i + 1] - self.starts[i])

    def weighted_square(self, i, weights):
        """The sum of weights[j] over the columns of row i."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(indices.size):
            total += weights[indices[k]]
        return total

    def map_row(self, i, v, regularizer, w):
        """Set w[j] to regularizer.maximizer_coordinate(j, v[j]) for the columns j that row i touches."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            j = indices[k]
            w[j] = regularizer.maximizer_coordinate(j, v[j])

    def add_gram(self, weights, out):
        """Add the sum of weights[i] x_i x_i^T to the lower triangle of out."""
        _add_gram(self.indices, self.starts, weights, out)


def indicators(indices: Any, starts: Any, columns: int) -> Indicators:
    """Rows of ones with these columns: arrays of the wanted types are not copied, and views of them made read-only."""
    unsigned = indices.view(np.uint32) if indices.dtype == np.int32 else indices
    kept = np.ascontiguousarray(unsigned, dtype=np.uint32).view()
    begins = np.ascontiguousarray(starts, dtype=np.int64).view()
    if kept.size and int(kept.max()) >= columns:
        raise ValueError(f"a row has column {kept.max()}, and there are {columns}")
    if begins[0] != 0 or begins[-1] != kept.size or bool(np.any(begins[1:] < begins[:-1])):
        raise ValueError("where rows start does not increase from 0 to the number of entries")
    kept.flags.writeable = begins.flags.writeable = False
    design = Indicators(kept, begins, int(columns))
    adopt(design, inline=True)
    return design


@kernel
def _add_gram(indices, starts, weights, out):
    for i in range(weights.size):
        if weights[i] == 0.0:
            continue
        row = indices[starts[i] : starts[i + 1]]
        for k in range(row.size):
            for m in range(k + 1):
                out[max(row[k], row[m]), min(row[k], row[m])] += weights[i]

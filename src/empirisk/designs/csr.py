"""Rows of a compressed sparse row matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel


class CSR(NamedTuple):
    """Read-only arrays of a canonical CSR matrix: values, their columns, and where each row starts.

    Columns are unsigned: a signed index costs a test for counting from the end at every entry.
    """

    values: NDArray[Any]
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
        """The number of stored entries of row i."""
        return self.starts[i + 1] - self.starts[i]

    def column_at(self, i, k):
        """The column of entry k of row i."""
        return self.indices[np.uint64(self.starts[i] + k)]

    def entry_at(self, i, k):
        """The value of entry k of row i."""
        return self.values[np.uint64(self.starts[i] + k)]

    def stored_value(self, k):
        """The value of entry k of all rows."""
        return self.values[k]

    def dot_row(self, i, w):
        """<x_i, w>."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(values.size):
            total += values[k] * w[indices[k]]
        return total

    def dot_row_sizes(self, i, w):
        """The sum of |x_ij w_j|, which bounds the rounding of dot_row."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(values.size):
            total += abs(values[k] * w[indices[k]])
        return total

    def measure_row(self, i, w):
        """<x_i, w>, the sum of |x_ij w_j| and ||x_i||^2, in one read of the row."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        sizes = 0.0
        squares = 0.0
        for k in range(values.size):
            x = np.float64(values[k])
            term = x * w[indices[k]]
            total += term
            sizes += abs(term)
            squares += x * x
        return total, sizes, squares

    def add_row(self, i, a, w):
        """Add a * x_i to w."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(values.size):
            w[indices[k]] += a * values[k]

    def add_row_to_both(self, i, a, w, c, v):
        """Add a * x_i to w and c * x_i to v, in one read of the row."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(values.size):
            w[indices[k]] += a * values[k]
            v[indices[k]] += c * values[k]

    def add_weighted_row(self, i, a, weights, out):
        """Add a * weights[j] * x_ij to out[j] for each column j."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(values.size):
            j = indices[k]
            out[j] += a * weights[j] * values[k]

    def add_row_squares(self, i, a, out):
        """Add a * x_ij^2 to out[j] for each column j."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(values.size):
            x = np.float64(values[k])
            out[indices[k]] += a * x * x

    def squared_row_norm(self, i):
        """||x_i||^2."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(values.size):
            x = np.float64(values[k])
            total += x * x
        return total

    def weighted_square(self, i, weights):
        """The sum of weights[j] x_ij^2."""
        values = self.values[self.starts[i] : self.starts[i + 1]]
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        total = 0.0
        for k in range(values.size):
            x = np.float64(values[k])
            total += weights[indices[k]] * x * x
        return total

    def map_row(self, i, v, regularizer, w):
        """Set w[j] to regularizer.maximizer_coordinate(j, v[j]) for the columns j that row i touches."""
        indices = self.indices[self.starts[i] : self.starts[i + 1]]
        for k in range(indices.size):
            j = indices[k]
            w[j] = regularizer.maximizer_coordinate(j, v[j])

    def add_gram(self, weights, out):
        """Add the sum of weights[i] x_i x_i^T to the lower triangle of out (columns are sorted in a row)."""
        _add_gram(self.values, self.indices, self.starts, weights, out)


@kernel
def _add_gram(values, indices, starts, weights, out):
    for i in range(weights.size):
        if weights[i] == 0.0:
            continue
        row_values = values[starts[i] : starts[i + 1]]
        row_indices = indices[starts[i] : starts[i + 1]]
        for k in range(row_values.size):
            line = out[row_indices[k]]
            a = weights[i] * row_values[k]
            for m in range(k + 1):
                line[row_indices[m]] += a * row_values[m]

"""Rows of a compressed sparse row matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel


class CSR(NamedTuple):
    """Read-only arrays of a canonical CSR matrix: values, their columns, and where each row starts."""

    values: Any
    indices: Any
    starts: Any
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

    def dot_row(self, i, w):
        """<x_i, w>."""
        total = 0.0
        for k in range(self.starts[i], self.starts[i + 1]):
            total += self.values[k] * w[self.indices[k]]
        return total

    def dot_row_sizes(self, i, w):
        """The sum of |x_ij w_j|, which bounds the rounding of dot_row."""
        total = 0.0
        for k in range(self.starts[i], self.starts[i + 1]):
            total += abs(self.values[k] * w[self.indices[k]])
        return total

    def add_row(self, i, a, w):
        """Add a * x_i to w."""
        for k in range(self.starts[i], self.starts[i + 1]):
            w[self.indices[k]] += a * self.values[k]

    def add_row_squares(self, i, a, out):
        """Add a * x_ij^2 to out[j] for each column j."""
        for k in range(self.starts[i], self.starts[i + 1]):
            x = np.float64(self.values[k])
            out[self.indices[k]] += a * x * x

    def squared_row_norm(self, i):
        """||x_i||^2."""
        total = 0.0
        for k in range(self.starts[i], self.starts[i + 1]):
            x = np.float64(self.values[k])
            total += x * x
        return total

    def shrink_row(self, i, v, l1, l2, w):
        """Set w[j] to soft(v[j], l1) / l2 for the columns j that row i touches."""
        for k in range(self.starts[i], self.starts[i + 1]):
            j = self.indices[k]
            w[j] = max(0.0, v[j] - l1) / l2 + min(0.0, v[j] + l1) / l2

    def add_gram(self, start, stop, weights, out):
        """Add the sum of weights[i] x_i x_i^T to the lower triangle of out (columns are sorted in a row)."""
        _add_gram(self.values, self.indices, self.starts, start, stop, weights, out)


@kernel
def _add_gram(values, indices, starts, start, stop, weights, out):
    for i in range(start, stop):
        if weights[i] == 0.0:
            continue
        for k in range(starts[i], starts[i + 1]):
            row = out[indices[k]]
            a = weights[i] * values[k]
            for m in range(starts[i], k + 1):
                row[indices[m]] += a * values[m]

"""Rows of a dense matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SOME_ROWS = 0.8  # share of rows with a weight, below which they are gathered for the Gram matrix
TILE_ENTRIES = 1 << 16  # entries scaled at a time for the Gram matrix: the copy stays in the second-level cache


class Dense(NamedTuple):
    """A read-only C-ordered array of float32 or float64, one example a row."""

    values: NDArray[Any]

    def n_rows(self):
        """The number of examples."""
        return self.values.shape[0]

    def n_columns(self):
        """The number of features."""
        return self.values.shape[1]

    def row_size(self, i):
        """The number of stored entries of row i."""
        return self.values.shape[1]

    def column_at(self, i, k):
        """The column of entry k of row i."""
        return k

    def entry_at(self, i, k):
        """The value of entry k of row i."""
        return self.values[i, k]

    def dot_row(self, i, w):
        """<x_i, w>."""
        row = self.values[i]
        total = 0.0
        for j in range(row.size):
            total += row[j] * w[j]
        return total

    def dot_row_sizes(self, i, w):
        """The sum of |x_ij w_j|, which bounds the rounding of dot_row."""
        row = self.values[i]
        total = 0.0
        for j in range(row.size):
            total += abs(row[j] * w[j])
        return total

    def measure_row(self, i, w):
        """<x_i, w>, the sum of |x_ij w_j| and ||x_i||^2, in one read of the row."""
        row = self.values[i]
        total = 0.0
        sizes = 0.0
        squares = 0.0
        for j in range(row.size):
            x = np.float64(row[j])
            term = x * w[j]
            total += term
            sizes += abs(term)
            squares += x * x
        return total, sizes, squares

    def add_row(self, i, a, w):
        """Add a * x_i to w."""
        row = self.values[i]
        for j in range(row.size):
            w[j] += a * row[j]

    def add_row_to_both(self, i, a, w, c, v):
        """Add a * x_i to w and c * x_i to v, in one read of the row."""
        row = self.values[i]
        for j in range(row.size):
            w[j] += a * row[j]
            v[j] += c * row[j]

    def add_weighted_row(self, i, a, weights, out):
        """Add a * weights[j] * x_ij to out[j] for each column j."""
        row = self.values[i]
        for j in range(row.size):
            out[j] += a * weights[j] * row[j]

    def add_row_squares(self, i, a, out):
        """Add a * x_ij^2 to out[j] for each column j."""
        row = self.values[i]
        for j in range(row.size):
            x = np.float64(row[j])
            out[j] += a * x * x

    def squared_row_norm(self, i):
        """||x_i||^2."""
        row = self.values[i]
        total = 0.0
        for j in range(row.size):
            x = np.float64(row[j])
            total += x * x
        return total

    def weighted_square(self, i, weights):
        """The sum of weights[j] x_ij^2."""
        row = self.values[i]
        total = 0.0
        for j in range(row.size):
            x = np.float64(row[j])
            total += weights[j] * x * x
        return total

    def map_row(self, i, v, regularizer, w):
        """Set w[j] to regularizer.maximizer_coordinate(j, v[j]) for the columns j that row i touches."""
        for j in range(w.size):
            w[j] = regularizer.maximizer_coordinate(j, v[j])

    def add_gram(self, weights, out):
        """Add the sum of weights[i] x_i x_i^T to out, by BLAS on tiles (NumPy calls syrk for A^T A)."""
        values = self.values
        if values.dtype == np.float64 and weights.size and weights.min() == weights.max():  # no scaled copy is needed
            with np.errstate(all="ignore"):  # the solver looks at what overflowed
                out += np.float64(weights[0]) * (values.T @ values)
            return
        tile, rows = max(64, TILE_ENTRIES // max(1, self.values.shape[1])), np.flatnonzero(weights)
        some = rows.size < SOME_ROWS * weights.size
        buffer = np.empty((min(tile, weights.size), self.values.shape[1]))  # once: fresh pages cost as much as the work
        for first in range(0, rows.size if some else weights.size, tile):
            chosen = rows[first : first + tile] if some else slice(first, min(first + tile, weights.size))
            roots = np.sqrt(weights[chosen])
            with np.errstate(all="ignore"):
                scaled = np.multiply(values[chosen], roots[:, None], out=buffer[: roots.size])
                out += scaled.T @ scaled

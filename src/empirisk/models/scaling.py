"""Standardised columns, and weights folded back to the columns as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.designs import matrix_of, n_entries, rows_between
from empirisk.protocols import Array, Matrix, Vector
from empirisk.rows.protocol import RowBlock, Rows, RowVector
from empirisk.rows.vectors import row_sum

TILE_ENTRIES = 1 << 16
LEAST_SCALE = 1e-290


class Scaling(NamedTuple):
    """x -> (x - shift) / scale, column by column. Sparse data are scaled only (shift zero)."""

    shift: Vector
    scale: Vector

    def apply(self, X: Any) -> Any:
        """A scaled copy."""
        if scipy.sparse.issparse(X):
            rows = X.tocsr().astype(np.float64)
            rows.data = rows.data / self.scale[rows.indices]
            return rows
        scaled = np.array(X, dtype=np.float64, order="C")
        scaled -= self.shift
        scaled /= self.scale
        return scaled

    def fold(self, w: Array, b: Any) -> tuple[Array, Any]:
        """Weights for the columns as they were, from those for the scaled ones; a row and an intercept a class."""
        folded = w / self.scale
        return folded, b - self._offset(folded)

    def unfold(self, w: Array, b: Any) -> tuple[Array, Any]:
        """Weights for the scaled columns, from those for the columns as they were."""
        return w * self.scale, b + self._offset(w)

    def _offset(self, w: Array) -> float | Array:
        """<w, shift>, of each class; row by row, as a product of matrices rounds otherwise in another layout."""
        if w.ndim == 1:
            return float(w @ self.shift)
        return np.array([float(row @ self.shift) for row in np.ascontiguousarray(w)])


def scaling_of(rows: Rows, weights: RowVector, center: bool) -> Scaling:
    """Mean and standard deviation of each column under the sample weights; a constant column keeps its scale.

    A column is constant where its largest and smallest entries are equal, over the rows that have weight; entries that
    a sparse matrix does not store are zeros like others. The weights are empty where all are one. `center=False` leaves
    the shift at zero: without an intercept there is nothing to fold a shift into.

    In two passes after the extremes: the second one measures from the mean as the first one rounded it, and takes what
    that is off by out of the variance again (Chan, Golub and LeVeque, 1983).
    """
    d = rows.n_columns
    extremes = rows.each(_extremes, rows=(weights,))
    top, bottom = (reduce.reduce([found[k] for found in extremes]) for k, reduce in enumerate((np.maximum, np.minimum)))
    size = np.maximum(top, -bottom)
    # Moments of x / size: squares neither overflow nor vanish.
    unit = np.where(size > 0.0, size, 1.0)
    total = row_sum(rows, weights) if weights.size else float(rows.n_rows)
    (mean,), counts = rows.total(_add_means, unit, 1.0 / total, rows=(weights,), shape=(1, d))
    (off, variance, stored, present), _ = rows.total(
        _add_spread, unit, mean, 1.0 / total, rows=(weights,), shape=(4, d)
    )
    absent = np.where(present == sum(counts), 0.0, np.maximum(0.0, 1.0 - stored))
    off -= absent * mean
    deviation = np.sqrt(np.maximum(0.0, variance + absent * mean**2 - off**2))
    # Weights overflow when folded into a vanishing column.
    keeps_scale = (top == bottom) | (deviation * unit < LEAST_SCALE)
    shift = mean * unit if center and not rows.is_sparse else np.zeros(d)
    return Scaling(shift, np.where(keeps_scale, 1.0, deviation * unit))


def _extremes(block: RowBlock, weights: Vector) -> tuple[Vector, Vector]:
    """The largest and the smallest entry of each column, of the rows that have weight."""
    X = matrix_of(block.design)
    X = X if not weights.size or bool(np.all(weights > 0.0)) else X[np.flatnonzero(weights > 0.0)]
    if X.shape[0] == 0:
        return np.full(X.shape[1], -np.inf), np.full(X.shape[1], np.inf)
    top, bottom = X.max(axis=0), X.min(axis=0)
    if scipy.sparse.issparse(X):
        top, bottom = top.toarray(), bottom.toarray()
    return np.ravel(top).astype(np.float64), np.ravel(bottom).astype(np.float64)


def _add_means(block: RowBlock, unit: Vector, scale: float, weights: Vector, out: Matrix) -> int:
    """Of x / unit; the number of rows that have weight."""
    shares = _shares(block, scale, weights)
    for at, X in _tiles(block, unit):
        if scipy.sparse.issparse(X):
            out[0] += _column_sums(X, np.repeat(shares[at], np.diff(X.indptr)) * X.data)
        else:
            out[0] += shares[at] @ X
    return int(np.count_nonzero(shares))


def _add_spread(block: RowBlock, unit: Vector, mean: Vector, scale: float, weights: Vector, out: Matrix) -> None:
    """Sums of the distances from the mean and of their squares, of the shares, and of rows with weight, as stored."""
    shares = _shares(block, scale, weights)
    for at, X in _tiles(block, unit):
        if scipy.sparse.issparse(X):
            share, apart = np.repeat(shares[at], np.diff(X.indptr)), X.data - mean[X.indices]
            terms = (share * apart, share * apart**2, share, share > 0.0)
            out += [_column_sums(X, each) for each in terms]
        else:
            apart = X - mean
            out[0] += shares[at] @ apart
            out[1] += shares[at] @ apart**2
            out[2:] += np.array([[shares[at].sum()], [np.count_nonzero(shares[at])]])


def _tiles(block: RowBlock, unit: Vector) -> Iterator[tuple[slice, Any]]:
    """Where a tile is among the rows of the block, and x / unit: of few rows at a time, so that no copy is large."""
    design, n = block.design, block.design.n_rows()
    size = max(1, TILE_ENTRIES * n // max(1, n_entries(design)))
    for first in range(0, n, size):
        at = slice(first, min(first + size, n))
        X = matrix_of(rows_between(design, at.start, at.stop))
        if scipy.sparse.issparse(X):
            X = scipy.sparse.csr_array((X.data / unit[X.indices], X.indices, X.indptr), shape=X.shape)
            yield at, X
        else:
            yield at, X / unit


def _shares(block: RowBlock, scale: float, weights: Vector) -> Vector:
    return scale * weights if weights.size else np.full(block.design.n_rows(), scale)


def _column_sums(X: Any, terms: NDArray[Any]) -> Vector:
    """Of the terms of the stored entries."""
    return np.bincount(X.indices, terms, minlength=X.shape[1]).astype(np.float64, copy=False)

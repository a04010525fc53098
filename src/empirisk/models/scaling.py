"""Standardised columns, and weights folded back to the columns as they were."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.protocols import Array, Vector

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


def scaling_of(X: Any, weights: Vector | None, center: bool) -> Scaling:
    """Mean and standard deviation of each column under the sample weights; a constant column keeps its scale.

    A column is constant where its largest and smallest entries are equal, over the rows that have weight; entries that
    a sparse matrix does not store are zeros like others. `center=False` leaves the shift at zero: without an intercept
    there is nothing to fold a shift into.
    """
    n = X.shape[0]
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    is_sparse = scipy.sparse.issparse(X)
    top, bottom = _extremes(X, weights, is_sparse)
    size = np.maximum(top, -bottom)
    # Moments of x / size: squares neither overflow nor vanish.
    unit = np.where(size > 0.0, size, 1.0)
    mean, variance = _sparse_moments(X.tocsr(), share, unit) if is_sparse else _dense_moments(X, share, unit)
    deviation = np.sqrt(variance)
    # Weights overflow when folded into a vanishing column.
    keeps_scale = (top == bottom) | (deviation * unit < LEAST_SCALE)
    shift = mean * unit if center and not is_sparse else np.zeros(X.shape[1])
    return Scaling(shift, np.where(keeps_scale, 1.0, deviation * unit))


def _extremes(X: Any, weights: Vector | None, is_sparse: bool) -> tuple[Vector, Vector]:
    """The largest and the smallest entry of each column, of the rows that have weight."""
    rows = X if weights is None or bool(np.all(weights > 0.0)) else X[np.flatnonzero(weights > 0.0)]
    top, bottom = rows.max(axis=0), rows.min(axis=0)
    if is_sparse:
        top, bottom = top.toarray(), bottom.toarray()
    return np.ravel(top).astype(np.float64), np.ravel(bottom).astype(np.float64)


def _dense_moments(X: Any, share: Vector, unit: Vector) -> tuple[Vector, Vector]:
    """Mean and variance of each column, a tile of rows at a time: no copy of the data.

    In two passes: the second one measures from the mean as the first one rounded it, and takes what that is off by out
    of the variance again (Chan, Golub and LeVeque, 1983).
    """
    mean, variance, off = np.zeros((3, unit.size))
    step = max(1, TILE_ENTRIES // unit.size)
    for first in range(0, X.shape[0], step):
        mean += share[first : first + step] @ (X[first : first + step] / unit)
    for first in range(0, X.shape[0], step):
        apart = X[first : first + step] / unit - mean
        off += share[first : first + step] @ apart
        variance += share[first : first + step] @ apart**2
    return mean, np.maximum(0.0, variance - off**2)


def _sparse_moments(X: Any, share: Vector, unit: Vector) -> tuple[Vector, Vector]:
    """The same from the stored entries; the others are zero."""
    weights, values = np.repeat(share, np.diff(X.indptr)), X.data / unit[X.indices]

    def total(terms: NDArray[Any]) -> Vector:
        return np.bincount(X.indices, terms, minlength=unit.size).astype(np.float64, copy=False)

    mean = total(weights * values)
    is_full = total(weights > 0.0) == np.count_nonzero(share)
    absent = np.where(is_full, 0.0, np.maximum(0.0, 1.0 - total(weights)))
    apart = values - mean[X.indices]
    off = total(weights * apart) - absent * mean
    return mean, np.maximum(0.0, total(weights * apart**2) + absent * mean**2 - off**2)

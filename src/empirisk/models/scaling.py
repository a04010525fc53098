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

    `center=False` leaves the shift at zero: without an intercept there is nothing to fold a shift into.
    """
    n = X.shape[0]
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    is_sparse = scipy.sparse.issparse(X)
    top, bottom = X.max(axis=0), X.min(axis=0)
    if is_sparse:
        top, bottom = top.toarray(), bottom.toarray()
    size = np.maximum(top, -bottom).ravel().astype(np.float64)
    # Moments of x / size: squares neither overflow nor vanish.
    unit = np.where(size > 0.0, size, 1.0)
    mean, variance = _sparse_moments(X.tocsr(), share, unit) if is_sparse else _dense_moments(X, share, unit)
    deviation = np.sqrt(variance)
    # A constant column may come out as rounding noise, and weights overflow when folded into a vanishing one.
    keeps_scale = (deviation <= 1e-12) | (deviation * unit < LEAST_SCALE)
    shift = mean * unit if center and not is_sparse else np.zeros(X.shape[1])
    return Scaling(shift, np.where(keeps_scale, 1.0, deviation * unit))


def _dense_moments(X: Any, share: Vector, unit: Vector) -> tuple[Vector, Vector]:
    """Mean and variance of each column, a tile of rows at a time: no copy of the data."""
    mean, variance = np.zeros(unit.size), np.zeros(unit.size)
    step = max(1, TILE_ENTRIES // unit.size)
    for first in range(0, X.shape[0], step):
        mean += share[first : first + step] @ (X[first : first + step] / unit)
    for first in range(0, X.shape[0], step):
        variance += share[first : first + step] @ (X[first : first + step] / unit - mean) ** 2
    return mean, variance


def _sparse_moments(X: Any, share: Vector, unit: Vector) -> tuple[Vector, Vector]:
    """The same from the stored entries; the others are zero."""
    weights, values = np.repeat(share, np.diff(X.indptr)), X.data / unit[X.indices]

    def total(terms: NDArray[Any]) -> Vector:
        return np.bincount(X.indices, terms, minlength=unit.size).astype(np.float64, copy=False)

    mean = total(weights * values)
    is_full = total(weights > 0.0) == np.count_nonzero(share)
    absent = np.where(is_full, 0.0, np.maximum(0.0, 1.0 - total(weights)))
    return mean, total(weights * (values - mean[X.indices]) ** 2) + absent * mean**2

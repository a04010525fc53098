"""Standardised columns, and weights folded back to the columns as they were."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from empirisk.protocols import Vector


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

    def fold(self, w: Vector, b: float) -> tuple[Vector, float]:
        """Weights for the columns as they were, from those for the scaled ones."""
        folded = w / self.scale
        return folded, float(b - folded @ self.shift)

    def unfold(self, w: Vector, b: float) -> tuple[Vector, float]:
        """Weights for the scaled columns, from those for the columns as they were."""
        return w * self.scale, float(b + w @ self.shift)


def scaling_of(X: Any, weights: Vector | None, center: bool) -> Scaling:
    """Mean and standard deviation of each column under the sample weights; a constant column keeps its scale.

    `center=False` leaves the shift at zero: without an intercept there is nothing to fold a shift into.
    """
    share = None if weights is None else weights / weights.sum()
    if scipy.sparse.issparse(X):
        rows = X.tocsr()
        rows = rows if share is None else scipy.sparse.diags_array(share) @ rows
        total = X.shape[0] if share is None else 1.0
        mean = np.asarray(rows.sum(axis=0)).ravel() / total
        squares = np.asarray(rows.multiply(X).sum(axis=0)).ravel() / total
        scale = np.sqrt(np.maximum(squares - mean * mean, 0.0))
        shift = np.zeros(X.shape[1])
    else:
        values = np.asarray(X)
        shift = np.average(values, axis=0, weights=share).astype(np.float64)
        scale = np.sqrt(np.average((values - shift) ** 2, axis=0, weights=share))
    # A constant column may come out as rounding noise; dividing by that would blow it up.
    largest = abs(X).max(axis=0)
    size = (largest.toarray() if scipy.sparse.issparse(largest) else np.asarray(largest)).ravel()
    scale = np.where((scale <= 1e-12 * size) | ~np.isfinite(scale), 1.0, scale)
    return Scaling(shift if center else np.zeros_like(shift), scale)

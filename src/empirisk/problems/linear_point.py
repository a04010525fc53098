"""The point of a linear predictor: weights, intercept, and the evidence that goes with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.moments import Moments
from empirisk.protocols import Array
from empirisk.rows.protocol import RowVector


class LinearPoint(NamedTuple):
    """Weights and intercept: d and a float for one score a row, K x d and K of them for many classes.

    Evidence, for certificates: the dual variables that a method has (a row vector, of many classes a tuple of them; nan
    where they follow from the scores), or the moments of the data for a squared loss.
    """

    weights: NDArray[np.float64]
    intercept: Any = 0.0
    evidence: RowVector | Moments | None = None

    @property
    def dual(self) -> RowVector | None:
        """The dual variables, where they are the evidence."""
        return None if isinstance(self.evidence, Moments) else self.evidence

    @classmethod
    def of(cls, x: Array) -> LinearPoint:
        """The point of one array: d + 1 floats, or (d + 1) x K, with the intercepts last."""
        return cls(x[:-1].T, x[-1].copy() if x.ndim > 1 else float(x[-1]))

    def stacked(self) -> Array:
        """Weights and intercept in one array, as `passes` have them."""
        return np.concatenate((self.weights.T, [self.intercept]))

    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """Weights and intercept."""
        return np.asarray(self.weights), np.asarray(self.intercept, dtype=np.float64)

    def copy(self) -> LinearPoint:
        """In arrays of its own, without evidence."""
        b = self.intercept
        return LinearPoint(self.weights.copy(), b.copy() if isinstance(b, np.ndarray) else b)


def point_like(zero: LinearPoint, given: Any, fit_intercept: bool) -> LinearPoint:
    """What a user gave as (weights, intercept), in the shapes of `zero`; the intercept of zero where none is fitted."""
    try:
        weights, intercept, *_ = given
        weights, intercept = np.array(weights, dtype=np.float64), np.array(intercept, dtype=np.float64)
        fits = weights.shape == zero.weights.shape and intercept.shape == np.shape(zero.intercept)
        fits = fits and bool(np.all(np.isfinite(weights))) and bool(np.all(np.isfinite(intercept)))
    except (TypeError, ValueError):
        fits = False
    if not fits:
        wanted = f"{' x '.join(map(str, zero.weights.shape))} finite weights and {np.size(zero.intercept)} finite"
        raise ValueError(f"start must be a pair (weights, intercept) of {wanted} intercept(s), got {given!r:.100}")
    if not fit_intercept:
        return LinearPoint(weights, zero.intercept)
    return LinearPoint(weights, intercept if intercept.ndim else float(intercept))

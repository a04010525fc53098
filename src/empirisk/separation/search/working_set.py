"""Some of the points, copied, centred and scaled so that linear algebra on them is at ease.

Whether points can be separated, and which multiples of them sum to zero, does not change when every column is divided
by a number, nor, with an intercept, when a number is taken from it. Factors are powers of two: they round nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.long_products import LongVector
from empirisk.designs import CSR, Dense, as_design
from empirisk.designs.transposed import scaled_rows
from empirisk.protocols import Vector
from empirisk.separation.points import Points
from empirisk.separation.search.frame import Frame

LARGEST = 1000  # binary exponent of weights, well within what floats hold


class WorkingSet(NamedTuple):
    """These rows of the points: (X - centers) diag(2^powers), with coordinate `lift` for the intercept (or 0)."""

    rows: NDArray[np.int64]
    design: Dense | CSR
    y: Vector
    powers: NDArray[np.int64]
    centers: Vector  # zero for sparse data and without an intercept
    lift: float
    frame: Frame | None = None  # the rows are in its coordinates, without centers, powers and lift

    def long_plane(self, w: Vector) -> LongVector | None:
        """The plane of the data that is w here, exactly, where floats may be too coarse for it."""
        return None if self.frame is None or np.all(self.frame.is_plain) else self.frame.vector(w)

    def plane(self, w: Vector, b: float) -> tuple[Vector, float]:
        """The plane of the data that is (w, b) here, or that times a power of two where floats end."""
        if self.frame is not None:
            return self.frame.plane(w)
        over = max(0, int((np.frexp(w)[1] + self.powers).max()) - LARGEST)
        weights = np.ldexp(w, self.powers - over)
        return weights, math.ldexp(b, -over) - float(weights @ self.centers) if self.lift > 0.0 else 0.0


def working_set(points: Points, rows: NDArray[np.int64]) -> WorkingSet:
    """Copy these rows."""
    d, lift = points.n_columns, float(points.fit_intercept)
    if isinstance(points.design, CSR):
        plain: Any = scaled_rows(points.design, rows, np.ones(d))
        largest = np.zeros(d)
        np.maximum.at(largest, plain.indices, np.abs(plain.values))
        powers = _powers(largest)
        plain.values.flags.writeable = True  # a copy of our own
        plain.values[:] = np.ldexp(plain.values, powers[plain.indices])
        plain.values.flags.writeable = False
        return WorkingSet(rows, plain, points.y[rows], powers, np.zeros(d), lift)
    values = points.design.values[rows].astype(np.float64)
    centers = np.zeros(d)
    if points.fit_intercept:
        # Halves before the sum: two numbers near the largest would overflow.
        centers = 0.5 * values.min(axis=0) + 0.5 * values.max(axis=0)
        values -= centers
    powers = _powers(np.abs(values).max(axis=0))
    return WorkingSet(rows, as_design(np.ldexp(values, powers)), points.y[rows], powers, centers, lift)


def framed_set(points: Points, rows: NDArray[np.int64], frame: Frame) -> WorkingSet:
    """These rows in the coordinates of a frame."""
    width = len(frame.vectors)
    powers = np.zeros(width, np.int64)
    return WorkingSet(rows, as_design(frame.values), points.y[rows], powers, np.zeros(width), 0.0, frame)


def _powers(largest: Vector) -> NDArray[np.int64]:
    """Of two, that bring these sizes between 1/2 and 1; 0 for zero."""
    return -np.frexp(np.where(largest > 0.0, largest, 0.5))[1].astype(np.int64)

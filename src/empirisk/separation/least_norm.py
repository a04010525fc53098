"""Both ends of the least norm of a plane with y (<w, x> + b) >= 1: from shares of points below, from a plane above."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.protocols import Vector
from empirisk.separation.margins_with_rounding import combination_norm
from empirisk.separation.plane import Separation
from empirisk.separation.points import Points


def parts_of_one(points: Points, rows: NDArray[np.int64], augmented: bool) -> list[NDArray[np.int64]]:
    """Places of the rows whose shares sum to 1: all of them, or those of each class."""
    if augmented or not points.fit_intercept:
        return [np.arange(rows.size)]
    return [np.flatnonzero(points.y[rows] == sign) for sign in (-1.0, 1.0)]


def norm_from_shares(points: Points, rows: NDArray[np.int64], shares: Vector, augmented: bool, room: float) -> float:
    """A lower bound of the least norm."""
    is_free = points.fit_intercept and not augmented
    # Where b is free, the shares of both classes have the same exact sum: no coordinate is left of the intercept.
    norm = combination_norm(points._replace(fit_intercept=False) if is_free else points, rows, shares, room)
    low = (2.0 if is_free else 1.0) / norm * (1.0 - 4.0 * room * UNIT) if norm > 0.0 else 0.0
    return low if math.isfinite(low) else 0.0  # numbers near the smallest there are show nothing


def norm_from_plane(plane: Separation, augmented: bool) -> float:
    """An upper bound of the least norm: that of the plane divided by its least margin."""
    return plane.b_high if augmented or not plane.fit_intercept else 1.0 / plane.affine_margin * (1.0 + 2.0 * UNIT)

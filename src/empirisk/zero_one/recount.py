"""The errors of a plane, counted in exact arithmetic: a float filter with an error bound, integers where it fails."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import matrix_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import exact_margins

ROUNDING = 2.0**-52
SMALLEST = 1e-300  # products below it may have lost their digits


def wrong_rows(points: Points, w: Vector, b: float) -> NDArray[np.bool_]:
    """Which rows have y (<w, x> + b) <= 0: points on the plane are errors."""
    matrix: Any = matrix_of(points.design)
    w = np.asarray(w, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what overflows is left to the integers
        margins = points.y * (np.asarray(matrix @ w, dtype=np.float64) + b)
        sizes = np.asarray(abs(matrix) @ np.abs(w), dtype=np.float64) + abs(b)
        allowance = ROUNDING * (w.size + 4) * sizes + SMALLEST * (w.size + 1)
        is_wrong = margins <= 0.0
        is_clear = np.abs(margins) > allowance
    unclear = np.flatnonzero(~is_clear)
    exact = exact_margins(points, unclear.tolist(), w, b)
    is_wrong[unclear] = np.fromiter((margin <= 0 for margin in exact), bool, unclear.size)
    return is_wrong


def lost_weight(is_wrong: NDArray[np.bool_], weights: Vector) -> Fraction:
    """The sum of the weights of the wrong rows."""
    return sum((Fraction(s) for s in weights[is_wrong].tolist()), Fraction(0))

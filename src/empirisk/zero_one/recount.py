"""The errors of a plane, counted in exact arithmetic: a float filter with an error bound, integers where it fails.

Where plane and points are whole numbers, as score cards are, ties abound and floats are exact already.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import matrix_of
from empirisk.designs.as_design import stored_values
from empirisk.protocols import Vector
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import exact_margins

ROUNDING = 2.0**-52
AT_A_TIME = 1 << 16  # entries of rows
SMALLEST = 1e-300  # products below it may have lost their digits


def wrong_rows(points: Points, w: Vector, b: float) -> NDArray[np.bool_]:
    """Which rows have y (<w, x> + b) <= 0: points on the plane are errors."""
    return signs_of_margins(points, w, b) <= 0


def signs_of_margins(points: Points, w: Vector, b: float) -> NDArray[np.int8]:
    """The signs of y (<w, x> + b)."""
    matrix: Any = matrix_of(points.design)
    w = np.asarray(w, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what overflows is left to the integers
        scores, sizes = _scores_and_sizes(matrix, w, b)
        margins = points.y * scores
        is_clear = np.abs(margins) > _allowance(sizes, w)
        near = np.flatnonzero(~is_clear)
        sizes = np.asarray(abs(matrix[near]) @ np.abs(w), dtype=np.float64) + abs(b)
        is_clear[near] = np.abs(margins[near]) > _allowance(sizes, w)
    signs = (margins > 0.0).astype(np.int8) - (margins < 0.0)
    unclear = np.flatnonzero(~is_clear)
    if unclear.size and _sums_are_exact(stored_values(points.design), w, b, sizes):
        signs[unclear] = np.sign(margins[unclear])
    else:
        exact = exact_margins(points, unclear.tolist(), w, b)
        signs[unclear] = np.fromiter(((margin > 0) - (margin < 0) for margin in exact), np.int8, unclear.size)
    return signs


def _scores_and_sizes(matrix: Any, w: Vector, b: float) -> tuple[Vector, Vector]:
    """<w, x> + b, and at least |b| + the sum of |w_j x_j|: by the largest entry of as many rows as a cache holds."""
    n, is_dense = matrix.shape[0], isinstance(matrix, np.ndarray)
    total = float(np.abs(w).sum()) * (1.0 + w.size * ROUNDING)
    scores, sizes = np.empty(n), np.empty(n)
    step = max(1, AT_A_TIME // w.size) if is_dense else n
    for first in range(0, n, step):
        part = slice(first, first + step)
        some = matrix[part] if is_dense else matrix
        values = some if is_dense else matrix.data
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        scores[part] = some @ w
        sizes[part] = largest * total
    return scores + b, sizes + abs(b)


def _allowance(sizes: Vector, w: Vector) -> Vector:
    """What rounding can have changed."""
    return ROUNDING * (w.size + 4) * sizes + SMALLEST * (w.size + 1)


def _sums_are_exact(values: Any, w: Vector, b: float, sizes: Vector) -> bool:
    """Whether all numbers are whole and all sums of their sizes below 2^53: then nothing was rounded."""
    is_whole = b == np.rint(b) and bool(np.all(w == np.rint(w))) and bool(np.all(values == np.rint(values)))
    return is_whole and bool(sizes.max() < 2.0**53)


def lost_weight(is_wrong: NDArray[np.bool_], weights: Vector) -> Fraction:
    """The sum of the weights of the wrong rows."""
    return sum((Fraction(s) for s in weights[is_wrong].tolist()), Fraction(0))

"""Rounded weights that prove exact ones: for sets too large for exact arithmetic.

Let A be the k - 1 coordinates of k points, lambda > 0 rounded weights, r = A lambda, M the points but one, and R about
the inverse of M. If q = ||I - M R|| < 1 in the largest row sum, then M R is invertible, A has rank k - 1, and
lambda - R (M R)^-1 r, with the weight of the one point as it is, sums the points to zero exactly. Its distance from
lambda is at most |R| e ||r|| / (1 - q), e = (1, ..., 1). Where that is less than lambda there are exact positive
weights, and no point can be left out, as the rank is k - 1. (Rump, Verification methods, Acta Numerica 19, 2010.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from empirisk.arithmetic.floating_point import UNIT
from empirisk.arithmetic.integer_points import IntegerPoints, weighted_sum
from empirisk.protocols import Vector

MOST_POINTS = 3000  # four square matrices of that size
WIDEST = 900  # powers of two from the smallest to the largest entry of a coordinate, beyond which floats underflow
TINY = 1e-280  # more than all products that underflow


def has_exact_weights(points: IntegerPoints, weights: Sequence[int], room: float) -> bool:
    """Whether positive weights that sum the points to zero exactly are proven to be near these integers.

    Only where there is one coordinate less than points. `room` is a factor on the distance.
    """
    count = len(weights)
    if points.n_coordinates != count - 1 or not 1 < count <= MOST_POINTS:
        return False
    powers = _powers(points)
    if powers is None:
        return False
    matrix = np.zeros((count - 1, count))
    for i, (coordinates, values) in enumerate(zip(points.coordinates, points.values, strict=True)):
        matrix[list(coordinates), i] = [v / (1 << powers[c]) for c, v in zip(coordinates, values, strict=True)]
    whole = max(weights)
    rest = max(
        (float(Fraction(abs(t), whole << e)) for t, e in zip(weighted_sum(points, weights), powers, strict=True)),
        default=0.0,
    )
    sizes = np.array([weight / whole for weight in weights])
    others = np.flatnonzero(np.arange(count) != int(np.argmax(sizes)))
    distances = _distances(matrix[:, others], rest)
    return distances is not None and bool(np.all(room * distances < sizes[others]))


def _powers(points: IntegerPoints) -> list[int] | None:
    """Of two, for each coordinate, to which its entries are at most 1, and exact as floats."""
    sizes: list[list[int]] = [[] for _ in range(points.n_coordinates)]
    for coordinates, values in zip(points.coordinates, points.values, strict=True):
        for c, value in zip(coordinates, values, strict=True):
            sizes[c].append(value.bit_length())
    is_narrow = all(size and max(size) - min(size) < WIDEST for size in sizes)
    return [max(size) for size in sizes] if is_narrow else None


def _distances(square: Vector, rest: float) -> Vector | None:
    """Upper bounds of the entries of |square^-1 r| for all r of size <= rest; None where nothing is proven."""
    scales = np.ldexp(1.0, -np.frexp(np.abs(square).max(axis=0))[1])
    square = square * scales
    try:
        inverse = np.linalg.inv(square)
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.isfinite(inverse)):
        return None
    n = len(square)
    rows = np.abs(inverse).sum(axis=1)
    off = 1.1 * (n + 3) * UNIT  # of a dot product, and of a sum of n numbers that are not negative
    rounding = off * (np.abs(square) @ rows + 1.0) + n * TINY
    defect = np.abs(np.eye(n) - square @ inverse).sum(axis=1) + rounding
    q = float(defect.max()) * (1.0 + 4.0 * off)
    if not q < 0.5:
        return None
    return scales * rows * (rest * (1.0 + 8.0 * off) / (1.0 - q) + TINY)

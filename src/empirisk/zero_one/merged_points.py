"""The points of an exact problem: copies merged, weights as whole numbers of a unit.

Rows with the same x are one point. Where both labels occur the lighter side is lost whatever the plane: it goes to
`base`, and the difference stays with the heavier label. A zero row of the homogeneous problem is lost too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.floats_as_integers import times_power_of_two, to_integers
from empirisk.designs import as_design, matrix_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points

LARGEST_TOTAL = 2**61  # of the weights in units: sums of them fit int64
LARGEST_SIZE = 20_000_000  # entries of the dense copy of the points


class MergedPoints(NamedTuple):
    """Points z = y (x, 1), or y x, after equal ones were merged: no two have the same x, and weights add up."""

    z: NDArray[np.float64]  # m x D
    weights: NDArray[np.int64]  # in units, positive
    rows: NDArray[np.int64]  # a row of X that is this point
    base: int  # the weight, in units, that every plane loses
    total: int  # the weight of all rows, in units
    exponent: int  # the unit is 2^exponent

    @property
    def n_points(self) -> int:
        """The number of points."""
        return int(self.z.shape[0])

    def as_points(self) -> Points:
        """The z_i themselves, to be had all on the right side of a plane through the origin."""
        return Points(as_design(self.z), np.ones(self.n_points), False, np.array([-1, 1]))

    def in_weight(self, units: int) -> Fraction:
        """A number of units as a weight."""
        return times_power_of_two(units, self.exponent)


def merge_points(points: Points, sample_weight: Vector) -> MergedPoints:
    """Merge the points of positive weight."""
    n, d = points.n_rows, points.n_columns
    if n * d > LARGEST_SIZE:
        raise ValueError(f"X has {n} x {d} entries: exact minimisation takes at most {LARGEST_SIZE} of them")
    matrix = matrix_of(points.design)
    x = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64) + 0.0  # no -0.0
    units, exponent = in_units(sample_weight)
    kept = [i for i, unit in enumerate(units) if unit > 0]
    places = _places(x[kept])
    sides: dict[int, list[int]] = {}  # by x: weight below and above, a row of each
    for i, place in zip(kept, places.tolist(), strict=True):
        side = sides.setdefault(place, [0, 0, -1, -1])
        k = int(points.y[i] > 0.0)
        side[k] += units[i]
        side[2 + k] = i if side[2 + k] < 0 else side[2 + k]
    base, chosen = 0, []
    for _, (below, above, row_below, row_above) in sorted(sides.items()):  # by x: the order of the rows does not matter
        row = row_above if above > below else row_below
        is_lost = not points.fit_intercept and not bool(np.any(x[row]))
        base += below + above if is_lost else min(below, above)
        if not is_lost and below != above:
            chosen.append((row, abs(above - below)))
    rows = np.array([row for row, _ in chosen], dtype=np.int64)
    z = np.hstack([x[rows], np.ones((rows.size, 1))]) if points.fit_intercept else x[rows]
    return MergedPoints(
        z=np.ascontiguousarray(z * points.y[rows][:, None]),
        weights=np.array([weight for _, weight in chosen], dtype=np.int64),
        rows=rows,
        base=base,
        total=sum(units),
        exponent=exponent,
    )


def _places(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of each row among the distinct ones, in lexicographic order; columns are read until all rows differ."""
    places, count = np.zeros(x.shape[0], dtype=np.int64), min(1, x.shape[0])
    for column in x.T:
        if count == x.shape[0]:
            break
        distinct, ranks = np.unique(column, return_inverse=True)
        found, places = np.unique(places * distinct.size + ranks, return_inverse=True)
        count = found.size
    return places


def in_units(weights: Vector) -> tuple[list[int], int]:
    """Whole numbers u_i and an exponent e with u_i 2^e <= s_i: equal where the sum stays below LARGEST_TOTAL."""
    units, exponent = to_integers(weights.tolist())
    excess = max(0, sum(units).bit_length() - LARGEST_TOTAL.bit_length() + 1)
    return [unit >> excess for unit in units], exponent + excess

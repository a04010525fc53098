"""A conflicting set of points of which none can be left out, from about the right weights.

Floating point proposes the set, exact arithmetic decides: see `reduction`, `exact_program` and
`arithmetic/integer_null_space.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import rounded_up
from empirisk.arithmetic.enclosure import has_exact_weights
from empirisk.arithmetic.floats_as_integers import times_power_of_two
from empirisk.arithmetic.integer_null_space import null_vector
from empirisk.arithmetic.integer_points import IntegerPoints, some_points, weighted_sum
from empirisk.arithmetic.long_products import LongVector, long_fractions
from empirisk.protocols import Vector
from empirisk.separation.conflicts.exact_program import MOST_WORK, ExactConflict, decide
from empirisk.separation.conflicts.reduction import dependent_in_one_way, few_points, refined
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import integer_points, row_entries

MOST_EXACT = 400  # points with exact weights; more keep rounded ones, and a delta
MOST_ASKED = 5000  # rows, with those of weight zero
MOST_RESIDUAL = 1e-6  # of the sum of points of norm 1, above which weights do not even nearly sum to zero
MOST_MOVED = 1e-9  # of the largest entry of its column, by which a coordinate may be moved
ROOM = 4.0  # times the distance to exact weights: a checker whose sums round otherwise still proves them
WEIGHT_BITS = 80  # of the largest of the rounded weights


class Conflict(NamedTuple):
    """sum_k weights_k z_{rows_k} = 0, all weights > 0: exactly, or after moving no coordinate by more than delta."""

    rows: tuple[int, ...]  # increasing
    weights: tuple[int, ...]  # without a common factor
    delta: float = 0.0
    relative_delta: float = 0.0
    is_enclosed: bool = False  # rounded weights, but exact positive ones are proven to be near them


class Moves(NamedTuple):
    """By how much coordinates must be moved for weighted points to sum to zero; both rounded up."""

    delta: float
    relative_delta: float  # to the largest entry of the column among the points


@np.errstate(all="ignore")  # what overflows is not decided
def conflict_from(points: Points, rows: Any, multipliers: Any, by_pivots: bool = True) -> Conflict | None:
    """A conflict among these rows of which no point can be left out, given weights that sum them up to about zero.

    The weights (multipliers of a program, say) may be noisy and many; rows of weight zero are asked only where the
    others are not in conflict exactly. Up to MOST_EXACT points the answer is exact or None; of more the weights are
    rounded, and None means that a coordinate would move by more than MOST_MOVED of its column. Without `by_pivots` it
    takes little time, and None where these very points are not in conflict.
    """
    chosen, weights = _given(points, rows, multipliers)
    if not points.fit_intercept:
        zero = next((i for i in chosen.tolist() if not row_entries(points, i)[0]), None)
        if zero is not None:
            return Conflict((zero,), (1,))
    if not np.any(weights > 0.0):
        return None
    kept, shares, residual = few_points(points, chosen, weights)
    if kept.size > MOST_EXACT:
        return _moved(points, kept, shares)
    integers = integer_points(points, kept.tolist())
    members = dependent_in_one_way(integers, shares)
    if members is not None:
        exact = null_vector(some_points(integers, members))
        if exact is not None and min(exact) >= 0:
            return _conflict(kept[members].tolist(), exact)
    if residual > MOST_RESIDUAL or not by_pivots:
        return None
    verdict = exact_verdict(points, [*kept.tolist(), *np.setdiff1d(chosen, kept).tolist()])
    return verdict if isinstance(verdict, Conflict) else None


def exact_verdict(points: Points, rows: Sequence[int], most_work: int = MOST_WORK) -> Conflict | LongVector | None:
    """A conflict among these rows, or a plane (w, b) that separates them, to many digits; None: too much work.

    By pivots on integers, about `most_work` of them; rows that come first are the first basis.
    """
    integers = integer_points(points, rows)
    found = decide(integers, most_work)
    if found is None:
        return None
    if isinstance(found, ExactConflict):
        return _conflict([rows[m] for m in found.members], found.weights)
    plane = [u * times_power_of_two(1, -e) for u, e in zip(found.plane, (*integers.exponents, 0), strict=False)]
    places = [*integers.columns, points.n_columns]
    return long_fractions({j: u for j, u in zip(places, plane, strict=False) if u}).within_floats()


def moves(integers: IntegerPoints, weights: Sequence[int], fit_intercept: bool) -> Moves | None:
    """How far coordinates of X move if each of column j moves by |sum_i weights_i z_ij| / sum_i weights_i.

    None where no move helps, as the labels themselves do not sum to zero.
    """
    totals = weighted_sum(integers, weights)
    if fit_intercept and totals.pop() != 0:
        return None
    whole = sum(weights)
    largest = [0] * integers.n_coordinates
    for coordinates, values in zip(integers.coordinates, integers.values, strict=True):
        for c, value in zip(coordinates, values, strict=True):
            largest[c] = max(largest[c], abs(value))
    shifts = [Fraction(abs(total), whole) for total in totals]
    scaled = [shift * times_power_of_two(1, e) for shift, e in zip(shifts, integers.exponents, strict=True) if shift]
    relative = [shift / size for shift, size in zip(shifts, largest, strict=False) if shift]
    return Moves(rounded_up(max(scaled, default=Fraction(0))), rounded_up(max(relative, default=Fraction(0))))


def _given(points: Points, rows: Any, multipliers: Any) -> tuple[NDArray[np.int64], Vector]:
    """Rows, each once, and their weights, those that are not positive numbers as zero; of many rows only the others."""
    chosen, weights = np.asarray(rows, dtype=np.int64).ravel(), np.asarray(multipliers, dtype=np.float64).ravel()
    if chosen.size != weights.size:
        raise ValueError(f"there are {chosen.size} rows and {weights.size} multipliers: they must be as many")
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < points.n_rows:
        raise ValueError(f"rows must be from 0 to {points.n_rows - 1}")
    weights = np.where(np.isfinite(weights) & (weights > 0.0), weights, 0.0)
    if chosen.size > MOST_ASKED:
        chosen, weights = chosen[weights > 0.0], weights[weights > 0.0]
    unique, places = np.unique(chosen, return_inverse=True)
    return unique, np.bincount(places.ravel(), weights, unique.size).astype(np.float64)


def _conflict(rows: Sequence[int], weights: Sequence[int]) -> Conflict:
    """In the order of the rows, without those of weight zero: what is left still depends in one way only."""
    used = sorted((row, weight) for row, weight in zip(rows, weights, strict=True) if weight)
    return Conflict(tuple(row for row, _ in used), tuple(weight for _, weight in used))


def _moved(points: Points, rows: NDArray[np.int64], shares: Vector) -> Conflict | None:
    """The weights rounded to integers, the lighter side of the affine case made as heavy as the other."""
    ordered = np.sort(rows)
    weights = refined(points, ordered, shares[np.argsort(rows)])
    scaled = [int(x) for x in np.ldexp(weights / weights.max(), WEIGHT_BITS).tolist()]
    if points.fit_intercept:
        signs = points.y[ordered].astype(np.int64).tolist()
        surplus = sum(sign * weight for sign, weight in zip(signs, scaled, strict=True))
        lighter = [k for k, sign in enumerate(signs) if sign * surplus < 0]
        if surplus and not lighter:
            return None
        if surplus:
            scaled[max(lighter, key=lambda k: scaled[k])] += abs(surplus)
    used = [k for k, weight in enumerate(scaled) if weight]
    common = math.gcd(*scaled)
    final, kept = [scaled[k] // common for k in used], ordered[used].tolist()
    integers = integer_points(points, kept)
    moved = moves(integers, final, points.fit_intercept)
    if moved is None or not moved.relative_delta <= MOST_MOVED:
        return None
    return Conflict(tuple(kept), tuple(final), *moved, has_exact_weights(integers, final, ROOM))

"""A lower bound for any number of columns: conflicts that share no point, or share points by fractions.

Each conflict costs every plane at least one of its points. With shares y_S >= 0 of conflicts S such that the shares at
each point sum to at most its weight, every plane loses at least sum_S y_S (the dual of the linear program for the
lightest set of points that hits all conflicts). Conflicts are found in rounds: points of the conflicts found so far
are taken out until the rest is separable; the linear program's prices say which points to leave to later rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse

from empirisk.arithmetic.linear_programs import solve_linear_program
from empirisk.protocols import Matrix, Vector
from empirisk.separation.search.frame import Frame, fits_frame, frame_of, is_near_singular
from empirisk.zero_one.budget import Budget
from empirisk.zero_one.evidence import Evidence, Packing
from empirisk.zero_one.merged_points import MergedPoints
from empirisk.zero_one.nearest_point import CONFLICT, SEPARATED, empty_hull, nearest_point

SHRINK = 1.0 - 1e-9  # of the shares, so that they fit in exact arithmetic
PATIENCE = 6  # rounds without a better bound
STEPS_A_COLUMN = 10
MOST_AT_ONCE = 2000  # points among which a conflict is looked for first
ROUNDING = 2.0**-50


class Scaled(NamedTuple):
    """Points with columns and rows of like sizes, for floating point; columns that nearly depend on others replaced."""

    a: Matrix
    powers: np.ndarray  # of two, that the rows were divided by
    columns: np.ndarray  # of two, that the columns were divided by before
    norms: Vector
    blur: Vector
    frame: Frame | None  # coordinates that the columns were replaced by, before both

    def direction(self, u: Vector) -> Vector:
        """Of the points as they are, about what u is here."""
        here = np.ldexp(u, -self.columns)
        return here if self.frame is None else self.frame.rounded(here)


def scaled_points(merged: MergedPoints, may_replace: bool = False) -> Scaled:
    """Every column, then every row, divided by a power of two near its largest entry.

    Conflicts ask for columns that are far from dependent, and they `may_replace` others; no float may hold the planes.
    """
    is_asked = may_replace and fits_frame(merged.z.shape) and is_near_singular(merged.z)
    frame = frame_of(merged.z) if is_asked else None
    z = merged.z if frame is None else frame.values
    columns = np.frexp(np.max(np.abs(z), axis=0))[1]
    a = np.ldexp(z, -columns[None, :])
    powers = np.frexp(np.max(np.abs(a), axis=1))[1]
    a = np.ascontiguousarray(np.ldexp(a, -powers[:, None]))
    norms = np.maximum(np.sqrt(np.sum(a * a, axis=1)), 1e-300)
    return Scaled(a, powers, columns, norms, ROUNDING * a.shape[1] * norms, frame)


def find_packing(
    merged: MergedPoints, evidence: Evidence, budget: Budget, target: int, seed: int
) -> tuple[Packing, list[Vector]]:
    """The best packing of the rounds, and directions (in the columns of z) that separate what they left."""
    scaled = scaled_points(merged, may_replace=True)
    hull = empty_hull(scaled.a.shape[1], merged.n_points)
    draw = np.random.default_rng(seed)
    steps = STEPS_A_COLUMN * (min(scaled.a.shape) + 5)
    best, prices = _best_shares(merged, evidence)
    loss, planes, waited = best.loss(merged), [], 0
    while waited < PATIENCE and loss < target and not budget.is_spent():
        order = np.argsort(prices + 1e-3 * draw.random(merged.n_points), kind="stable")
        is_left = np.ones(merged.n_points, dtype=bool)
        size = max(1, min(MOST_AT_ONCE, merged.n_points // 4 if waited and np.any(prices) else merged.n_points))
        while not budget.is_spent():
            subset = order[is_left[order]]
            subset = subset[: max(size, scaled.a.shape[1] + 1)]
            outcome = nearest_point(scaled.a, scaled.norms, scaled.blur, subset, subset.size, hull, steps)
            if outcome == CONFLICT:
                members = hull.members[: hull.filled[0]].copy()
                shares = hull.shares[: hull.filled[0]] / scaled.norms[members]
                powers = scaled.powers[members]
                evidence.find_conflict(members, np.ldexp(shares, powers.min() - powers))
                is_left[members] = False
            elif subset.size < np.count_nonzero(is_left):
                size = min(2 * size, merged.n_points)
            else:
                if outcome == SEPARATED:
                    planes.append(scaled.direction(hull.x))
                break
        found, prices = _best_shares(merged, evidence)
        now = found.loss(merged)
        waited = waited + 1 if now <= loss else 0
        best, loss = (found, now) if now > loss else (best, loss)
    return best, planes


def _best_shares(merged: MergedPoints, evidence: Evidence) -> tuple[Packing, Vector]:
    """The shares of all conflicts that sum to most, and the price of each point."""
    count = len(evidence.conflicts)
    if not count:
        return Packing((), ()), np.zeros(merged.n_points)
    arrays = evidence.conflict_arrays
    sizes = arrays.sizes[:count]
    members = np.concatenate([arrays.members[k, : sizes[k]] for k in range(count)])
    place = np.repeat(np.arange(count), sizes)
    matrix = scipy.sparse.csr_array((np.ones(members.size), (members, place)), shape=(merged.n_points, count))
    largest = float(merged.weights.max())
    room = merged.weights / largest
    answer = solve_linear_program(-np.ones(count), A_ub=matrix, b_ub=room, bounds=(0.0, None), method="highs")
    if answer.x is None:
        return Packing((), ()), np.zeros(merged.n_points)
    shares = np.maximum(answer.x, 0.0) * SHRINK * largest
    kept = [k for k in range(count) if shares[k] > 0.0]
    packing = Packing(tuple(evidence.conflicts[k] for k in kept), tuple(float(shares[k]) for k in kept))
    return packing, np.maximum(-answer.ineqlin.marginals, 0.0)

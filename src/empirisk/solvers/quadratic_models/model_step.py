"""One step of the proximal Newton method on some of the columns: a model, its minimiser, a line search."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import loss_at, shares
from empirisk.protocols import Vector
from empirisk.solvers.quadratic_models.damped_hessian import bend_of
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty

ARMIJO = 0.01  # of the fall that the model's slope promises
SHORTEST, LONGEST = 1e-9, 1e9  # steps of the line search
LEAST_CURVED = 1e-3  # of the smoothness: below, the mean curvature tells nothing
DAMPING, LEAST_DAMPING = 0.01, 1e-4  # the first one above zero, and the last
ROUNDING = 1e-15  # of the objective


class Place(NamedTuple):
    """A point, and what the loss says there."""

    w: Vector
    b: float
    scores: Vector
    slopes: Vector  # (s_i / S) loss'(z_i)
    curvatures: Vector  # (s_i / S) loss''(z_i)
    slope: float  # of the intercept: the sum of the slopes; 0 without one
    risk: float


def place_of(problem: EmpiricalRisk, w: Vector, b: float, scores: Vector) -> Place:
    """Evaluate the loss at these scores."""
    risk, slopes, curvatures = loss_at(problem, scores)
    return Place(w, b, scores, slopes, curvatures, float(slopes.sum()) if problem.fit_intercept else 0.0, risk)


def model_step(
    problem: EmpiricalRisk, model: Any, at: Place, g: Vector, penalty: IntervalPenalty, damping: float, tol: float
) -> tuple[Place, float, float]:
    """Minimise the model on its columns, where the mean loss has the gradient g, then search the line.

    Returns the new place, the new damping and the passes that the model took. A damping above 0 adds that share of the
    smoothness to every curvature: at 1 the model lies above the loss, where Newton's steps fail.
    """
    ids, k = model.ids, model.ids.size
    bend, curvatures = bend_of(problem, at.curvatures), at.curvatures
    if float(curvatures.sum()) < LEAST_CURVED * bend:
        damping = max(damping, 1.0)
    if damping > 0.0:
        curvatures = curvatures + damping * bend * shares(problem)
    x, slope = at.w[ids], g
    if problem.fit_intercept:
        x, slope = np.append(x, at.b), np.append(g, at.slope)
    old = x.copy()
    passes = model.descend(curvatures, slope, penalty, x, tol)
    change = x - old
    change_b = float(change[k]) if problem.fit_intercept else 0.0
    moved = model.scores(change[:k], change_b)
    omega = float(_sum_over(penalty, old, k))
    fall = float(slope @ change) + float(_sum_over(penalty, x, k)) - omega

    def at_step(t: float) -> tuple[Place, float]:
        w = at.w.copy()
        w[ids] = x[:k] if t == 1.0 else old[:k] + t * change[:k]
        place = place_of(problem, w, at.b + t * change_b, at.scores + t * moved)
        return place, place.risk + float(_sum_over(penalty, w[ids], k))

    before, t = at.risk + omega, 1.0
    new, after = at_step(t)
    while not after <= before + ARMIJO * t * fall + ROUNDING * abs(before):
        t *= 0.5
        if t < SHORTEST:
            return at, max(DAMPING, 10.0 * damping), passes
        new, after = at_step(t)
    if t < 1.0:
        # A short step: some weight has nearly no curvature here and overshoots, and would again with little damping.
        return new, max(damping, min(1.0, max(DAMPING, 4.0 * damping) * (0.5 / t))), passes
    while damping >= 1.0 and math.isinf(penalty.high - penalty.low) and t < LONGEST:
        further, lower = at_step(2.0 * t)  # the model lies far above the loss
        if not lower < after:
            break
        t, new, after = 2.0 * t, further, lower
    return new, 0.1 * damping if damping > LEAST_DAMPING else 0.0, passes


def violation_of(
    problem: EmpiricalRisk, at: Place, ids: NDArray[np.int64], g: Vector, penalty: IntervalPenalty, norms: Vector
) -> float:
    """The largest step of a coordinate, times its curvature."""
    return max(abs(at.slope), float(_largest_step(penalty, ids, at.w, g, norms, bend_of(problem, at.curvatures))))


@kernel
def _largest_step(penalty, ids, w, g, norms, bend):
    largest = 0.0
    for k in range(ids.size):
        j = ids[k]
        curvature = bend * norms[j] * norms[j]
        if curvature + penalty.l2 > 0.0:
            new = penalty.least_with(curvature, curvature * w[j] - g[k])
            largest = max(largest, abs(new - w[j]) * (curvature + penalty.l2))
    return largest


@kernel
def _sum_over(penalty, x, count):
    return penalty.sum_over(x, count)

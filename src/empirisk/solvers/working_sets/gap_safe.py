"""Gap-safe screening: columns whose weight is zero at every minimiser, told from a point and its duality gap.

With u_i = -loss'(z_i) made feasible (scaled by its sign until sum_i s_i u_i = 0, then as a whole until Omega* is
finite), D is strongly concave: (1/S) sum_i s_i (u_i - u*_i)^2 <= 2 L gap for a loss of smoothness L. So v*_j is within
||x_j|| sqrt(2 L gap) of v_j, where ||x_j||^2 = (1/S) sum_i s_i x_ij^2, and w*_j = 0 wherever that is below l1.
Reference: Ndiaye, Fercoq, Gramfort and Salmon (2017).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import offers
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty

ROUNDING = 1e-13  # of the objective, added to the gap
WIDE = 0.1  # of the objective: a gap that need not be known any better


class Sphere(NamedTuple):
    """A feasible dual point, by what scales the implied one, and the duality gap there."""

    gap: float
    scale: float  # of v
    error: float  # how far each v_j is off before scaling, divided by ||x_j||


def sphere_of(
    problem: EmpiricalRisk,
    penalty: IntervalPenalty,
    slopes: Vector,
    g: Vector,
    objective: float,
    omega: float,
    along: float,
    norm: float,
    floor: float,
) -> Sphere:
    """The gap where the loss has these slopes (s_i/S) loss'(z_i) and g is their gradient on the columns that count.

    `omega` is Omega(w), `along` is <w, g>, `norm` at least every ||x_j||, and `floor` the mean of the least values of
    the loss. A wide gap is only bounded, by loss*(c a) <= c loss*(a) + (1 - c) loss*(0), without evaluations.
    """
    balance, error = 1.0, 0.0
    shrink_plus = shrink_minus = 1.0
    if problem.fit_intercept:
        plus, minus, squares = _signed_sums(problem.weights, 1.0 / problem.total_weight, slopes)
        balance = min(plus, minus) / max(plus, minus) if max(plus, minus) > 0.0 else 1.0
        shrink_plus, shrink_minus = (balance, 1.0) if plus > minus else (1.0, balance)
        error = (1.0 - balance) * math.sqrt(squares)
    scale, conjugate = _conjugate(penalty, g, error * norm)
    risk = objective - omega
    bound = (1.0 - scale) * (risk - floor) + omega + scale * along + conjugate
    if bound > WIDE * abs(objective) and balance == 1.0:
        return Sphere(bound, scale, error)
    conjugates = _conjugates(
        problem.loss,
        problem.labels,
        problem.weights,
        1.0 / problem.total_weight,
        slopes,
        scale * shrink_plus,
        scale * shrink_minus,
    )
    return Sphere(max(0.0, objective + conjugates + conjugate), scale, error)


def inside(
    problem: EmpiricalRisk,
    penalty: IntervalPenalty,
    sphere: Sphere,
    columns: NDArray[np.int64],
    g: Vector,
    w: Vector,
    norms: Vector,
    objective: float,
) -> NDArray[np.bool_]:
    """Which of the columns may have a weight at a minimiser, or have one now."""
    if not (offers(problem.loss, "smoothness") and penalty.l1 > 0.0 and penalty.low <= 0.0 <= penalty.high):
        return np.ones(columns.size, dtype=np.bool_)
    gap = sphere.gap + ROUNDING * abs(objective)
    radius = math.sqrt(2.0 * float(problem.loss.smoothness()) * gap) + sphere.scale * sphere.error
    keep = np.empty(columns.size, dtype=np.bool_)
    _mark(columns, g, w, norms, sphere.scale, radius, penalty.l1 * (1.0 - ROUNDING), keep)
    return keep


def floor_of(problem: EmpiricalRisk) -> float:
    """The mean of the least values of the loss: -loss*(0)."""
    nothing = np.zeros(problem.labels.size)
    parts = problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight
    return -float(_conjugates(*parts, nothing, 0.0, 0.0))


@kernel
def _signed_sums(weights, scale, slopes):
    plus = 0.0
    minus = 0.0
    squares = 0.0
    for i in range(slopes.size):
        a = slopes[i]
        s = scale * weights[i] if weights.size else scale
        if a < 0.0:
            plus -= a
        else:
            minus += a
        if s > 0.0:
            squares += a * a / s
    return plus, minus, squares


@kernel
def _conjugate(penalty, g, error):
    up = 0.0
    down = 0.0
    for k in range(g.size):
        up = max(up, error - g[k])
        down = max(down, error + g[k])
    scale = penalty.scale_into(up, down)
    total = 0.0
    if penalty.l2 > 0.0 or np.isfinite(penalty.low) or np.isfinite(penalty.high):
        for k in range(g.size):
            a = scale * (abs(g[k]) + error)
            total += penalty.conjugate_of(a if g[k] < 0.0 else -a)
    return scale, total


@kernel
def _conjugates(loss, y, weights, scale, slopes, shrink_plus, shrink_minus):
    total = 0.0
    for i in range(slopes.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            a = slopes[i] / s
            total += s * loss.conjugate((shrink_plus if a < 0.0 else shrink_minus) * a, y[i])
    return total


@kernel
def _mark(columns, g, w, norms, scale, radius, l1, keep):
    for k in range(columns.size):
        j = columns[k]
        keep[k] = w[j] != 0.0 or scale * abs(g[k]) + radius * norms[j] >= l1

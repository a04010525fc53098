"""A proven bound on the intercept of every minimiser.

The intercept is not penalised, so a dual point whose residual sum_i s_i u_i is not exactly zero proves nothing
about far-away intercepts, unless minimisers cannot lie there. Convexity shows it: with g_i = loss'(t, y_i),
L = mean loss(t, y_i), G = mean g_i > 0 and A >= mean |g_i| ||x_i||, tangents at t give

    mean loss at (w*, b*) >= L + G (b* - t) - A ||w*||,

and mean loss at (w*, b*) <= P(w, b) - min Omega bounds b* from above; a t with G < 0 bounds it from below.
A is the lesser of mean |g_i| max ||x_i|| and max |g_i| mean ||x_i||: a row may be far longer than the others.
"""

from __future__ import annotations

import math

from empirisk.arithmetic import SMALLEST, UNIT
from empirisk.certificates.constant_scores import Masses, tangent_at
from empirisk.certificates.loss_accuracy import floor_of, score_unit
from empirisk.certificates.penalty_dual import RADII
from empirisk.problems.empirical_risk import EmpiricalRisk


def intercept_bound(
    problem: EmpiricalRisk,
    masses: Masses,
    risk: float,
    longest: float,
    b: float,
    row_norm: float,
    mean_norm: float = math.inf,
) -> float:
    """B such that every minimiser with ||w*|| <= longest has |b*| <= B; infinite when no bound can be proven.

    `risk` is a bound on their mean loss, `masses` are those of the labels, `row_norm` and `mean_norm` bound
    the largest and the mean ||x_i||.
    """
    if not (math.isfinite(longest) and math.isfinite(risk) and math.isfinite(row_norm)):
        return math.inf
    unit = score_unit(problem)
    ends = [_end(problem, masses, risk, b, side, (row_norm, mean_norm), longest, unit) for side in (1.0, -1.0)]
    return 1.001 * max(abs(end) for end in ends)


def charged(value: float, bound: float, size: float, residual: float, unit: float) -> tuple[float, float]:
    """A dual value less what the residual of the intercept costs, and the radius of the claim.

    Where no `bound` is proven, intercepts up to some times the `size` of this one are spoken of, and at least one unit
    of the scores.
    """
    radius = math.inf
    if not math.isfinite(bound):
        bound = radius = max(unit, RADII * size)
    return value - bound * residual, radius


def _end(
    problem: EmpiricalRisk,
    masses: Masses,
    risk: float,
    b: float,
    side: float,
    norms: tuple[float, float],
    longest: float,
    unit: float,
) -> float:
    """The far end of the interval of b* on this side, from the first tangent point that is steep enough."""
    best, n = math.inf, problem.rows.n_rows
    for distance in (1.0, 4.0, 64.0, 4096.0):
        t = b + side * distance * (unit + abs(b))
        level, slope, steepness, steepest = tangent_at(problem, masses, t)
        error = 2.0 * n * (UNIT * steepness + SMALLEST)  # of a plain sum over the rows
        slope = side * slope - error
        if not (slope > error and math.isfinite(level)):
            continue
        level -= 2.0 * n * (UNIT * abs(level) + floor_of(problem.loss) * (1.0 + abs(t) + unit))
        pull = min(steepness * norms[0], steepest * norms[1]) * longest
        room = risk - level + pull
        best = min(best, side * t + max(0.0, room) / slope)
        if slope > 0.5 * steepness:
            break  # steeper ones cannot help much
    return max(best, 0.0)

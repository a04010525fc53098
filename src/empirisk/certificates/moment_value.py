"""Primal and dual value of a squared loss from the moments of the data, without a pass over them.

With residuals r_i = z_i - y_i and the dual point u_i = -c a r_i everything is a quadratic form in the moments. A mean
of N products x_ij x_ik is off by at most N e sigma_j sigma_k in whatever order it is summed, where sigma_j is the root
mean square of column j (Cauchy-Schwarz); so the mean loss at p = (w, b) is off by at most
a/2 N e (sum_j |p_j| sigma_j + rms y)^2, and so on. Added to that is what a pass allows for itself, so that it confirms
the claim. All of it is little next to any tolerance in use.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.capabilities import MOST_COLUMNS
from empirisk.certificates.duality_gap import DualityGap, gap_of_values
from empirisk.certificates.intercept_bound import intercept_bound
from empirisk.certificates.penalty_dual import PenaltyDual, least_penalty, penalty_error, reach_of
from empirisk.certificates.values import Values, other_rounding
from empirisk.losses import Squared
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import Moments, moments_of
from empirisk.problems.passes import penalty
from empirisk.protocols import Vector

OF_A_PASS = 64.0  # roundings of the size of a residual times |y|, which a pass charges for the conjugates
LEAST, MOST = 1e-120, 1e120  # root mean squares of columns and labels for which no product of two of them is lost
UNSEEN = 1e-160  # of a column whose squares vanish
BALANCED = 16.0  # times its rounding, within which the sum of the slopes counts as zero


def gap_from_moments(problem: EmpiricalRisk, point: LinearPoint) -> DualityGap | None:
    """The duality gap of a point whose evidence are moments, without a pass over the data; None as below."""
    assert isinstance(point.evidence, Moments)
    values = evaluate_moments(problem, point.evidence, point)
    return None if values is None else gap_of_values(problem, values)


def evaluate_moments(problem: EmpiricalRisk, moments: Moments, point: LinearPoint) -> Values | None:
    """What `evaluate` finds with the dual point that follows from the scores, rounding included.

    None where the moments do not suffice: for other losses, where the minimisers are not bounded, and where products of
    columns may underflow or overflow.
    """
    if not isinstance(problem.loss, Squared):
        return None
    with np.errstate(all="ignore"):
        return _evaluate(problem, moments, point.weights, point.intercept)


@other_rounding.register
def _(problem: EmpiricalRisk, point: LinearPoint) -> float:
    """That of the values from moments made anew; 0 where they do not suffice, or would be too many."""
    if not isinstance(problem.loss, Squared) or problem.rows.n_columns > MOST_COLUMNS:
        return 0.0
    values = evaluate_moments(problem, moments_of(problem), point)
    return 0.0 if values is None or not math.isfinite(values.rounding) else values.rounding


def _evaluate(problem: EmpiricalRisk, moments: Moments, w: Vector, b: float) -> Values | None:
    a, p = moments.curvature, np.append(w, b) if problem.fit_intercept else w
    sigma = np.sqrt(np.maximum(0.0, np.diag(moments.gram)))
    size = 1.001 * float(np.abs(p) @ sigma)  # at least the root mean square of the scores
    rms = 1.001 * math.sqrt(moments.squared_slope) / a  # of the labels
    loose = 1.01 * (moments.terms + 4.0 * p.size + 64.0) * UNIT
    if not _is_ordinary(sigma, p, rms, a):
        return None
    # Of the slopes, and of a mean of squared residuals.
    slope_error = loose * (size + rms)
    square_error = (slope_error + OF_A_PASS * UNIT * rms) * (size + rms)
    risk, omega = moments.risk(p), penalty(problem, w)
    primal = risk + omega
    primal_error = a * square_error + penalty_error(problem, w, omega)

    slope = moments.gradient(p)
    v = -slope[: w.size]
    longest = 1.001 * math.sqrt(float(sigma[: w.size] @ sigma[: w.size])) + UNSEEN * w.size
    v_error = a * (slope_error * longest + UNSEEN * w.size * (size + rms))
    along_w = a * square_error
    room = primal + primal_error
    reach, assumed = reach_of(problem, w, room, 1.0, 1.0)
    if assumed or not math.isfinite(room):
        return None
    dual = PenaltyDual.at(problem, v, v_error, reach)
    conjugates = _conjugates(moments, p, dual.scale)
    error = a * square_error + dual.error(problem, w, v, v_error, along_w, reach)
    # A pass knows v better and shrinks less: its dual value may be above, by this for v and again for its error.
    error += 2.1 * abs(conjugates - _conjugates(moments, p, PenaltyDual.at(problem, v, 0.0, reach).scale))
    floor = least_penalty(problem)
    if problem.fit_intercept:
        bound, rest = intercept_bound(problem, None, room - floor, reach, b, 1.001 * moments.longest), a * slope_error
        if not math.isfinite(bound) or abs(float(slope[-1])) > BALANCED * rest:
            return None  # only a pass can repair that
        error += bound * (abs(float(slope[-1])) + rest)
    value, rounding = -conjugates - dual.omega - dual.charge, primal_error + error
    if not floor < value - error or not value - primal <= rounding:  # the second: outside of a constraint, by rounding
        return None
    return Values(primal, value, rounding, math.inf, math.inf, moments.level)


def _is_ordinary(sigma: Vector, p: Vector, rms: float, a: float) -> bool:
    """Whether no product in the moments underflows or overflows; a column that is not seen must have no weight."""
    seen = sigma > 0.0
    sizes = np.append(sigma[seen], [rms, a])
    is_within = bool(sizes.min() >= LEAST and sizes.max() <= MOST) and a * rms * rms >= LEAST * LEAST
    return is_within and not np.any(p[~seen])


def _conjugates(moments: Moments, p: Vector, c: float) -> float:
    """The mean of loss*(c loss'(z_i)): with loss*(u) = (u - slope)^2 / (2 a) - level."""
    linear = float(moments.slopes @ p)
    quadratic = moments.curvature * float(p @ (moments.gram @ p))
    rest = (1.0 - c) ** 2 * moments.squared_slope / (2.0 * moments.curvature)
    return 0.5 * c * c * quadratic - c * (1.0 - c) * linear + rest - moments.level

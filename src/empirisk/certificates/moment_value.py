"""Primal and dual value of a squared loss from the moments of the data, without a pass over them.

With residuals r_i = z_i - y_i and the dual point u_i = -c a r_i everything is a quadratic form in the moments. A mean
of N products x_ij x_ik is off by at most N e sigma_j sigma_k in whatever order it is summed, where sigma_j is the root
mean square of column j (Cauchy-Schwarz); so the mean loss at p = (w, b) is off by at most
a/2 N e (sum_j |p_j| sigma_j + rms y)^2, and so on. That is more than a pass that counts each row's own rounding would
leave, and little next to any tolerance in use.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.certificates.dual_value import Values
from empirisk.certificates.intercept_bound import intercept_bound
from empirisk.certificates.penalty_dual import PenaltyDual, least_penalty, reach_of
from empirisk.certificates.verification import UNDERFLOW
from empirisk.losses import Squared
from empirisk.problems.moments import Moments
from empirisk.problems.passes import penalty
from empirisk.protocols import Vector


def evaluate_moments(problem: Any, moments: Moments, w: Vector, b: float) -> Values | None:
    """What `evaluate` finds with the dual point that follows from the scores, rounding included.

    None where the moments do not suffice: for other losses, and where the minimisers are not bounded.
    """
    if not isinstance(problem.loss, Squared):
        return None
    with np.errstate(all="ignore"):
        return _evaluate(problem, moments, w, b)


def _evaluate(problem: Any, moments: Moments, w: Vector, b: float) -> Values | None:
    a, p = moments.curvature, np.append(w, b) if problem.fit_intercept else w
    sigma = np.sqrt(np.maximum(0.0, np.diag(moments.gram)))
    size = 1.001 * float(np.abs(p) @ sigma)  # at least the root mean square of the scores
    rms = 1.001 * math.sqrt(moments.squared_slope) / a  # of the labels
    loose = 1.01 * (moments.terms + 4.0 * p.size + 64.0) * UNIT
    # Of a mean of squared residuals, and of the slopes; products of small numbers vanish altogether.
    lost = UNDERFLOW * (1.0 + float(np.abs(p).sum()))
    square_error = loose * (size + rms) ** 2 + lost * (1.0 + float(np.abs(p).sum()))
    slope_error = loose * (size + rms)
    risk, omega = moments.risk(p), penalty(problem, w)
    primal = risk + omega
    primal_error = a * square_error + UNDERFLOW + 1.01 * (w.size + 8) * UNIT * abs(omega)

    slope = moments.gradient(p)
    v = -slope[: w.size]
    v_error = a * (slope_error * 1.001 * math.sqrt(float(sigma[: w.size] @ sigma[: w.size])) + lost * w.size)
    along_w = a * square_error
    room = primal + primal_error
    # No row is longer: each has its share in the mean of the squares.
    longest = 1.001 * math.sqrt((float(sigma @ sigma) + UNDERFLOW) * problem.total_weight / _least_weight(problem))
    reach, assumed = reach_of(problem, w, room, longest)
    if assumed or not math.isfinite(room):
        return None
    dual = PenaltyDual.at(problem, v, v_error, reach)
    conjugates = _conjugates(moments, p, dual.scale)
    error = a * square_error + dual.error(problem, w, v, v_error, along_w, reach)
    # A pass knows v better and shrinks less: so much may its dual value be above.
    error += abs(conjugates - _conjugates(moments, p, PenaltyDual.at(problem, v, 0.0, reach).scale))
    floor = least_penalty(problem)
    if problem.fit_intercept:
        bound = intercept_bound(problem, room - floor, reach, b, longest)
        if not math.isfinite(bound):
            return None
        error += bound * (abs(float(slope[-1])) + a * (slope_error + lost))  # a pass repairs what is left of it
    value = -conjugates - dual.omega - dual.charge
    if not value - error > floor:
        return None
    rounding = primal_error + error
    return Values(primal, value, rounding, math.inf, math.inf, moments.level, np.empty(0, np.int64), np.empty(0))


def _conjugates(moments: Moments, p: Vector, c: float) -> float:
    """The mean of loss*(c loss'(z_i)): with loss*(u) = (u - slope)^2 / (2 a) - level."""
    linear = float(moments.slopes @ p)
    quadratic = moments.curvature * float(p @ (moments.gram @ p))
    rest = (1.0 - c) ** 2 * moments.squared_slope / (2.0 * moments.curvature)
    return 0.5 * c * c * quadratic - c * (1.0 - c) * linear + rest - moments.level


def _least_weight(problem: Any) -> float:
    return float(problem.weights[problem.weights > 0.0].min()) if problem.weights.size else 1.0

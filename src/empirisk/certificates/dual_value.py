"""Primal and dual value of an empirical risk at a point, with a bound on the rounding of each.

With v = (1/S) sum_i s_i u_i x_i,  D(u) = -(1/S) sum_i s_i loss*(-u_i, y_i) - Omega*(v)  and, where the intercept
is free, sum_i s_i u_i = 0. A dual point that misses the domain of Omega* is repaired: scaled into it, or moved to the
nearest point and charged for the distance (see `PenaltyDual`). Every rounding is counted: with unit roundoff e, a dot
product of k terms is off by at most (k + 2) e sum_j |x_j w_j| in whatever order it is summed; sums over rows are
compensated. A product that underflows is off by no more than the rounding of the smallest normal number.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.arithmetic import TINY, UNIT, norm
from empirisk.capabilities import is_convex, is_quadratic, name_of, offers
from empirisk.certificates.careful_sum import careful_sum
from empirisk.certificates.conjugates import (
    check_lower_bound,
    conjugates_of,
    zero_conjugate,
)
from empirisk.certificates.constant_scores import label_masses, tangent_at
from empirisk.certificates.intercept_bound import charged, intercept_bound
from empirisk.certificates.loss_accuracy import score_unit
from empirisk.certificates.penalty_dual import PenaltyDual, least_penalty, omega_size, penalty_error, reach_of
from empirisk.certificates.scores_and_duals import first_pass
from empirisk.certificates.values import Values, evaluate
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.protocol import RowVector

DEAR = 1e-8  # of the objective, which the rounding of the dual sum may cost before it is summed with more care
OUTSIDE = 1e-10  # how far below the dual value a point on the edge of a constraint may be
OWN_ROUNDINGS = 16  # of the derivative of a loss without a conjugate: the dual point is the exact derivative


@evaluate.register
def _(problem: EmpiricalRisk, point: LinearPoint) -> Values:
    """At weights and intercept; dual variables that are nan, or not there, are -loss'(z_i)."""
    if not is_convex(problem.loss):
        raise Unsupported(f"the loss {name_of(problem.loss)!r} is not convex: it has no duality gap")
    w, b, given = point.weights, point.intercept, _of_all_rows(problem, point.dual)
    if w.shape != (problem.rows.n_columns,):
        raise ValueError(f"there are {w.size} weights for {problem.rows.n_columns} columns")
    if b != 0.0 and not problem.fit_intercept:
        raise ValueError(f"the intercept is {b}, in a problem without one")
    with np.errstate(all="ignore"):  # what overflows makes the gap infinite, which says enough
        return _evaluate(problem, w, b, given)


def _of_all_rows(problem: EmpiricalRisk, given: RowVector | None) -> RowVector:
    """The dual variables; an array may be shorter, nan for rows behind the last one that is given; empty for none."""
    rows, n = problem.rows, problem.rows.n_rows
    if given is None or not offers(problem.loss, "conjugate"):
        return rows.place(np.empty(0))
    if not isinstance(given, np.ndarray):
        return given
    if given.size > n:
        raise ValueError(f"the dual point names row {given.size - 1}, and the data have {n} rows")
    return rows.place(np.append(given, np.full(n - given.size, np.nan)))


def _evaluate(problem: EmpiricalRisk, w: Vector, b: float, given: RowVector) -> Values:
    own = not offers(problem.loss, "conjugate")
    sums, duals = first_pass(problem, w, b, given)
    check_lower_bound(problem.loss, sums.least)
    risk, row_norm, masses = sums.value, sums.row_norm, label_masses(problem)
    omega = penalty(problem, w)
    # The last term: S itself is rounded.
    primal_error = sums.value_error + (4.0 + 64.0) * UNIT * abs(risk)
    primal_error += penalty_error(problem, w, omega)
    primal = risk + omega

    shrink_plus, shrink_minus = _repair(sums.plus, sums.minus) if problem.fit_intercept else (1.0, 1.0)
    v_plus, v_minus = sums.sums[0], sums.sums[-1] if problem.fit_intercept else 0.0
    v = v_plus + v_minus if shrink_plus == shrink_minus == 1.0 else shrink_plus * v_plus + shrink_minus * v_minus
    terms = problem.rows.tree.roundings(sums.sums.size) + 6 + (OWN_ROUNDINGS if own else 0)
    # What products lose where they underflow counts as the rounding of a tiny number in each of them.
    tiny = 4.0 * TINY * problem.rows.n_rows if sums.plus + sums.minus > 0.0 else 0.0
    v_error = 1.01 * terms * UNIT * (sums.dual_norm + tiny * (row_norm + math.sqrt(w.size)))
    along_w = tiny * (row_norm * norm(w) + float(np.abs(w).sum())) + sums.dual_size
    along_w *= 1.01 * terms * UNIT

    # u = 0 is a dual point too: nothing lies below the least values of the loss and of the regularizer.
    floor = least_penalty(problem)
    zero = zero_conjugate(problem, masses)
    least = floor - zero
    unit = score_unit(problem)
    reach, assumed = reach_of(problem, w, primal + primal_error + zero, row_norm, unit)
    if assumed or v_error * v_error > DEAR * problem.regularizer.strong_convexity() * abs(primal):
        v, rounding = careful_sum(problem, duals.u, shrink_plus, shrink_minus)
        v_error *= (rounding + (1.01 * OWN_ROUNDINGS * UNIT if own else 0.0)) / (1.01 * terms * UNIT)
    dual = PenaltyDual.at(problem, v, v_error, reach)
    conjugates = conjugates_of(problem, duals, dual.scale * shrink_plus, dual.scale * shrink_minus)
    error = conjugates.error + 64.0 * UNIT * abs(conjugates.total) + dual.error(problem, w, v, v_error, along_w, reach)
    value = -conjugates.total - dual.omega - dual.charge
    radius, weights_radius = math.inf, reach if assumed and dual.charge + v_error > 0.0 else math.inf
    if problem.fit_intercept:
        bound = intercept_bound(problem, masses, primal + primal_error - floor, reach, b, row_norm, sums.mean_norm)
        value, radius = charged(value, bound, abs(b), conjugates.residual, unit)
    if not value - error > least:
        value, error, radius, weights_radius = least, 0.0, math.inf, math.inf
    near = abs(primal) + reach * norm(v) + problem.regularizer.strong_convexity() * reach * reach
    near += omega_size(problem, w, omega)  # where strong convexity is too small a number
    if not is_quadratic(problem.regularizer) and 0.0 < value - primal <= OUTSIDE * near:
        value = primal  # the point is outside of the constraint, by no more than counts as inside
    return Values(
        primal,
        value,
        primal_error + error,
        radius,
        weights_radius,
        tangent_at(problem, masses, 0.0).level,
        sums.stored_rows,  # before the repairs, which the checker makes again
        sums.stored_duals,
    )


def _repair(plus: float, minus: float) -> tuple[float, float]:
    """Factors that balance the two signs by shrinking the heavier one, which stays in every conjugate's domain."""
    if plus > minus:
        return minus / plus, 1.0
    return 1.0, (plus / minus if minus > 0.0 else 1.0)

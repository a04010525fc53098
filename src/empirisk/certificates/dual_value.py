"""Primal and dual value of an empirical risk at a point, with a bound on the rounding of each.

With v = (1/S) sum_i s_i u_i x_i,  D(u) = -(1/S) sum_i s_i loss*(-u_i, y_i) - Omega*(v)  and, where the intercept
is free, sum_i s_i u_i = 0. A dual point that misses the domain of Omega* is repaired: scaled into it, or moved to the
nearest point and charged for the distance (see `_Dual`). Every rounding is counted: with unit roundoff e, a dot product
of k terms is off by at most (k + 2) e sum_j |x_j w_j| in whatever order it is summed; sums over rows are compensated.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT, exact_sum, norm
from empirisk.certificates.conjugates import (
    Conjugates,
    check_lower_bound,
    conjugates_of,
    zero_conjugate,
)
from empirisk.certificates.intercept_bound import intercept_bound
from empirisk.certificates.scores_and_duals import first_pass
from empirisk.certificates.verification import UNDERFLOW
from empirisk.compiled import kernel
from empirisk.data.blocks import sum_parts
from empirisk.problems.passes import penalty
from empirisk.protocols import Vector, is_quadratic, offers

RADII = 10.0  # a radius that must be assumed is this many times the size of the answer, and at least one unit
OUTSIDE = 1e-10  # how far below the dual value a point on the edge of a constraint may be
OWN_ROUNDINGS = 16  # of the derivative of a loss without a conjugate: the dual point is the exact derivative


class Values(NamedTuple):
    """What a certificate is made of."""

    primal: float
    dual: float  # a lower bound of P on |b| <= radius, ||w|| <= weights_radius, up to `rounding`
    rounding: float  # bounds the error of primal - dual
    radius: float
    weights_radius: float
    at_zero: float  # P(0, 0)
    stored_rows: NDArray[np.int64]  # rows whose u was given and does not follow from the score
    stored_duals: Vector


def evaluate(problem: Any, w: Vector, b: float, given: Vector | None) -> Values:
    """Primal and dual value at (w, b). `given` holds dual variables; nan there, or None, means -loss'(z_i)."""
    if w.shape != (problem.design.n_columns(),):
        raise ValueError(f"there are {w.size} weights for {problem.design.n_columns()} columns")
    if b != 0.0 and not problem.fit_intercept:
        raise ValueError(f"the intercept is {b}, in a problem without one")
    with np.errstate(all="ignore"):  # what overflows makes the gap infinite, which says enough
        return _evaluate(problem, w, b, given)


def _evaluate(problem: Any, w: Vector, b: float, given: Vector | None) -> Values:
    own = not offers(problem.loss, "conjugate")
    sums, duals = first_pass(problem, w, b, None if own else given)
    check_lower_bound(problem.loss, min(p.least for p in sums))
    risk = exact_sum(p.value for p in sums)
    omega = penalty(problem, w)
    # The last term: S itself is rounded.
    primal_error = sum(p.value_error for p in sums) + (4.0 + 64.0) * UNIT * abs(risk)
    primal_error += 1.01 * (w.size + 8) * UNIT * abs(omega) + UNDERFLOW
    primal = risk + omega
    at_zero = sum(p.at_zero for p in sums)

    plus, minus = sum(p.plus for p in sums), sum(p.minus for p in sums)
    shrink_plus, shrink_minus = _repair(plus, minus) if problem.fit_intercept else (1.0, 1.0)
    v_plus, v_minus = sum_parts(p.sums for p in sums)
    v = v_plus + v_minus if shrink_plus == shrink_minus == 1.0 else shrink_plus * v_plus + shrink_minus * v_minus
    terms = max(stop - start for start, stop in problem.blocks) + len(problem.blocks) + 6
    terms += OWN_ROUNDINGS if own else 0
    v_error = 1.01 * terms * UNIT * sum(p.dual_norm for p in sums)
    along_w = 1.01 * terms * UNIT * sum(p.dual_size for p in sums)

    # u = 0 is a dual point too: nothing lies below the least values of the loss and of the regularizer.
    least_penalty = _least_penalty(problem)
    zero = zero_conjugate(problem)
    least = least_penalty - zero
    reach, assumed = _reach(problem, w, primal + primal_error + zero, max(p.row_norm for p in sums))
    dual = _Dual.at(problem, v, v_error, reach)
    stored = np.flatnonzero(duals.keep)
    stored_duals = duals.u[stored]  # before the repairs, which the checker makes again
    conjugates = conjugates_of(problem, duals, dual.scale * shrink_plus, dual.scale * shrink_minus)
    error = conjugates.error + 64.0 * UNIT * abs(conjugates.total) + dual.error(problem, w, v, v_error, along_w, reach)
    value = -conjugates.total - dual.omega - dual.charge
    radius, weights_radius = math.inf, reach if assumed and dual.charge + v_error > 0.0 else math.inf
    if problem.fit_intercept:
        value, radius = _charge_intercept(
            problem, b, sums, conjugates, primal + primal_error - least_penalty, reach, value
        )
    if not is_quadratic(problem.regularizer) and 0.0 < value - primal <= OUTSIDE * (abs(primal) + reach * norm(v)):
        value = primal  # the point is outside of the constraint, by no more than counts as inside
    if not value - error > least:
        value, error, radius, weights_radius = least, 0.0, math.inf, math.inf
    return Values(
        primal,
        value,
        primal_error + error,
        radius,
        weights_radius,
        at_zero,
        stored.astype(np.int64),
        stored_duals,
    )


class _Dual(NamedTuple):
    """Omega* at the dual point, brought into its domain.

    Where the conjugate is infinite at v (l2 = 0), u is scaled down until it is finite, which costs no claim; where
    only v = 0 would do, or an exact equality, the nearest point p of the domain is taken and the distance charged:
    <w, v> - Omega(w) <= Omega*(p) + reach ||v - p|| for every ||w|| <= reach.
    """

    is_scaled: bool  # v and its rounding are inside the domain, for certain
    scale: float  # of u
    omega: float  # Omega* there
    charge: float
    maximizer: Vector

    @classmethod
    def at(cls, problem: Any, v: Vector, v_error: float, reach: float) -> _Dual:
        """Scale where that can work, else charge."""
        q, p = np.zeros(v.size), v
        scale = float(_dual_scale(problem.regularizer, v, v_error))
        is_scaled = scale > 0.0
        if is_scaled:
            p, scale = (scale * v, scale * (1.0 - 4.0 * UNIT)) if scale < 1.0 else (v, 1.0)
            charge = 0.0
        else:
            p, scale = np.empty(v.size), 1.0
            _nearest_dual(problem.regularizer, v, p)
            distance = norm(v - p)
            # p lies in the domain only up to its own rounding.
            charge = reach * (distance * (1.0 + 1e-12) + 8.0 * UNIT * norm(p)) if distance > 0.0 else 0.0
        omega = float(_omega_dual(problem.regularizer, p, q))
        return cls(is_scaled, scale, omega, charge, q)

    def error(self, problem: Any, w: Vector, v: Vector, v_error: float, along_w: float, reach: float) -> float:
        """How far Omega* may be off: v_j is off by at most e_j = terms * UNIT * (1/S) sum_i s_i |u_i x_ij|.

        With strong convexity m that is <|q|, e> + ||e||^2 / (2 m), where |q| <= |w| + |q - w|; without, reach ||e||.
        """
        q, m = self.maximizer, problem.regularizer.strong_convexity()
        # Terms of Omega* may cancel: those of <q, v> and of Omega(q) each count with their size.
        along, size_q, size_v, distance = _sizes(q, v, w)
        size = along + size_q * size_v + abs(penalty(problem, q)) + abs(self.omega)
        bound = problem.regularizer.norm_bound()
        size += 64.0 * m * bound * bound if math.isfinite(bound) else 0.0
        evaluation = 1.01 * (v.size + 8) * UNIT * size
        if m > 0.0:
            return evaluation + along_w + 1.01 * distance * v_error + 1.01 * v_error * v_error / (2.0 * m)
        if v_error == 0.0 or (self.is_scaled and self.omega == 0.0 and not np.any(q)):
            return evaluation  # well inside a domain where the conjugate is zero
        return evaluation + 1.01 * reach * v_error


def _reach(problem: Any, w: Vector, room: float, row_norm: float) -> tuple[float, bool]:
    """A bound on ||w|| of every minimiser, and whether it is only assumed.

    `room` is the distance of the objective to a lower bound of the mean loss: Omega of a minimiser is at most that.
    """
    regularizer = problem.regularizer
    proven = float(regularizer.norm_bound())
    if math.isfinite(proven):
        return proven, False
    room, m, growth = max(0.0, room), regularizer.strong_convexity(), regularizer.growth()
    if m > 0.0:
        proven = math.sqrt(2.0 * room / m)
    if growth > 0.0:
        proven = min(proven, room / growth)
    if math.isfinite(proven):
        return 1.001 * proven, False
    return assumed_radius(norm(w), row_norm), True


def assumed_radius(size: float, row_norm: float) -> float:
    """Weights ten times as large as these, or as those that move the score of the longest row by one."""
    return RADII * max(size, 1.0 / row_norm if row_norm > 0.0 else 1.0)


def _charge_intercept(
    problem: Any, b: float, sums: list[Any], conjugates: Conjugates, risk: float, reach: float, value: float
) -> tuple[float, float]:
    """The dual value less what the residual of the intercept costs, and the radius of the claim.

    `risk` is a bound on the mean loss at a minimiser.
    """
    row_norm = max(p.row_norm for p in sums)
    bound = intercept_bound(problem, risk, reach, b, row_norm)
    radius = math.inf
    if not math.isfinite(bound):
        bound = radius = max(1.0, RADII * abs(b))
    return value - bound * conjugates.residual, radius


def _least_penalty(problem: Any) -> float:
    """A lower bound of Omega: minus its conjugate at zero."""
    if is_quadratic(problem.regularizer):
        return 0.0
    d = problem.design.n_columns()
    at_zero = float(_omega_dual(problem.regularizer, np.zeros(d), np.empty(d)))
    return -at_zero - 64.0 * (d + 8) * UNIT * abs(at_zero)


def _repair(plus: float, minus: float) -> tuple[float, float]:
    """Factors that balance the two signs by shrinking the heavier one, which stays in every conjugate's domain."""
    if plus > minus:
        return minus / plus, 1.0
    return 1.0, (plus / minus if minus > 0.0 else 1.0)


@kernel
def _omega_dual(regularizer, v, maximizer):
    regularizer.maximizer(v, maximizer)
    return regularizer.conjugate(v)


@kernel
def _dual_scale(regularizer, v, error):
    return regularizer.dual_scale(v, error)


@kernel
def _nearest_dual(regularizer, v, out):
    regularizer.nearest_dual(v, out)


@kernel
def _sizes(q, v, w):
    """The sum of |q_j v_j|, ||q||, ||v|| and ||q - w||, each scaled so that the squares neither overflow nor vanish."""
    largest_q = 0.0
    largest_v = 0.0
    largest_d = 0.0
    for j in range(q.size):
        largest_q = max(largest_q, abs(q[j]))
        largest_v = max(largest_v, abs(v[j]))
        largest_d = max(largest_d, abs(q[j] - w[j]))
    scale_q = 1.0 / largest_q if largest_q > 0.0 else 0.0
    scale_v = 1.0 / largest_v if largest_v > 0.0 else 0.0
    scale_d = 1.0 / largest_d if largest_d > 0.0 else 0.0
    along = 0.0
    total_q = 0.0
    total_v = 0.0
    total_d = 0.0
    for j in range(q.size):
        along += abs(q[j] * v[j])
        total_q += (q[j] * scale_q) ** 2
        total_v += (v[j] * scale_v) ** 2
        total_d += ((q[j] - w[j]) * scale_d) ** 2
    sizes = largest_q * math.sqrt(total_q), largest_v * math.sqrt(total_v), largest_d * math.sqrt(total_d)
    return along, sizes[0], sizes[1], sizes[2]

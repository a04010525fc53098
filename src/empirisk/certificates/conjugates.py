"""The mean of loss*(-u_i) over the rows, whether the loss has a conjugate or only a value and a derivative.

Without a conjugate, the Fenchel-Young equality loss*(loss'(z)) = z loss'(z) - loss(z) gives it at the derivative, and
convexity at what repairs made of it: loss*(c a) <= c loss*(a) + (1 - c) loss*(0), where -loss*(0) is the infimum of
the loss, at least its `lower_bound()` (0 unless given).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import SMALLEST, UNIT, add_compensated, exact_sum
from empirisk.capabilities import has_label_units, name_of, offers
from empirisk.certificates.constant_scores import Masses, conjugate_at_zero
from empirisk.certificates.loss_accuracy import floor_of
from empirisk.certificates.scores_and_duals import Duals
from empirisk.compiled import kernel
from empirisk.losses.on_vectors import conjugates
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.protocol import RowBlock
from empirisk.rows.scratch import scratch


class Conjugates(NamedTuple):
    """Sums over all rows."""

    total: float  # of (s_i / S) loss*(-u_i)
    error: float
    residual: float  # |sum of (s_i / S) u_i|, rounded up, where there is an intercept


def conjugates_of(problem: EmpiricalRisk, duals: Duals, shrink_plus: float, shrink_minus: float) -> Conjugates:
    """The sums at the dual point; the u_i are scaled by the factor of their sign, in place."""
    loss, rows, own = problem.loss, problem.rows, not offers(problem.loss, "conjugate")
    accuracy = 0.0 if has_label_units(loss) else 1.0, floor_of(loss)
    args = loss, 1.0 / problem.total_weight, accuracy, shrink_plus, shrink_minus
    parts = rows.each(_conjugate_sums, *args, rows=(problem.labels, problem.weights, *duals), writes=(duals.u,))
    totals, errors, sums, rests, masses = zip(*parts, strict=True)
    residual = 0.0
    if problem.fit_intercept:
        residual = _residual(problem, (*sums, *rests), sum(masses), 16.0 if own else 0.0)
    return Conjugates(exact_sum(totals), sum(errors), residual)


def _residual(problem: EmpiricalRisk, sums: tuple[float, ...], mass: float, roundings: float) -> float:
    """|sum of (s_i / S) u_i|, rounded up."""
    # Each product weight_i u_i rounds (none without weights), and so does a compensated sum, to second order.
    longest = max(last - first for first, last in problem.rows.tree.leaves(1))
    scale = 1.0 / problem.total_weight
    residual = scale * abs(exact_sum(sums))
    roundings += (4.0 if problem.weights.size else 0.0) + longest * longest * UNIT
    vanished = 2.0 * SMALLEST * problem.rows.n_rows if mass > 0.0 else 0.0
    return float(residual + UNIT * (8.0 * residual + 1.01 * scale * mass * roundings) + vanished)


def zero_conjugate(problem: EmpiricalRisk, masses: Masses) -> float:
    """The mean of loss*(0, y_i), rounded up: minus the least values of the losses."""
    if not offers(problem.loss, "conjugate"):
        return -lower_bound(problem.loss)
    total = conjugate_at_zero(problem, masses)
    return total + 40.0 * problem.rows.n_rows * UNIT * abs(total)


def _conjugate_sums(
    block: RowBlock,
    loss: Any,
    scale: float,
    accuracy: tuple[float, float],
    shrink_plus: float,
    shrink_minus: float,
    y: Vector,
    weights: Vector,
    u: Vector,
    fenchel: Vector,
    sizes: Vector,
    out: Vector,
) -> Any:
    is_scaled = not shrink_plus == shrink_minus == 1.0
    values, factors = scratch(2, y.size)
    if is_scaled:
        factors[:] = shrink_minus
        factors[u > 0.0] = shrink_plus
        np.multiply(u, factors, out=out)
    elif out is not u:
        out[:] = u
    if fenchel.size:
        values[:] = fenchel
        if is_scaled:
            values[:] = factors * fenchel - (1.0 - factors) * lower_bound(loss)
    else:
        conjugates(loss, out, y, values)
    return _sums(y, weights, scale, out, values, sizes, accuracy)


def lower_bound(loss: Any) -> float:
    """What a loss without a conjugate says about its least value: 0 unless it says otherwise."""
    return float(loss.lower_bound()) if offers(loss, "lower_bound") else 0.0


def check_lower_bound(loss: object, least: float) -> None:
    """Refuse a loss without a conjugate that has a value below its bound: the certificate would be false."""
    if not offers(loss, "conjugate") and least < lower_bound(loss):
        said = f"the loss {name_of(loss)!r} has the value {least:.6g}, below its lower bound {lower_bound(loss):g}"
        raise Unsupported(f"{said}: give it a method lower_bound() that returns a true one, or a conjugate")


@kernel
def _sums(y, weights, scale, u, values, sizes, accuracy):
    """The mean of the values, a bound on its error, and the sum of weights[i] u_i, in two parts, and of their sizes.

    A conjugate is a sum of terms, one of them u y: of their sizes, and at least of `unit` |u|, each rounds.
    """
    unit, floor = accuracy
    total = 0.0
    rest = 0.0
    error = 0.0
    balance = 0.0
    lost = 0.0
    mass = 0.0
    for i in range(u.size):
        weight = weights[i] if weights.size else 1.0
        s = scale * weight
        if s > 0.0:
            term = s * values[i]
            total, rest = add_compensated(total, rest, term)
            error += UNIT * (20.0 * abs(term) + 40.0 * s * abs(u[i]) * max(unit, abs(y[i])))
            if u[i] != 0.0:
                error += floor * (1.0 + abs(u[i]) + abs(y[i]))
            if sizes.size:
                error += 20.0 * UNIT * s * sizes[i]
        pull = weight * u[i]
        balance, lost = add_compensated(balance, lost, pull)
        mass += abs(pull)
    return total + rest, error, balance, lost, mass

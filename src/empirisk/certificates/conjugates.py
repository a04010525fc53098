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
from empirisk.certificates.loss_accuracy import floor_of
from empirisk.certificates.scores_and_duals import CHUNK, Duals
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.blocks import Block, map_blocks


class Conjugates(NamedTuple):
    """Sums over all rows."""

    total: float  # of (s_i / S) loss*(-u_i)
    error: float
    residual: float  # |sum of (s_i / S) u_i|, rounded up, where there is an intercept


def conjugates_of(problem: EmpiricalRisk, duals: Duals, shrink_plus: float, shrink_minus: float) -> Conjugates:
    """The sums at the dual point; the u_i are scaled by the factor of their sign, in place."""
    u, own = duals.u, not offers(problem.loss, "conjugate")
    factors = np.ones(0)
    if not shrink_plus == shrink_minus == 1.0:
        factors = np.where(u > 0.0, shrink_plus, shrink_minus)
        u *= factors
    values = np.empty(u.size)
    if own:
        values[:] = duals.fenchel
        if factors.size:
            values[:] = factors * duals.fenchel - (1.0 - factors) * lower_bound(problem.loss)
    else:
        _fill(problem.loss, problem.labels, problem.weights, u, values)
    scale = 1.0 / problem.total_weight
    accuracy = 0.0 if has_label_units(problem.loss) else 1.0, floor_of(problem.loss)

    def task(block: Block) -> Any:
        return _sums(problem.labels, problem.weights, scale, block[0], block[1], u, values, duals.sizes, accuracy)

    totals, errors = zip(*map_blocks(task, problem.blocks, problem.n_threads), strict=True)
    residual = _residual(problem, u, 16.0 if own else 0.0) if problem.fit_intercept else 0.0
    return Conjugates(exact_sum(totals), sum(errors), residual)


def _residual(problem: EmpiricalRisk, u: Vector, roundings: float) -> float:
    """|sum of (s_i / S) u_i|, rounded up."""

    def task(block: Block) -> Any:
        return _sum_duals(problem.weights, block[0], block[1], u)

    sums, rests, masses = zip(*map_blocks(task, problem.blocks, problem.n_threads), strict=True)
    # Each product weight_i u_i rounds (none without weights), and so does a compensated sum, to second order.
    longest = max(stop - start for start, stop in problem.blocks)
    scale = 1.0 / problem.total_weight
    residual = scale * abs(exact_sum(sums + rests))
    roundings += (4.0 if problem.weights.size else 0.0) + longest * longest * UNIT
    vanished = 2.0 * SMALLEST * u.size if np.any(u) else 0.0
    return float(residual + UNIT * (8.0 * residual + 1.01 * scale * sum(masses) * roundings) + vanished)


def zero_conjugate(problem: EmpiricalRisk) -> float:
    """The mean of loss*(0, y_i), rounded up: minus the least values of the losses."""
    if not offers(problem.loss, "conjugate"):
        return -lower_bound(problem.loss)
    total = float(_at_zero(problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight))
    return total + 40.0 * problem.labels.size * UNIT * abs(total)


def lower_bound(loss: Any) -> float:
    """What a loss without a conjugate says about its least value: 0 unless it says otherwise."""
    return float(loss.lower_bound()) if offers(loss, "lower_bound") else 0.0


def check_lower_bound(loss: object, least: float) -> None:
    """Refuse a loss without a conjugate that has a value below its bound: the certificate would be false."""
    if not offers(loss, "conjugate") and least < lower_bound(loss):
        said = f"the loss {name_of(loss)!r} has the value {least:.6g}, below its lower bound {lower_bound(loss):g}"
        raise Unsupported(f"{said}: give it a method lower_bound() that returns a true one, or a conjugate")


@kernel
def _fill(loss, y, weights, u, out):
    for i in range(y.size):
        out[i] = 0.0 if weights.size and weights[i] == 0.0 else loss.conjugate(-u[i], y[i])


@kernel
def _at_zero(loss, y, weights, scale):
    plus = loss.conjugate(0.0, 1.0)  # the labels of a classification
    minus = loss.conjugate(0.0, -1.0)
    total = 0.0
    for i in range(y.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            total += s * (plus if y[i] == 1.0 else minus if y[i] == -1.0 else loss.conjugate(0.0, y[i]))
    return total


@kernel
def _sums(y, weights, scale, start, stop, u, values, sizes, accuracy):
    """The mean of the values and a bound on its error: chunks on vectors, whose sums are added with compensation."""
    total = 0.0
    rest = 0.0
    error = 0.0
    for first in range(start, stop, CHUNK):
        last = min(first + CHUNK, stop)
        part, mass = _chunk_sums(y[first:last], u[first:last], values[first:last], weights[first:last], scale, accuracy)
        total, rest = add_compensated(total, rest, part)
        error += mass
        if sizes.size:
            for i in range(first, last):
                s = scale * weights[i] if weights.size else scale
                error += 20.0 * UNIT * s * sizes[i]
    return total + rest, error


@kernel
def _chunk_sums(y, u, values, weights, scale, accuracy):
    """A conjugate is a sum of terms, one of them u y: of their sizes, and at least of `unit` |u|, each rounds."""
    unit, floor = accuracy
    total = 0.0
    floors = 0.0
    terms = 0.0
    mass = 0.0
    for k in range(y.size):
        s = scale * weights[k] if weights.size else scale
        term = s * values[k] if s > 0.0 else 0.0
        total += term
        terms += abs(term)
        mass += s * abs(u[k]) * max(unit, abs(y[k]))
        floors += floor * (1.0 + abs(u[k]) + abs(y[k])) if s > 0.0 and u[k] != 0.0 else 0.0
    return total, UNIT * ((20.0 + CHUNK) * terms + 40.0 * mass) + floors


@kernel
def _sum_duals(weights, start, stop, u):
    """The compensated sum of weights[i] u_i, in two parts, and the sum of their sizes."""
    total = 0.0
    rest = 0.0
    mass = 0.0
    for i in range(start, stop):
        part = weights[i] * u[i] if weights.size else u[i]
        total, rest = add_compensated(total, rest, part)
        mass += abs(part)
    return total, rest, mass

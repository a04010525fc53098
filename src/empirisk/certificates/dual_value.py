"""Primal and dual value of an empirical risk at a point, with a bound on the rounding of each.

With v = (1/S) sum_i s_i u_i x_i,  D(u) = -(1/S) sum_i s_i loss*(-u_i, y_i) - Omega*(v)  and, where the intercept
is free, sum_i s_i u_i = 0. Every rounding is counted: with unit roundoff e, a dot product of k terms is off by at
most (k + 2) e sum_j |x_j w_j| in whatever order it is summed; sums over rows are compensated (and only that part
is compiled without reassociation, which would undo it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.intercept_bound import intercept_bound
from empirisk.compiled import kernel
from empirisk.data.blocks import Block, map_blocks, sum_parts
from empirisk.problems.passes import penalty
from empirisk.protocols import Vector, is_smooth

UNIT = 2.0**-53
UNDERFLOW = 1e-290  # more than all roundings of subnormal numbers together


class Values(NamedTuple):
    """What a certificate is made of."""

    primal: float
    dual: float  # a lower bound of P on |b| <= radius, up to `rounding`
    rounding: float  # bounds the error of primal - dual
    radius: float
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
    n, d = problem.design.n_rows(), w.size
    u = np.empty(n)
    given = np.empty(0) if given is None else given
    keep = np.zeros(given.size, dtype=np.bool_)
    parts = _first_pass(problem, w, b, given, keep, u)
    risk = _sum(p.value for p in parts)
    risk_error = sum(p.value_error for p in parts) + 4.0 * UNIT * abs(risk)
    plus, minus = sum(p.plus for p in parts), sum(p.minus for p in parts)
    shrink_plus, shrink_minus = _repair(plus, minus) if problem.fit_intercept else (1.0, 1.0)
    v_plus, v_minus = (sum_parts(p.sums[k] for p in parts) for k in (0, 1))
    v = shrink_plus * v_plus + shrink_minus * v_minus
    stored = np.flatnonzero(keep)
    stored_duals = u[stored]
    sums = _second_pass(problem, u, shrink_plus, shrink_minus)
    regularizer = problem.regularizer
    omega = penalty(problem, w)
    q = np.empty(d)
    omega_dual = float(_omega_dual(regularizer, v, q))
    terms = max(stop - start for start, stop in problem.blocks) + len(problem.blocks) + 6
    # v_j is off by at most e_j = terms * UNIT * (1/S) sum_i s_i |u_i x_ij|,
    # and Omega*(v) by <|q|, e> + ||e||^2 / (2 l2), where |q| <= |w| + |q - w|.
    v_error = 1.01 * terms * UNIT * sum(p.dual_norm for p in parts)
    along_w = 1.01 * terms * UNIT * sum(p.dual_size for p in parts)
    # The last term of each: S itself is rounded.
    primal_error = risk_error + 1.01 * (d + 8) * UNIT * omega + 64.0 * UNIT * abs(risk) + UNDERFLOW
    dual_error = (
        sums.error
        + 1.01 * (d + 8) * UNIT * omega_dual
        + along_w
        + 1.01 * _norm(q - w) * v_error
        + 1.01 * v_error * v_error / (2.0 * regularizer.l2)
        + 64.0 * UNIT * abs(sums.conjugate)
    )
    primal, dual, radius = risk + omega, -sums.conjugate - omega_dual, math.inf
    least = -sums.conjugate_at_zero  # u = 0 is a dual point too: nothing lies below the least values of the loss
    if problem.fit_intercept:
        room = primal + primal_error - least
        bound = intercept_bound(problem, primal + primal_error, room, b, max(p.row_norm for p in parts))
        if not math.isfinite(bound):
            bound = radius = max(1.0, 10.0 * abs(b))
        dual -= bound * sums.residual
    if not dual - dual_error > least:
        dual, dual_error, radius = least, 0.0, math.inf
    return Values(primal, dual, primal_error + dual_error, radius, sums.at_zero, stored.astype(np.int64), stored_duals)


class _FirstSums(NamedTuple):
    value: float
    value_error: float
    plus: float  # sum of s_i u_i over u_i > 0
    minus: float  # sum of s_i |u_i| over u_i < 0
    dual_norm: float  # sum of s_i |u_i| ||x_i||
    dual_size: float  # sum of s_i |u_i| sum_j |x_ij w_j|
    row_norm: float  # the largest ||x_i||
    sums: tuple[Vector, Vector]  # sum of s_i u_i x_i over u_i > 0, over u_i < 0


class _SecondSums(NamedTuple):
    conjugate: float
    error: float
    residual: float  # |sum of s_i u_i|, rounded up
    at_zero: float
    conjugate_at_zero: float


def _first_pass(problem: Any, w: Vector, b: float, given: Vector, keep: Any, u: Vector) -> list[_FirstSums]:
    scale = 1.0 / problem.total_weight
    smoothness = float(problem.loss.smoothness()) if is_smooth(problem.loss) else -1.0

    def task(block: Block) -> _FirstSums:
        sums = np.zeros(w.size), np.zeros(w.size)
        scalars = _scores_and_duals(
            problem.loss,
            smoothness,
            problem.design,
            problem.labels,
            problem.weights,
            scale,
            block[0],
            block[1],
            w,
            b,
            given,
            keep,
            u,
            sums[0],
            sums[1],
        )
        return _FirstSums._make((*scalars, sums))

    return map_blocks(task, problem.blocks, problem.n_threads)


def _second_pass(problem: Any, u: Vector, shrink_plus: float, shrink_minus: float) -> _SecondSums:
    scale = 1.0 / problem.total_weight

    def task(block: Block) -> Any:
        return _conjugates(
            problem.loss, problem.labels, problem.weights, scale, block[0], block[1], shrink_plus, shrink_minus, u
        )

    conjugates, errors, residuals, rests, sizes, at_zeros, zero_conjugates = zip(
        *map_blocks(task, problem.blocks, problem.n_threads), strict=True
    )
    # Each product weight_i u_i rounds (none without weights), and so does a compensated sum, to second order.
    longest = max(stop - start for start, stop in problem.blocks)
    residual, size = scale * abs(_sum(residuals + rests)), sum(sizes)
    residual += UNIT * (8.0 * residual + size * ((4.0 if problem.weights.size else 0.0) + longest * longest * UNIT))
    zero = _sum(zero_conjugates)
    zero += 40.0 * len(u) * UNIT * abs(zero)
    return _SecondSums(_sum(conjugates), sum(errors), residual, sum(at_zeros), zero)


def _repair(plus: float, minus: float) -> tuple[float, float]:
    """Factors that balance the two signs by shrinking the heavier one, which stays in every conjugate's domain."""
    if plus > minus:
        return minus / plus, 1.0
    return 1.0, (plus / minus if minus > 0.0 else 1.0)


def _sum(parts: Iterable[float]) -> float:
    """Exactly rounded; infinite where a part is (fsum would raise)."""
    values = list(parts)
    return math.fsum(values) if all(map(math.isfinite, values)) else sum(values)


def _norm(x: Vector) -> float:
    """||x||, scaled so that the squares neither overflow nor vanish."""
    largest = float(np.max(np.abs(x)))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    return float(largest * np.sqrt(np.sum((x / largest) ** 2)))


@kernel(exact=True)
def _add(total, rest, term):
    """Neumaier's compensated sum: the sum so far is total + rest."""
    new = total + term
    if math.isinf(new):
        return new, 0.0
    rest += (total - new) + term if abs(total) >= abs(term) else (term - new) + total
    return new, rest


@kernel
def _scores_and_duals(loss, smoothness, X, y, weights, scale, start, stop, w, b, given, keep, u, sum_plus, sum_minus):
    value = 0.0
    value_rest = 0.0
    value_error = 0.0
    plus = 0.0
    minus = 0.0
    dual_norm = 0.0
    dual_size = 0.0
    row_norm = 0.0
    for i in range(start, stop):
        u[i] = 0.0
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        z = X.dot_row(i, w) + b
        norm = math.sqrt(X.squared_row_norm(i))
        reach = X.dot_row_sizes(i, w)
        off = 1.01 * (X.row_size(i) + 3) * UNIT * (reach + abs(b))
        dual = -loss.derivative(z, y[i])
        if smoothness >= 0.0:
            left = right = dual
            steepness = abs(dual) + smoothness * off
        else:  # a convex loss is steepest at an end
            left = -loss.derivative(z - off, y[i])
            right = -loss.derivative(z + off, y[i])
            steepness = max(abs(left), abs(right))
        if given.size and not math.isnan(given[i]):
            dual = given[i]
            keep[i] = dual != left or dual != right
        u[i] = dual
        term = s * loss.value(z, y[i])
        value, value_rest = _add(value, value_rest, term)
        value_error += s * steepness * off + 20.0 * UNIT * abs(term)
        size = s * abs(dual)
        dual_norm += size * norm
        dual_size += size * reach
        row_norm = max(row_norm, norm)
        if dual > 0.0:
            plus += size
            X.add_row(i, size, sum_plus)
        elif dual < 0.0:
            minus += size
            X.add_row(i, -size, sum_minus)
    return value + value_rest, value_error, plus, minus, dual_norm, dual_size, row_norm


@kernel
def _conjugates(loss, y, weights, scale, start, stop, shrink_plus, shrink_minus, u):
    conjugate = 0.0
    conjugate_rest = 0.0
    residual = 0.0
    residual_rest = 0.0
    error = 0.0
    size = 0.0
    at_zero = 0.0
    zero = 0.0
    for i in range(start, stop):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        at_zero += s * loss.value(0.0, y[i])
        u[i] *= shrink_plus if u[i] > 0.0 else shrink_minus
        term = s * loss.conjugate(-u[i], y[i])
        conjugate, conjugate_rest = _add(conjugate, conjugate_rest, term)
        part = weights[i] * u[i] if weights.size else u[i]
        residual, residual_rest = _add(residual, residual_rest, part)
        size += s * abs(u[i])
        error += 20.0 * UNIT * (abs(term) + 2.0 * s * abs(u[i]) * max(1.0, abs(y[i])))
        zero += s * loss.conjugate(0.0, y[i])
    return conjugate + conjugate_rest, error, residual, residual_rest, size, at_zero, zero


@kernel
def _omega_dual(regularizer, v, maximizer):
    regularizer.maximizer(v, maximizer)
    return regularizer.conjugate(v)

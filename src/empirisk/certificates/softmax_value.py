"""Primal and dual value of a softmax problem at a point, with a bound on the rounding of each.

A dual point is a distribution p_i over the classes for each row, u_i = scale (e_k - p_i), k the row's class; with
V = (1/S) sum_i s_i u_i x_i^T,  D = -(scale/S) sum_i s_i sum_j p_ij log p_ij - Omega*(V), and where the intercepts are
free, sum_i s_i u_i = 0. The p_i are those of the scores, repaired: classes with too large a total are scaled down, and
what each row loses goes to the classes with too small a one, which keeps every row a distribution and balances the
totals. A row is given by its p_ij of the other classes; that of its own is 1 minus their sum o_i, so it is exactly a
distribution whatever its rounding. Sums over rows are compensated, and every rounding is counted, as in `dual_value`.
Where Omega* is infinite at V (l2 = 0), the u_i are scaled down or V is charged for: see `softmax_penalty`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import SMALLEST, TINY, UNIT, add_compensated, exact_sum
from empirisk.arithmetic.copying import fill
from empirisk.certificates.intercept_bound import charged
from empirisk.certificates.loss_accuracy import floor_of
from empirisk.certificates.penalty_dual import reach_of, vanishing
from empirisk.certificates.softmax_penalty import ElasticNetDual, penalty_and_norms
from empirisk.certificates.values import Values, evaluate
from empirisk.compiled import kernel
from empirisk.designs import row_sizes
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import scores_at, shares, sum_of_rows
from empirisk.protocols import Matrix, Unsupported, Vector
from empirisk.rows.norms import row_norms
from empirisk.rows.protocol import RowBlock, RowVector


@evaluate.register
def _(problem: MulticlassRisk, point: LinearPoint) -> Values:
    """At weights (K x d) and intercepts of softmax; the dual point follows from the scores."""
    if problem.loss.splits():
        raise Unsupported("one-versus-rest has a duality gap for each class, not one for all")
    w, b = point.weights, np.asarray(point.intercept)
    shape = (problem.n_classes, problem.rows.n_columns)
    if w.shape != shape or b.shape != shape[:1]:
        raise ValueError(f"weights and intercepts must have shapes {shape} and {shape[:1]}, got {w.shape}, {b.shape}")
    if np.any(b) and not problem.fit_intercept:
        raise ValueError("there are intercepts, in a problem without them")
    with np.errstate(all="ignore"):  # what overflows makes the gap infinite, which says enough
        return _evaluate(problem, w, b)


def _evaluate(problem: MulticlassRisk, w: Matrix, b: Vector) -> Values:
    scale, n_classes = problem.loss.scale, problem.n_classes
    rows, norms = problem.rows, problem.rows.blank()
    longest_row = max(rows.each(_norms, writes=(norms,)))
    # In one order whatever that of w is: the assumed radius is a sum over all of them, and must come out the same.
    x = np.ascontiguousarray(LinearPoint(w, b).stacked())
    p = scores_at(problem, x)
    omega, weight_norms = penalty_and_norms(problem.regularizer, x[:-1])
    first = _first_pass(problem, weight_norms, np.abs(b), norms, p)
    risk = scale * first.value
    # S itself is rounded, and so are the n_classes terms of each column.
    primal_error = 1.01 * scale * first.value_error + UNIT * 68.0 * abs(risk)
    primal_error += UNIT * 1.01 * (n_classes + 12) * (omega + vanishing(problem, x[:-1]))
    floor = rows.n_rows * floor_of(problem.loss)
    primal, primal_error = risk + omega, primal_error + floor

    give, take = np.zeros(n_classes), np.zeros(n_classes)
    if problem.fit_intercept:
        lacking = np.maximum(first.residuals, 0.0)
        give = np.where(first.residuals < 0.0, -first.residuals / first.totals, 0.0)
        take = lacking / max(lacking.sum(), np.finfo(float).tiny)
    give = np.minimum(give, 1.0)
    is_scaled = problem.regularizer.l2 == 0.0 < problem.regularizer.l1
    duals = rows.blank((n_classes,)) if is_scaled else p  # s_i u_i / (S scale)
    second = _second_pass(problem, give, take, 1.0, norms, p, duals)
    # A weighted sum of m rows is off by m + 2 roundings of each term at most, and u by those of a sum over the classes.
    terms = 1.1 * rows.tree.roundings(x.size, problem.work) + n_classes + 32
    tiny = 4.0 * TINY * rows.n_rows * (longest_row + math.sqrt(w.shape[1])) * (1.0 + 1.0 / scale)
    off = 1.01 * terms * UNIT * scale * (second.dual_norms + tiny)
    reach, _ = reach_of(problem, x[:-1], primal + primal_error, longest_row, 1.0)
    penalty = ElasticNetDual.at(problem.regularizer, scale * sum_of_rows(problem, duals)[:-1], off, reach)
    if penalty.factor < 1.0:
        second = _second_pass(problem, give, take, penalty.factor, norms, p, duals)
    dual_error = 1.01 * scale * second.error + UNIT * 68.0 * scale * abs(second.entropy) + penalty.error + floor
    dual, radius, weights_radius = -scale * second.entropy - penalty.value, math.inf, penalty.weights_radius
    if problem.fit_intercept:
        bound = _intercept_bound(problem, primal + primal_error, reach, norms)
        dual, radius = charged(dual, bound, float(np.max(np.abs(b - b.mean()))), scale * second.residual, 1.0)
    if not dual - dual_error > 0.0:  # p_i = e_k is a dual point too: nothing lies below zero
        dual, dual_error, radius, weights_radius = 0.0, 0.0, math.inf, math.inf
    at_zero = scale * math.log(n_classes)
    return Values(primal, dual, primal_error + dual_error, radius, weights_radius, at_zero)


class _FirstSums(NamedTuple):
    value: float
    value_error: float
    residuals: Vector  # (1/S) sum_i s_i u_ij / scale for each class
    totals: Vector  # (1/S) sum_i s_i p_ij


class _SecondSums(NamedTuple):
    entropy: float  # (1/S) sum_i s_i sum_j p_ij log p_ij
    error: float
    residual: float  # the sum over the classes of |(1/S) sum_i s_i u_ij| / scale, rounded up
    dual_norms: Vector  # (1/S) sum_i s_i |u_ij| ||x_i|| / scale for each class


def _first_pass(
    problem: MulticlassRisk, weight_norms: Vector, sizes_b: Vector, norms: RowVector, p: RowVector
) -> _FirstSums:
    """Turns the scores in p into probabilities."""
    args = 1.0 / problem.total_weight, weight_norms, sizes_b
    given = (problem.labels, problem.weights, norms, p)
    parts = problem.rows.each(_probabilities_of_block, *args, rows=given, writes=(p,), work=problem.work)
    values, errors, sums = zip(*parts, strict=True)
    return _FirstSums(exact_sum(values), sum(errors), _exact_totals(sums), sum(part[2] for part in sums))


def _second_pass(
    problem: MulticlassRisk,
    give: Vector,
    take: Vector,
    factor: float,
    norms: RowVector,
    p: RowVector,
    duals: RowVector,
) -> _SecondSums:
    """Repairs the probabilities in p, scales the u_i, and writes the coefficients s_i u_i / (S scale) of V."""
    args = 1.0 / problem.total_weight, give, take, factor
    given = (problem.labels, problem.weights, norms, p)
    parts = problem.rows.each(_duals_of_block, *args, rows=given, writes=(duals,), work=problem.work)
    entropies, errors, sizes, sums = zip(*parts, strict=True)
    residual = sum(np.abs(_exact_totals(sums)).tolist())
    # Of s_i u_ij, of u_ij as a sum over the classes, and of the compensated sum to second order.
    longest = problem.rows.tree.roundings(1, problem.work)
    residual += UNIT * (8.0 * residual + sum(sizes) * (problem.n_classes + 12.0 + longest * longest * UNIT))
    residual += 4.0 * SMALLEST * problem.rows.n_rows * problem.n_classes
    return _SecondSums(exact_sum(entropies), sum(errors), residual, sum(part[2] for part in sums))


def _norms(block: RowBlock, out: Vector) -> float:
    """Write ||x_i||, rounded up; the largest of them."""
    row_norms(block.design, out)
    out *= 1.001
    return float(out.max())


def _probabilities_of_block(
    block: RowBlock,
    scale: float,
    weight_norms: Vector,
    sizes_b: Vector,
    labels: Vector,
    weights: Vector,
    norms: Vector,
    scores: Matrix,
    out: Matrix,
) -> tuple[float, float, Matrix]:
    _copied(scores, out)
    sums, sizes = np.zeros((3, out.shape[1])), row_sizes(block.design)
    value, error = _probabilities(labels, weights, scale, weight_norms, sizes_b, sizes, norms, out, sums)
    return value, error, sums


def _duals_of_block(
    block: RowBlock,
    scale: float,
    give: Vector,
    take: Vector,
    factor: float,
    labels: Vector,
    weights: Vector,
    norms: Vector,
    p: Matrix,
    out: Matrix,
) -> tuple[float, float, float, Matrix]:
    _copied(p, out)
    sums = np.zeros((3, out.shape[1]))
    return *_duals(labels, weights, scale, give, take, factor, norms, out, sums), sums


def _copied(given: Matrix, out: Matrix) -> None:
    """What is turned into something else in place, where it is not there already."""
    if not np.may_share_memory(given, out):
        out[:] = given


def _exact_totals(sums: Sequence[Matrix]) -> Vector:
    """Of each class over the blocks, whose compensated sums are the first two rows."""
    return np.array([exact_sum(column) for column in np.vstack([part[:2] for part in sums]).T.tolist()])


def _intercept_bound(problem: MulticlassRisk, objective: float, reach: float, norms: RowVector) -> float:
    """B such that every minimiser with ||W|| <= reach and intercepts that sum to zero has |b_j| <= B, else infinite.

    The loss of a row of class j is at least scale (z_l - z_j) for any class l, so with q_j the share and r_j the mean
    ||x_i|| of class j, P >= scale q_j (b_l - b_j - r_j ||w_l - w_j||), and ||w_l - w_j||^2 <= 2 ||W||^2.
    """
    parts = problem.rows.each(_class_sums, problem.n_classes, rows=(problem.labels, shares(problem), norms))
    totals, lengths = np.sum(parts, axis=0)
    if not (np.all(totals > 0.0) and math.isfinite(objective)):
        return math.inf
    spread = objective / (problem.loss.scale * totals) + math.sqrt(2.0) * reach * lengths / totals
    return 1.001 * float(spread.max())


def _class_sums(block: RowBlock, n_classes: int, labels: Vector, weights: Vector, norms: Vector) -> Matrix:
    """Of the weights, and of the weighted norms, in each class."""
    sums = (np.bincount(labels, part, n_classes) for part in (weights, weights * norms))
    return np.array(list(sums))


@kernel
def _probabilities(labels, weights, scale, weight_norms, sizes_b, sizes, norms, p, sums):
    value = 0.0
    rest = 0.0
    error = 0.0
    n_classes = p.shape[1]
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        k = labels[i]
        z = p[i]
        best = 0
        for j in range(n_classes):
            if z[j] > z[best]:
                best = j
        top = z[best]
        behind = top - z[k]
        others = 0.0
        spread = 0.0
        for j in range(n_classes):
            e = math.exp(z[j] - top)
            if j != best:
                others += e
                spread += e * min(top - z[j], 1e4)
            z[j] = e
        loss = math.log1p(others) + behind
        term = s * loss
        value, rest = add_compensated(value, rest, term)
        # Of the scores (the gradient at the point, and half the largest curvature times the squared error) ...
        count = 1.01 * (sizes[i] + 4) * UNIT
        steepness = 0.0
        squared = 0.0
        wrong = 0.0
        for j in range(n_classes):
            z[j] /= 1.0 + others
            if j != k:
                wrong += z[j]
        for j in range(n_classes):
            off = count * (norms[i] * weight_norms[j] + sizes_b[j])
            steepness += (wrong if j == k else z[j]) * off
            squared += off * off
        # ... and of the exponentials and their sum.
        own = UNIT * ((n_classes + 12) * others + 2.0 * spread + 12.0 * loss)
        error += s * (1.01 * steepness + squared + own)
        for j in range(n_classes):
            sums[0, j], sums[1, j] = add_compensated(sums[0, j], sums[1, j], s * (wrong if j == k else -z[j]))
            sums[2, j] += s * z[j]
    return value + rest, error


@kernel
def _duals(labels, weights, scale, give, take, factor, norms, p, sums):
    entropy = 0.0
    rest = 0.0
    error = 0.0
    size = 0.0
    n_classes = p.shape[1]
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        q = p[i]
        if s == 0.0:
            fill(q, 0.0)
            continue
        k = labels[i]
        given = 0.0
        for j in range(n_classes):
            given += give[j] * q[j]
        others = 0.0
        for j in range(n_classes):
            if j != k:
                q[j] = q[j] * (1.0 - give[j]) + given * take[j]
                others += q[j]
        shrink = factor
        if others > 0.9:  # the exact sum must not exceed one
            shrink *= (1.0 - 4.0 * (n_classes + 4) * UNIT) / max(others, 1.0)
        if shrink < 1.0:
            others = 0.0
            for j in range(n_classes):
                if j != k:
                    q[j] *= shrink
                    others += q[j]
        own = (1.0 - others) * math.log1p(-others)
        total = own
        absolute = abs(own)
        for j in range(n_classes):
            if j != k and q[j] > 0.0:
                part = q[j] * math.log(q[j])
                total += part
                absolute += abs(part)
        entropy, rest = add_compensated(entropy, rest, s * total)
        steepness = others * (1.0 + abs(math.log1p(-others)))
        error += s * UNIT * ((n_classes + 16) * (absolute + steepness))
        size += 2.0 * s * others
        for j in range(n_classes):
            dual = s * others if j == k else -s * q[j]
            q[j] = dual
            sums[0, j], sums[1, j] = add_compensated(sums[0, j], sums[1, j], dual)
            sums[2, j] += abs(dual) * norms[i]
    return entropy + rest, error, size

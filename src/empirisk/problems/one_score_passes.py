"""The passes of problems with one score a row; registered with `passes`."""

from __future__ import annotations

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.designs import n_entries
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import (
    Gradient,
    LossAt,
    extrapolated_gradient,
    hessian_products,
    line_slope,
    loss_at,
    risk_gradient,
    scores_at,
    scores_of,
    sum_of_rows,
    to_curvatures,
    weighted_sum,
)
from empirisk.protocols import Vector
from empirisk.rows.blocks import ENTRIES_PER_BLOCK, Block, map_blocks, sum_parts, tile_rows


@risk_gradient.register
def _(problem: EmpiricalRisk, x: Vector, scores: Vector) -> Gradient:
    w, b, tile = x[:-1], float(x[-1]), tile_rows(problem.design)

    def task(block: Block) -> tuple[float, Vector]:
        out = np.zeros(x.size)
        parts = problem.loss, problem.design, problem.labels, problem.weights, 1.0 / problem.total_weight
        risk, out[-1] = _gradient(*parts, block[0], block[1], tile, w, b, scores, np.empty(tile), out[:-1])
        return risk, out

    risks, slopes = zip(*map_blocks(task, problem.blocks, problem.n_threads), strict=True)
    return Gradient(exact_sum(risks), _slope(problem, slopes))


@extrapolated_gradient.register
def _(problem: EmpiricalRisk, x: Vector, beta: float, old_scores: Vector, scores: Vector) -> tuple[float, Gradient]:
    w, b = x[:-1], float(x[-1])

    def task(block: Block) -> tuple[float, float, Vector]:
        out = np.zeros(x.size)
        parts = problem.loss, problem.design, problem.labels, problem.weights, 1.0 / problem.total_weight
        here, there, out[-1] = _extrapolate(*parts, block[0], block[1], w, b, beta, old_scores, scores, out[:-1])
        return here, there, out

    here, there, slopes = zip(*map_blocks(task, problem.blocks, problem.n_threads), strict=True)
    return exact_sum(here), Gradient(exact_sum(there), _slope(problem, slopes))


def _slope(problem: EmpiricalRisk, parts: tuple[Vector, ...]) -> Vector:
    total: Vector = sum_parts(parts)
    if not problem.fit_intercept:
        total[-1] = 0.0
    return total


@scores_at.register
def _(problem: EmpiricalRisk, x: Vector) -> Vector:
    return scores_of(problem.design, x[:-1], float(x[-1]), problem.n_threads)


@loss_at.register
def _(problem: EmpiricalRisk, scores: Vector) -> LossAt:
    slopes, curvatures = np.empty(scores.size), np.empty(scores.size)
    scale = 1.0 / problem.total_weight
    risk = _evaluate(problem.loss, problem.labels, problem.weights, scale, scores, slopes, curvatures)
    return LossAt(risk, slopes, curvatures)


@sum_of_rows.register
def _(problem: EmpiricalRisk, coefficients: Vector) -> Vector:
    return np.append(weighted_sum(problem, coefficients), coefficients.sum() if problem.fit_intercept else 0.0)


@line_slope.register
def _(problem: EmpiricalRisk, scores: Vector, change: Vector, t: float) -> float:
    scale = 1.0 / problem.total_weight
    return float(_slope_along(problem.loss, problem.labels, problem.weights, scale, scores, change, t))


@to_curvatures.register
def _(problem: EmpiricalRisk, scores: Vector) -> Vector:
    _curvatures(problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight, scores)
    return scores


class HessianProducts:
    """The Hessian as an operator; buffers are kept between products."""

    def __init__(self, problem: EmpiricalRisk, curvatures: Vector) -> None:
        self.problem, self.curvatures = problem, curvatures
        # Rows without curvature are not visited. What is left may not be worth handing out to threads.
        self.active_share = np.count_nonzero(curvatures) / curvatures.size
        little = self.active_share * n_entries(problem.design) < 2 * ENTRIES_PER_BLOCK
        self.blocks = [(0, curvatures.size)] if little else problem.blocks
        self.sums = np.empty((len(self.blocks), problem.design.n_columns() + 1))

    def apply(self, p: Vector) -> Vector:
        """H p, valid until the next call."""
        design, l2 = self.problem.design, self.problem.regularizer.l2
        has_intercept = self.problem.fit_intercept

        def task(k: int) -> None:
            start, stop = self.blocks[k]
            _product(design, start, stop, self.curvatures, l2 if k == 0 else 0.0, has_intercept, p, self.sums[k])

        map_blocks(task, list(range(len(self.blocks))), self.problem.n_threads)
        product: Vector = sum_parts(self.sums)
        return product


hessian_products.register(EmpiricalRisk, HessianProducts)


@kernel
def _gradient(loss, X, y, weights, scale, start, stop, tile, w, b, scores, slopes, out):
    """Tile by tile, while the rows are in the cache: scores, losses in a loop that runs on vectors, the sum."""
    risk = 0.0
    slope = 0.0
    for first in range(start, stop, tile):
        last = min(first + tile, stop)
        for i in range(first, last):
            scores[i] = X.dot_row(i, w) + b
        z = scores[first:last]
        t = y[first:last]
        if weights.size:
            shares = weights[first:last]
            for k in range(z.size):
                s = scale * shares[k]
                risk += s * loss.value(z[k], t[k]) if s > 0.0 else 0.0
                slopes[k] = s * loss.derivative(z[k], t[k]) if s > 0.0 else 0.0
        else:
            for k in range(z.size):
                risk += scale * loss.value(z[k], t[k])
                slopes[k] = scale * loss.derivative(z[k], t[k])
        for i in range(first, last):
            g = slopes[i - first]
            if g != 0.0:
                slope += g
                X.add_row(i, g, out)
    return risk, slope


@kernel
def _extrapolate(loss, X, y, weights, scale, start, stop, w, b, beta, old_scores, scores, out):
    here = 0.0
    there = 0.0
    slope = 0.0
    for i in range(start, stop):
        z = X.dot_row(i, w) + b
        scores[i] = z
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        value = loss.value(z, y[i])
        here += s * value
        if beta != 0.0:
            z += beta * (z - old_scores[i])
            value = loss.value(z, y[i])
        there += s * value
        g = s * loss.derivative(z, y[i])
        if g != 0.0:
            slope += g
            X.add_row(i, g, out)
    return here, there, slope


@kernel
def _evaluate(loss, y, weights, scale, scores, slopes, curvatures):
    """The mean loss; writes slopes and curvatures. Without weights it runs on vectors."""
    risk = 0.0
    if weights.size:
        for i in range(scores.size):
            s = scale * weights[i]
            risk += s * loss.value(scores[i], y[i]) if s > 0.0 else 0.0
            slopes[i] = s * loss.derivative(scores[i], y[i]) if s > 0.0 else 0.0
            curvatures[i] = s * loss.second_derivative(scores[i], y[i]) if s > 0.0 else 0.0
        return risk
    for i in range(scores.size):
        risk += loss.value(scores[i], y[i])
        slopes[i] = scale * loss.derivative(scores[i], y[i])
        curvatures[i] = scale * loss.second_derivative(scores[i], y[i])
    return scale * risk


@kernel
def _slope_along(loss, y, weights, scale, z, change, t):
    total = 0.0
    for i in range(z.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0 and change[i] != 0.0:
            total += s * loss.derivative(z[i] + t * change[i], y[i]) * change[i]
    return total


@kernel
def _curvatures(loss, y, weights, scale, scores):
    for i in range(scores.size):
        s = scale * weights[i] if weights.size else scale
        scores[i] = s * loss.second_derivative(scores[i], y[i]) if s > 0.0 else 0.0


@kernel
def _product(X, start, stop, curvatures, l2, has_intercept, p, out):
    d = X.n_columns()
    for j in range(d):
        out[j] = l2 * p[j]
    out[d] = 0.0
    b = p[d] if has_intercept else 0.0
    slope = 0.0
    for i in range(start, stop):
        h = curvatures[i]
        if h != 0.0:
            a = h * (X.dot_row(i, p) + b)
            slope += a
            X.add_row(i, a, out)
    if has_intercept:
        out[d] = slope

"""Full passes over the data of an empirical risk: scores, gradient, curvature.

Each is a map over row blocks and a sum in block order; every row is read once a pass.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.designs import Dense, n_entries
from empirisk.protocols import Vector
from empirisk.rows.blocks import ENTRIES_PER_BLOCK, Block, map_blocks, row_blocks, sum_parts, tile_rows


class Gradient(NamedTuple):
    """An objective at a point and its gradient."""

    objective: float
    weights: Vector
    intercept: float


def gradient(problem: Any, w: Vector, b: float, scores: Vector) -> Gradient:
    """Objective and gradient at (w, b), where the regularizer is l2 alone; writes the scores z_i."""
    risk = risk_gradient(problem, w, b, scores)
    weights = risk.weights
    weights += problem.regularizer.l2 * w
    return risk._replace(objective=risk.objective + penalty(problem, w), weights=weights)


def risk_gradient(problem: Any, w: Vector, b: float, scores: Vector) -> Gradient:
    """Mean loss and its gradient at (w, b), without the regularizer; writes the scores z_i."""

    def task(block: Block) -> tuple[float, float, Vector]:
        out = np.zeros(w.size)
        parts = problem.loss, problem.design, problem.labels, problem.weights, scale, block[0], block[1], tile
        risk, slope = _gradient(*parts, w, b, scores, np.empty(tile), out)
        return risk, slope, out

    scale, tile = 1.0 / problem.total_weight, tile_rows(problem.design)
    parts = map_blocks(task, problem.blocks, problem.n_threads)
    total = sum_parts(part[2] for part in parts)
    risk = exact_sum(part[0] for part in parts)
    slope = sum(part[1] for part in parts) if problem.fit_intercept else 0.0
    return Gradient(risk, total, slope)


def shares(problem: Any) -> Vector:
    """s_i / S."""
    weights: Vector = problem.weights if problem.weights.size else np.ones(problem.design.n_rows())
    return weights / problem.total_weight


def penalty(problem: Any, w: Vector) -> float:
    """Omega(w)."""
    return float(_penalty(problem.regularizer, w))


def project(problem: Any, w: Vector) -> Vector:
    """The closest point that the constraint allows: w itself where it is one."""
    if math.isfinite(penalty(problem, w)):
        return w
    projected = np.empty(w.size)
    _project(problem.regularizer, w, projected)
    return projected


def to_curvatures(problem: Any, scores: Vector) -> Vector:
    """Replace each score z_i by (s_i / S) loss''(z_i), in place."""
    _curvatures(problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight, scores)
    return scores


def hessian(problem: Any, curvatures: Vector) -> NDArray[np.float64]:
    """X^T diag(curvatures) X + l2 I, bordered by the intercept's row and column; the lower triangle is valid."""
    matrix = risk_hessian(problem, curvatures)
    d = problem.design.n_columns()
    matrix[np.arange(d), np.arange(d)] += problem.regularizer.l2
    return matrix


def risk_hessian(problem: Any, curvatures: Vector) -> NDArray[np.float64]:
    """The same without l2: that of the mean loss."""
    d = problem.design.n_columns()
    row_size = n_entries(problem.design) / problem.design.n_rows()
    work = row_size / (48.0 if isinstance(problem.design, Dense) else 8.0)  # BLAS is that much faster
    blocks = row_blocks(problem.design, d * d, max(1.0, work))

    def task(block: Block) -> NDArray[np.float64]:
        out = np.zeros((d, d))
        problem.design.add_gram(block[0], block[1], curvatures, out)
        return out

    total = sum_parts(map_blocks(task, blocks, problem.n_threads))
    if not problem.fit_intercept:
        return total
    bordered = np.zeros((d + 1, d + 1))
    bordered[:d, :d] = total
    bordered[d, :d] = weighted_sum(problem, curvatures)
    bordered[d, d] = curvatures.sum()
    return bordered


def weighted_sum(problem: Any, coefficients: Vector) -> Vector:
    """The sum of coefficients[i] x_i over the rows; by BLAS where it can read them."""
    design = problem.design
    if isinstance(design, Dense) and design.values.dtype == np.float64:
        values = design.values
        return _sum_rows(
            problem, lambda start, stop, out: np.dot(coefficients[start:stop], values[start:stop], out=out)
        )
    return _sum_rows(problem, lambda start, stop, out: add_rows(design, start, stop, coefficients, out))


class HessianProducts:
    """The Hessian as an operator on (d + 1)-vectors, the intercept last; buffers are kept between products."""

    def __init__(self, problem: Any, curvatures: Vector) -> None:
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
        return sum_parts(self.sums)


def squared_column_norms(problem: Any, curvatures: Vector) -> Vector:
    """The diagonal of X^T diag(curvatures) X."""
    return _sum_rows(problem, lambda start, stop, out: _add_squares(problem.design, start, stop, curvatures, out))


def scores_of(design: Any, w: Vector, b: float, n_threads: int = 1) -> Vector:
    """<w, x_i> + b for each row."""
    out = np.empty(design.n_rows())
    map_blocks(lambda block: _scores(design, block[0], block[1], w, b, out), row_blocks(design, 1), n_threads)
    return out


def _sum_rows(problem: Any, add: Any) -> Vector:
    def task(block: Block) -> Vector:
        out = np.zeros(problem.design.n_columns())
        add(block[0], block[1], out)
        return out

    return sum_parts(map_blocks(task, problem.blocks, problem.n_threads))


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
def _penalty(regularizer, w):
    return regularizer.value(w)


@kernel
def _project(regularizer, w, out):
    regularizer.prox(w, 0.0, out)


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


@kernel
def implied_duals(loss, y, scores):
    """Replace each score by the dual variable that follows from it, -loss'(z_i)."""
    for i in range(scores.size):
        scores[i] = -loss.derivative(scores[i], y[i])


@kernel
def maximizer(regularizer, v, out):
    """Write the w that reaches the supremum of <w, v> - Omega(w)."""
    regularizer.maximizer(v, out)


@kernel
def add_rows(X, start, stop, coefficients, out):
    """Add coefficients[i] x_i to out for each row from start to stop."""
    for i in range(start, stop):
        if coefficients[i] != 0.0:
            X.add_row(i, coefficients[i], out)


@kernel
def _add_squares(X, start, stop, coefficients, out):
    for i in range(start, stop):
        if coefficients[i] != 0.0:
            X.add_row_squares(i, coefficients[i], out)


@kernel
def _scores(X, start, stop, w, b, out):
    for i in range(start, stop):
        out[i] = X.dot_row(i, w) + b

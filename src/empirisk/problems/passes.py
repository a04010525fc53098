"""Full passes over the data of a linear predictor: scores, gradient, curvature.

A point is one array x whose last entry is the intercept: d + 1 floats for one score a row; for K classes (d + 1) x K,
the intercepts as its last row. Scores and curvatures are n floats, or n x K. What a pass does with a row is registered
for each type of problem, in `one_score_passes` and `multiclass_passes`; what is made of the passes is the same.

Each is a map over row blocks and a sum in block order; every row is read once a pass.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, n_entries
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import Array, Matrix, Vector
from empirisk.rows.blocks import Block, map_blocks, row_blocks, sum_parts


class Gradient(NamedTuple):
    """An objective at a point and its gradient, shaped like the point; zero for an intercept that is not fitted."""

    objective: float
    slope: Array

    @property
    def weights(self) -> Array:
        """The part of the weights."""
        return self.slope[:-1]

    @property
    def intercept(self) -> Any:
        """That of the intercept: a float, or one for each class."""
        return self.slope[-1]


class LossAt(NamedTuple):
    """The loss at given scores."""

    risk: float  # the mean
    slopes: Array  # s_i / S times its derivatives in the scores of row i
    curvatures: Array  # as `to_curvatures` writes them


class Products(Protocol):
    """The Hessian as an operator on points."""

    @property
    def active_share(self) -> float:
        """Of the rows, that a product visits."""

    def apply(self, p: Array) -> Array:
        """H p, valid until the next call."""


@functools.singledispatch
def risk_gradient(problem: LinearRisk, x: Array, scores: Array) -> Gradient:
    """Mean loss and its gradient at x, without the regularizer; writes the scores."""
    raise _no_passes(problem)


@functools.singledispatch
def extrapolated_gradient(
    problem: LinearRisk, x: Array, beta: float, old_scores: Array, scores: Array
) -> tuple[float, Gradient]:
    """The mean loss at x, whose scores are written; that and its gradient at scores + beta (scores - old)."""
    raise _no_passes(problem)


@functools.singledispatch
def scores_at(problem: LinearRisk, x: Array) -> Array:
    """The scores of each row."""
    raise _no_passes(problem)


@functools.singledispatch
def loss_at(problem: LinearRisk, scores: Array) -> LossAt:
    """Value, slopes and curvatures of the loss at these scores; no row is read."""
    raise _no_passes(problem)


@functools.singledispatch
def sum_of_rows(problem: LinearRisk, coefficients: Array) -> Array:
    """sum_i a_i (x_i, 1), shaped like a point, for the coefficients a_i of the rows; 0 for intercepts not fitted."""
    raise _no_passes(problem)


@functools.singledispatch
def line_slope(problem: LinearRisk, scores: Array, change: Array, t: float) -> float:
    """The derivative of the mean loss in t, where the scores are scores + t change."""
    raise _no_passes(problem)


@functools.singledispatch
def to_curvatures(problem: LinearRisk, scores: Array) -> Array:
    """Replace the scores by what products with the Hessian there need: (s_i / S) loss''(z_i) for one score; in place.

    For many classes, what `loss.curvature` writes for each row.
    """
    raise _no_passes(problem)


@functools.singledispatch
def hessian_products(problem: LinearRisk, curvatures: Array) -> Products:
    """The Hessian of the mean loss and l2 as an operator."""
    raise _no_passes(problem)


def _no_passes(problem: object) -> TypeError:
    return TypeError(f"{type(problem).__name__} has no passes over rows: it is not the risk of a linear predictor")


def gradient(problem: LinearRisk, x: Array, scores: Array) -> Gradient:
    """Objective and gradient at x, where the regularizer is l2 alone; writes the scores."""
    risk = risk_gradient(problem, x, scores)
    risk.slope[:-1] += problem.regularizer.l2 * x[:-1]
    return Gradient(risk.objective + penalty(problem, x[:-1]), risk.slope)


def blank_scores(problem: LinearRisk, x: Array) -> Array:
    """A buffer for the scores at points like x."""
    return np.empty((problem.design.n_rows(), *x.shape[1:]))


def shares(problem: LinearRisk) -> Vector:
    """s_i / S."""
    weights: Vector = problem.weights if problem.weights.size else np.ones(problem.design.n_rows())
    return weights / problem.total_weight


def penalty(problem: LinearRisk, w: Array) -> float:
    """Omega(w); of many classes together, where Omega is l1 and l2, the sum over them."""
    return float(_penalty(problem.regularizer, w.ravel()))


def project(problem: LinearRisk, w: Vector) -> Vector:
    """The closest point that the constraint allows: w itself where it is one."""
    if math.isfinite(penalty(problem, w)):
        return w
    projected = np.empty(w.size)
    prox(problem.regularizer, w, 0.0, projected)
    return projected


def hessian(problem: LinearRisk, curvatures: Vector) -> Matrix:
    """X^T diag(curvatures) X + l2 I, bordered by the intercept's row and column; the lower triangle is valid."""
    matrix = risk_hessian(problem, curvatures)
    d = problem.design.n_columns()
    matrix[np.arange(d), np.arange(d)] += problem.regularizer.l2
    return matrix


def risk_hessian(problem: LinearRisk, curvatures: Vector) -> Matrix:
    """The same without l2: that of the mean loss."""
    d = problem.design.n_columns()
    row_size = n_entries(problem.design) / problem.design.n_rows()
    work = row_size / (48.0 if isinstance(problem.design, Dense) else 8.0)  # BLAS is that much faster
    blocks = row_blocks(problem.design, d * d, max(1.0, work))

    def task(block: Block) -> Matrix:
        out = np.zeros((d, d))
        problem.design.add_gram(block[0], block[1], curvatures, out)
        return out

    total: Matrix = sum_parts(map_blocks(task, blocks, problem.n_threads))
    if not problem.fit_intercept:
        return total
    bordered = np.zeros((d + 1, d + 1))
    bordered[:d, :d] = total
    bordered[d, :d] = weighted_sum(problem, curvatures)
    bordered[d, d] = curvatures.sum()
    return bordered


def weighted_sum(problem: LinearRisk, coefficients: Vector) -> Vector:
    """The sum of coefficients[i] x_i over the rows; by BLAS where it can read them."""
    design = problem.design
    if isinstance(design, Dense) and design.values.dtype == np.float64:
        values = design.values
        return _sum_rows(
            problem, lambda start, stop, out: np.dot(coefficients[start:stop], values[start:stop], out=out)
        )
    return _sum_rows(problem, lambda start, stop, out: add_rows(design, start, stop, coefficients, out))


def squared_column_norms(problem: LinearRisk, curvatures: Vector) -> Vector:
    """The diagonal of X^T diag(curvatures) X."""
    return _sum_rows(problem, lambda start, stop, out: _add_squares(problem.design, start, stop, curvatures, out))


def mean_row_norm(problem: LinearRisk) -> float:
    """The root of the mean ||x_i||^2."""
    return math.sqrt(float(squared_column_norms(problem, shares(problem)).sum()))


def scores_of(design: Dense | CSR, w: Vector, b: float, n_threads: int = 1) -> Vector:
    """<w, x_i> + b for each row."""
    out = np.empty(design.n_rows())
    map_blocks(lambda block: _scores(design, block[0], block[1], w, b, out), row_blocks(design, 1), n_threads)
    return out


def _sum_rows(problem: LinearRisk, add: Callable[[int, int, Vector], object]) -> Vector:
    def task(block: Block) -> Vector:
        out = np.zeros(problem.design.n_columns())
        add(block[0], block[1], out)
        return out

    total: Vector = sum_parts(map_blocks(task, problem.blocks, problem.n_threads))
    return total


@kernel
def _penalty(regularizer, w):
    return regularizer.value(w)


@kernel
def prox(regularizer, w, step, out):
    """Write the minimiser of step Omega(p) + ||p - w||^2 / 2 to out, which may be w where Omega is l1 and l2."""
    regularizer.prox(w, step, out)


@kernel
def maximizer(regularizer, v, out):
    """Write the w that reaches the supremum of <w, v> - Omega(w)."""
    regularizer.maximizer(v, out)


@kernel
def implied_duals(loss, y, scores):
    """Replace each score by the dual variable that follows from it, -loss'(z_i)."""
    for i in range(scores.size):
        scores[i] = -loss.derivative(scores[i], y[i])


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

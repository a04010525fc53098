"""Full passes over the data of a linear predictor: scores, gradient, curvature.

A point is one array x whose last entry is the intercept: d + 1 floats for one score a row; for K classes (d + 1) x K,
the intercepts as its last row. Scores and curvatures are n floats, or n x K. What a pass does with a row is registered
for each type of problem, in `one_score_passes` and `multiclass_passes`; what is made of the passes is the same.

Each is a task over blocks of rows and a sum up their tree (`rows`); every row is read once a pass.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense
from empirisk.losses.on_vectors import to_shares
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import Array, Matrix, Vector
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import RowBlock, Rows, RowVector
from empirisk.rows.row_kernels import add_row_squares, add_rows, row_scores, squared_norms


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


def blank_scores(problem: LinearRisk, x: Array) -> RowVector:
    """A buffer for the scores at points like x."""
    return problem.rows.blank(x.shape[1:])


def shares(problem: LinearRisk) -> RowVector:
    """s_i / S."""
    return problem.rows.vector(_shares, 1.0 / problem.total_weight, rows=(problem.weights,))


def penalty(problem: LinearRisk, w: Array) -> float:
    """Omega(w); of many classes together, where Omega is l1 and l2, the sum over them."""
    return float(penalty_at(problem.regularizer, w.ravel()))


def project(problem: LinearRisk, w: Vector) -> Vector:
    """The closest point that the constraint allows: w itself where it is one."""
    if math.isfinite(penalty(problem, w)):
        return w
    projected = np.empty(w.size)
    prox(problem.regularizer, w, 0.0, projected)
    return projected


def hessian(problem: LinearRisk, curvatures: RowVector) -> Matrix:
    """X^T diag(curvatures) X + l2 I, bordered by the intercept's row and column; the lower triangle is valid."""
    matrix = risk_hessian(problem, curvatures)
    d = problem.rows.n_columns
    matrix[np.arange(d), np.arange(d)] += problem.regularizer.l2
    return matrix


def risk_hessian(problem: LinearRisk, curvatures: RowVector) -> Matrix:
    """The same without l2: that of the mean loss."""
    rows = problem.rows
    d, row_size = rows.n_columns, rows.n_entries / rows.n_rows
    work = max(1.0, row_size / (8.0 if rows.is_sparse else 48.0))  # BLAS is that much faster
    total, _ = rows.total(_add_gram, rows=(curvatures,), shape=(d, d), work=work)
    if not problem.fit_intercept:
        return total
    bordered = np.zeros((d + 1, d + 1))
    bordered[:d, :d] = total
    bordered[d, :d], bordered[d, d] = weighted_sum(problem, curvatures)
    return bordered


def weighted_sum(problem: LinearRisk, coefficients: RowVector) -> tuple[Vector, float]:
    """The sum of coefficients[i] x_i over the rows, by BLAS where it can read them; that of the coefficients."""
    rows = problem.rows
    total, sums = rows.total(_add_rows, rows=(coefficients,), shape=(rows.n_columns,))
    return total, exact_sum(sums)


def squared_column_norms(problem: LinearRisk, curvatures: RowVector) -> Vector:
    """The diagonal of X^T diag(curvatures) X."""
    return problem.rows.total(_add_squares, rows=(curvatures,), shape=(problem.rows.n_columns,))[0]


def squared_row_norms(problem: LinearRisk) -> RowVector:
    """||x_i||^2 of each row."""
    return problem.rows.vector(_squared_norms)


def mean_row_norm(problem: LinearRisk) -> float:
    """The root of the mean ||x_i||^2."""
    return math.sqrt(float(squared_column_norms(problem, shares(problem)).sum()))


def scored(rows: Rows, w: Vector, b: float) -> RowVector:
    """<w, x_i> + b for each row."""
    return rows.vector(_scores, w, b)


def scores_of(design: Dense | CSR, w: Vector, b: float, n_threads: int = 1) -> Vector:
    """The same for rows at hand."""
    found: Vector = scored(InMemory(design, n_threads), w, b)
    return found


def _shares(block: RowBlock, scale: float, weights: Vector, out: Vector) -> None:
    out[:] = 1.0
    to_shares(weights, scale, out)


def _add_gram(block: RowBlock, curvatures: Vector, out: Matrix) -> None:
    block.design.add_gram(curvatures, out)


def _add_rows(block: RowBlock, coefficients: Vector, out: Vector) -> float:
    design = block.design
    if isinstance(design, Dense) and design.values.dtype == np.float64:
        out += np.dot(coefficients, design.values)
        return float(coefficients.sum())
    return float(add_rows(design, coefficients, out[None]))


def _add_squares(block: RowBlock, curvatures: Vector, out: Vector) -> None:
    add_row_squares(block.design, curvatures, out)


def _squared_norms(block: RowBlock, out: Vector) -> None:
    squared_norms(block.design, out)


def _scores(block: RowBlock, w: Vector, b: float, out: Vector) -> None:
    row_scores(block.design, w, b, out)


@kernel
def penalty_at(regularizer, w):
    """Omega(w)."""
    return regularizer.value(w)


@kernel
def prox(regularizer, w, step, out):
    """Write the minimiser of step Omega(p) + ||p - w||^2 / 2 to out, which may be w where Omega is l1 and l2."""
    regularizer.prox(w, step, out)


@kernel
def maximizer(regularizer, v, out):
    """Write the w that reaches the supremum of <w, v> - Omega(w)."""
    regularizer.maximizer(v, out)

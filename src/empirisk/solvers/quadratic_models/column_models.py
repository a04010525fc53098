"""Newton's model of the mean loss on some of the columns, and the passes over those columns that go with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import has_constant_curvature
from empirisk.compiled import kernel
from empirisk.designs import Dense, n_entries
from empirisk.designs.transposed import scaled_rows
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import hessian, scored, weighted_sum
from empirisk.protocols import Matrix, Vector
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.quadratic_descent import descend_on_columns, descend_on_matrix

EPOCHS, QUADRATIC_EPOCHS = 6.0, 20.0  # that a model is expected to take by residual updates, if it is exact
BLAS_SPEED = 16.0  # entries of a matrix product in the time of one of an epoch
WIDEST_ROWS = 16.0  # mean entries of a sparse row, for which all columns make a matrix at each step
DENSE_COLUMNS, SPARSE_COLUMNS = 100, 200  # of which all make a matrix at each step
MATRIX_PAYS = 1.5  # times the cost of residual updates: a matrix can be solved as well
MATRIX_ENTRIES = 1 << 17  # of a matrix that is made only once
MATRIX_EPOCHS, RESIDUAL_EPOCHS = 1000, 100  # at most, on one model


class HessianAt(NamedTuple):
    """A Hessian of all columns, and what it was made for; both empty before."""

    curvatures: Vector = np.empty(0)
    matrix: Matrix = np.empty((0, 0))


class AllColumns:
    """All columns, through the Hessian, made from the rows and kept while the curvatures stay."""

    def __init__(self, problem: EmpiricalRisk, last: HessianAt) -> None:
        self.problem, self.ids, self.hessian = problem, np.arange(problem.rows.n_columns), last

    def gradient(self, slopes: Vector) -> Vector:
        """The sum of slopes[i] x_ij for each column j."""
        return weighted_sum(self.problem, slopes)[0]

    def scores(self, change: Vector, change_b: float) -> Vector:
        """<change, x_i> + change_b for each row."""
        return scored(self.problem.rows, change, change_b)

    def descend(self, curvatures: Vector, g: Vector, penalty: IntervalPenalty, x: Vector, tol: float) -> float:
        """Minimise the model in x; the passes that it took."""
        passes = 0.0
        if not np.array_equal(curvatures, self.hessian.curvatures):
            self.hessian, passes = HessianAt(curvatures, hessian(self.problem, curvatures)), 1.0
        slope = g.copy()
        slope[: self.ids.size] += penalty.l2 * x[: self.ids.size]  # l2 is on the diagonal of the Hessian
        rest = penalty._replace(l2=0.0)
        descend_on_matrix(self.hessian.matrix, slope, rest, self.problem.fit_intercept, x, tol, MATRIX_EPOCHS)
        return passes


class SomeColumns:
    """Some columns, with the model as a matrix where they are few, else by residual updates.

    A matrix costs k/2 reads of the columns (by BLAS if dense), and an epoch on it k^2.
    """

    def __init__(self, problem: EmpiricalRisk, ids: NDArray[np.int64]) -> None:
        self.ids, self.has_intercept, self.columns = ids, problem.fit_intercept, problem.rows.columns()
        k, entries = ids.size, n_entries(self.columns)
        is_dense = isinstance(self.columns, Dense)
        chosen = k * self.columns.n_columns() if is_dense else int(_entries(self.columns, ids))
        self.share = chosen / max(1, entries)
        epochs = QUADRATIC_EPOCHS if has_constant_curvature(problem.loss) else EPOCHS
        making = 0.5 * k * chosen / (BLAS_SPEED if is_dense else 1.0)
        self.is_matrix = making + epochs * k * k <= MATRIX_PAYS * epochs * 2.0 * chosen

    def gradient(self, slopes: Vector) -> Vector:
        """The sum of slopes[i] x_ij for each column j."""
        return dots(self.columns, self.ids, slopes)

    def scores(self, change: Vector, change_b: float) -> Vector:
        """<change, x_i> + change_b for each row."""
        out = np.full(self.columns.n_columns(), change_b)
        _add_multiples(self.columns, self.ids, change, out)
        return out

    def descend(self, curvatures: Vector, g: Vector, penalty: IntervalPenalty, x: Vector, tol: float) -> float:
        """Minimise the model in x; the passes that it took."""
        roots = np.sqrt(curvatures)
        scaled = scaled_rows(self.columns, self.ids, roots)
        if not self.is_matrix:
            epochs = descend_on_columns(scaled, roots, g, penalty, self.has_intercept, x, tol, RESIDUAL_EPOCHS)
            return self.share * (1.0 + float(epochs))
        matrix, reads = np.empty((x.size, x.size)), 1.0
        if isinstance(scaled, Dense):
            matrix[: self.ids.size, : self.ids.size] = scaled.values @ scaled.values.T
        else:
            _fill_products(scaled, matrix, np.zeros(roots.size))
            reads = 0.5 * self.ids.size
        if self.has_intercept:
            matrix[-1, :-1] = dots(scaled, np.arange(self.ids.size), roots)
            matrix[-1, -1] = roots @ roots
        descend_on_matrix(matrix, g, penalty, self.has_intercept, x, tol, MATRIX_EPOCHS)
        return self.share * (1.0 + reads)


def takes_all(problem: EmpiricalRisk) -> bool:
    """Whether a matrix of all columns costs little: at each step, or once for a loss of constant curvature."""
    rows, d = problem.rows, problem.rows.n_columns
    if has_constant_curvature(problem.loss) and d * d <= MATRIX_ENTRIES:
        return True
    if not rows.is_sparse:
        return d <= DENSE_COLUMNS
    return d <= SPARSE_COLUMNS and rows.n_entries <= WIDEST_ROWS * rows.n_rows


def dots(X: Any, rows: NDArray[np.int64], v: Vector) -> Vector:
    """<x_i, v> for each of these rows i."""
    out = np.empty(rows.size)
    _dots(X, rows, v, out)
    return out


@kernel
def _dots(X, rows, v, out):
    for k in range(rows.size):
        out[k] = X.dot_row(rows[k], v)


@kernel
def _entries(X, rows):
    total = 0
    for i in rows:
        total += X.row_size(i)
    return total


@kernel
def _add_multiples(X, rows, change, out):
    for k in range(rows.size):
        if change[k] != 0.0:
            X.add_row(rows[k], change[k], out)


@kernel
def _fill_products(X, out, spread):
    """Write <x_j, x_k> to the lower triangle; `spread` is zero before and after."""
    for j in range(X.n_rows()):
        X.add_row(j, 1.0, spread)
        for k in range(j + 1):
            out[j, k] = X.dot_row(k, spread)
        X.add_row(j, -1.0, spread)

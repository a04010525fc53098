"""Newton's model of the mean loss on some of the columns, and the passes over those columns that go with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import has_constant_curvature
from empirisk.designs import Dense
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import hessian, scored, weighted_sum
from empirisk.protocols import Matrix, Vector
from empirisk.rows.row_kernels import add_rows, row_scores
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.quadratic_descent import descend_on_columns, descend_on_matrix
from empirisk.solvers.working_sets.columns_at_hand import columns_at_hand, rows_at_hand

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


class FewColumns:
    """Some columns, through the Hessian, made from the rows without the other columns."""

    def __init__(self, problem: EmpiricalRisk, ids: NDArray[np.int64], entries: int) -> None:
        self.ids, self.has_intercept = ids, problem.fit_intercept
        self.rows = rows_at_hand(problem.rows, ids, entries)
        self.share = entries / max(1, problem.rows.n_entries)
        self.reads = 0.5 * entries / problem.rows.n_rows if problem.rows.is_sparse else 1.0

    def gradient(self, slopes: Vector) -> Vector:
        """The sum of slopes[i] x_ij for each column j."""
        if isinstance(self.rows, Dense):
            return np.asarray(slopes @ self.rows.values)
        out = np.zeros(self.ids.size)
        add_rows(self.rows, slopes, out[None])
        return out

    def scores(self, change: Vector, change_b: float) -> Vector:
        """<change, x_i> + change_b for each row."""
        if isinstance(self.rows, Dense):
            return np.asarray(self.rows.values @ change + change_b)
        out = np.empty(self.rows.n_rows())
        row_scores(self.rows, change, change_b, out)
        return out

    def descend(self, curvatures: Vector, g: Vector, penalty: IntervalPenalty, x: Vector, tol: float) -> float:
        """Minimise the model in x; the passes that it took."""
        k = self.ids.size
        matrix = np.zeros((k, k))
        self.rows.add_gram(curvatures, matrix)
        if self.has_intercept:
            matrix = np.pad(matrix, (0, 1))
            matrix[k, :k], matrix[k, k] = self.gradient(curvatures), curvatures.sum()
        descend_on_matrix(matrix, g, penalty, self.has_intercept, x, tol, MATRIX_EPOCHS)
        return self.share * (1.0 + self.reads)


class ManyColumns:
    """Some columns, by residual updates, which read them one after another."""

    def __init__(self, problem: EmpiricalRisk, ids: NDArray[np.int64], entries: int) -> None:
        self.ids, self.has_intercept = ids, problem.fit_intercept
        self.columns = columns_at_hand(problem.rows, ids)
        self.share = entries / max(1, problem.rows.n_entries)

    def gradient(self, slopes: Vector) -> Vector:
        """The sum of slopes[i] x_ij for each column j."""
        out = np.empty(self.ids.size)
        row_scores(self.columns, slopes, 0.0, out)
        return out

    def scores(self, change: Vector, change_b: float) -> Vector:
        """<change, x_i> + change_b for each row."""
        out = np.full(self.columns.n_columns(), change_b)
        add_rows(self.columns, change, out[None])
        return out

    def descend(self, curvatures: Vector, g: Vector, penalty: IntervalPenalty, x: Vector, tol: float) -> float:
        """Minimise the model in x; the passes that it took."""
        total = float(curvatures.sum()) if self.has_intercept else 0.0
        epochs = descend_on_columns(self.columns, curvatures, total, g, penalty, x, tol, RESIDUAL_EPOCHS)
        return self.share * (1.0 + float(epochs))


def model_on(problem: EmpiricalRisk, ids: NDArray[np.int64]) -> FewColumns | ManyColumns:
    """The model on these columns: by a matrix where that costs less than epochs of residual updates.

    To make it costs the square of the length of a row (by BLAS if dense), and an epoch on it that of the columns.
    """
    rows, k = problem.rows, ids.size
    entries = int(rows.column_sizes()[ids].sum())
    epochs = QUADRATIC_EPOCHS if has_constant_curvature(problem.loss) else EPOCHS
    making = 0.5 * entries * entries / rows.n_rows / (1.0 if rows.is_sparse else BLAS_SPEED)
    is_matrix = making + epochs * k * k <= MATRIX_PAYS * epochs * 2.0 * entries
    return FewColumns(problem, ids, entries) if is_matrix else ManyColumns(problem, ids, entries)


def takes_all(problem: EmpiricalRisk) -> bool:
    """Whether a matrix of all columns costs little: at each step, or once for a loss of constant curvature."""
    rows, d = problem.rows, problem.rows.n_columns
    if has_constant_curvature(problem.loss) and d * d <= MATRIX_ENTRIES:
        return True
    if not rows.is_sparse:
        return d <= DENSE_COLUMNS
    return d <= SPARSE_COLUMNS and rows.n_entries <= WIDEST_ROWS * rows.n_rows

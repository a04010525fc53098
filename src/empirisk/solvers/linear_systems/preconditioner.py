"""Preconditioners for conjugate gradients on the Hessian: its diagonal, or the Hessian of a sample of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import squared_column_norms
from empirisk.protocols import Array, Vector
from empirisk.rows.protocol import Rows, RowVector
from empirisk.rows.row_kernels import add_rows
from empirisk.rows.vectors import nonzero_rows, row_sum
from empirisk.solvers.linear_systems.cholesky import Factored, factored

DIAGONAL_SHARE = 0.01  # the rest is l2: on text the whole diagonal slows the method down
ROWS_PER_COLUMN = 4  # of the sample: condition numbers of about ten
SMALL_COLUMNS = 1024  # a matrix of 8 MiB
DATA_SHARE = 0.1  # of the data that the copies of a larger matrix may take
MOST_PASSES = 12.0  # that building the sample's Hessian may cost


class Diagonal(NamedTuple):
    """Multiply by the inverse of l2 plus a little of the Hessian's diagonal; of many classes, of its mean over them."""

    inverse: Array
    centers: bool = False  # softmax: keep the sum over the classes at zero

    def apply(self, residual: Array) -> Array:
        """M^-1 residual."""
        return self.inverse * centered(residual, self.centers)


class Sampled(NamedTuple):
    """Solve with the Hessian of a sample of rows, factored (Erdogdu and Montanari, 2015)."""

    factors: Factored

    def apply(self, residual: Vector) -> Vector:
        """M^-1 residual."""
        return self.factors.solve(residual)


def centered(a: Array, centers: bool) -> Array:
    """Less the mean over the classes, where that is asked for."""
    return a - a.mean(axis=1, keepdims=True) if centers else a


def hessian_fits(rows: Rows) -> bool:
    """A few copies of a d x d matrix are small beside the data, or small at all."""
    d = rows.n_columns
    return d <= SMALL_COLUMNS or 4 * d * d <= DATA_SHARE * rows.n_entries


def sample_is_cheap(rows: Rows) -> bool:
    """The sample is a small part of the rows, and its Hessian costs a few passes at most (see `cholesky_is_cheap`)."""
    d, n, entries = rows.n_columns, rows.n_rows, rows.n_entries
    count = ROWS_PER_COLUMN * d
    per_row = (entries / n) ** 2 / 3.0 if rows.is_sparse else d * d / 12.0
    return hessian_fits(rows) and 2 * count <= n and count * per_row + d**3 / 30.0 <= MOST_PASSES * entries


def preconditioner(problem: EmpiricalRisk, curvatures: RowVector) -> Diagonal | Sampled:
    """The better one that is affordable."""
    sampled = _sampled(problem, curvatures) if sample_is_cheap(problem.rows) else None
    return sampled or Diagonal(inverse_diagonal(problem, curvatures))


def inverse_diagonal(problem: LinearRisk, curvatures: RowVector) -> Vector:
    """One over l2 plus a little of the Hessian's diagonal, where the rows have these curvatures."""
    l2 = problem.regularizer.l2
    diagonal = DIAGONAL_SHARE * squared_column_norms(problem, curvatures) + l2
    intercept = max(DIAGONAL_SHARE * row_sum(problem.rows, curvatures), l2) if problem.fit_intercept else 1.0
    diagonal = np.append(diagonal, intercept)
    return 1.0 / np.where(diagonal > 0.0, diagonal, 1.0)  # an empty column, without l2


def _sampled(problem: EmpiricalRisk, curvatures: RowVector) -> Sampled | None:
    """Every k-th of the rows that have curvature; None when the factorisation fails."""
    d = problem.rows.n_columns
    active = nonzero_rows(problem.rows, curvatures)
    rows = active[:: max(1, active.size // (ROWS_PER_COLUMN * d))]
    sample = problem.rows.take(rows)
    weights = problem.rows.pick(curvatures, rows)
    weights = weights * (row_sum(problem.rows, curvatures) / max(weights.sum(), np.finfo(float).tiny))
    matrix = np.zeros((d + 1, d + 1))
    gram = np.zeros((d, d))
    sample.add_gram(weights, gram)
    matrix[:d, :d] = gram
    matrix[np.arange(d), np.arange(d)] += problem.regularizer.l2
    matrix[d, d] = 1.0
    if problem.fit_intercept:
        add_rows(sample, weights, matrix[None, d, :d])
        matrix[d, d] = max(float(weights.sum()), problem.regularizer.l2)
    factors = factored(matrix, most_jitter=0.0) if np.all(np.isfinite(matrix)) else None
    return None if factors is None else Sampled(factors)

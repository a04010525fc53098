"""Newton directions through the rows that have curvature, where these are fewer than the columns."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg

from empirisk.designs import as_design, matrix_of
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import Gradient
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowVector
from empirisk.rows.vectors import nonzero_count, nonzero_rows

MOST_ROWS = 2500  # with curvature: a matrix of 50 MB, and some tenths of a second to factor
FLOPS = 144.0  # a pass over k entries takes as long as factoring a matrix of (FLOPS k)^(1/3) rows
PATIENCE = 0.5  # with conjugate gradients, in the time of a factorisation: it is exact, they are not
FAR = 1e5  # a gap, in objectives, from where inexact directions lead astray
RIDGE = 1e-9  # of the mean square of a row, in place of l2 where there is none: many weights do as well


def pays(
    problem: EmpiricalRisk,
    curvatures: RowVector,
    at: Gradient,
    passes: float,
    patience: float = PATIENCE,
    most_rows: int = MOST_ROWS,
    most_passes: float = math.inf,
    pass_entries: int = 0,
) -> bool:
    """Whether to factor, at this gradient, after conjugate gradients that took so many passes.

    `pass_entries` is what a pass reads, where the problem is a part of another one whose passes are counted.
    """
    count, l2 = nonzero_count(problem.rows, curvatures), problem.regularizer.l2
    if not 0 < count <= min(most_rows, problem.rows.n_columns - 1):
        return False
    is_far = float(at.weights @ at.weights) > 2.0 * l2 * FAR * abs(at.objective)
    return (is_far and count <= MOST_ROWS) or passes >= min(
        most_passes, patience * count**3 / (FLOPS * (pass_entries or problem.rows.n_entries))
    )


def dual_direction(problem: EmpiricalRisk, curvatures: RowVector, at: Gradient) -> Vector | None:
    """The solution of H p = -gradient, by the identity of Woodbury; None where that fails.

    Without l2 a trace of it stands in: the rows may agree on more than one solution, and this one is short.

    With A the rows that have curvature, C their curvatures and M = l2 C^-1 + A A^T, H^-1 g = (g - A^T M^-1 A g) / l2.
    For the intercept, with a = M^-1 A g and q = M^-1 1: p_b = -(g_b - sum a) / (l2 sum q), and
    p = -(g - A^T a) / l2 - p_b A^T q.
    """
    active = nonzero_rows(problem.rows, curvatures)
    bends = problem.rows.pick(curvatures, active)
    rows = matrix_of(problem.rows.take(active))
    columns = as_design(rows.T)
    matrix = np.zeros((active.size, active.size))
    columns.add_gram(np.ones(columns.n_rows()), matrix)
    diagonal = np.diagonal(matrix)
    l2 = problem.regularizer.l2 or RIDGE * float((bends * diagonal).mean())
    matrix[np.diag_indices(active.size)] += l2 / bends
    try:  # the lower triangle by rows is the upper one by columns, which LAPACK overwrites without a copy
        factor = scipy.linalg.cholesky(matrix.T, lower=False, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:  # rows that repeat, and an l2 lost in rounding
        return None
    right = np.column_stack((rows @ at.weights, np.ones(active.size)))
    a, q = scipy.linalg.cho_solve((factor, False), right, check_finite=False).T
    p_b = -(at.intercept - float(a.sum())) / (l2 * float(q.sum())) if problem.fit_intercept else 0.0
    return np.append(rows.T @ (a / l2 - p_b * q) - at.weights / l2, p_b)

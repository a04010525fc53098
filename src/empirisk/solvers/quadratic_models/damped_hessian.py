"""The Hessian of the mean loss, damped where Newton's steps fail: a matrix, or the curvatures of the rows."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import risk_hessian, shares
from empirisk.protocols import Array, Matrix, Unsupported
from empirisk.rows.protocol import RowVector
from empirisk.rows.vectors import are_equal, row_sum
from empirisk.solvers.linear_systems.multiclass_hessian import softmax_hessian
from empirisk.solvers.quadratic_models.row_model import takes_rows

MOST_COLUMNS = 16_384  # of the matrix: 2 GiB
LEAST_CURVED = 1e-9  # of the smoothness: below, the mean curvature tells nothing


class DampedHessian(NamedTuple):
    """The coordinates are those of a point, raveled, but for intercepts that are not fitted."""

    matrix: Matrix | None  # None where the model is minimised through its rows
    curvatures: Array  # that it was made from, damped or not
    damping: float  # asked for, or as much more as it takes


@functools.singledispatch
def damped_hessian(problem: LinearRisk, curvatures: Array, damping: float, last: DampedHessian | None) -> DampedHessian:
    """At the curvatures of the rows; the last one itself where it is the same."""
    raise TypeError(f"{type(problem).__name__} has no Hessian: it is not the risk of a linear predictor")


@damped_hessian.register
def _(problem: EmpiricalRisk, curvatures: RowVector, damping: float, last: DampedHessian | None) -> DampedHessian:
    """Damping adds that share of the smoothness to every curvature: at 1 the model lies above the loss."""
    bend = bend_of(problem, curvatures)
    if not row_sum(problem.rows, curvatures) > LEAST_CURVED * bend:
        damping = max(damping, 1.0)
    if damping > 0.0:
        curvatures = curvatures + damping * bend * shares(problem)
    if last is not None and are_equal(problem.rows, curvatures, last.curvatures):
        return last._replace(damping=damping)
    if takes_rows(problem, curvatures):
        return DampedHessian(None, curvatures, damping)
    d = problem.rows.n_columns
    if d > MOST_COLUMNS:
        said = f"a model of {d} columns is a matrix of {8 * d * d / 2**30:.0f} GiB"
        raise Unsupported(f"{said}; use solver 'auto', 'fista' or, for a loss with kinks, 'smoothed_fista'")
    lower = risk_hessian(problem, curvatures)
    return DampedHessian(np.tril(lower) + np.tril(lower, -1).T, curvatures, damping)


@damped_hessian.register
def _(problem: MulticlassRisk, curvatures: Matrix, damping: float, last: DampedHessian | None) -> DampedHessian:
    """Damping adds that share of the diagonal."""
    matrix = softmax_hessian(problem, curvatures)
    matrix[np.diag_indices_from(matrix)] *= 1.0 + damping
    return DampedHessian(matrix, curvatures, damping)


def bend_of(problem: EmpiricalRisk, curvatures: RowVector) -> float:
    """The smoothness of the loss, or its mean curvature where it has none."""
    loss = problem.loss
    return float(loss.smoothness()) if offers(loss, "smoothness") else row_sum(problem.rows, curvatures)

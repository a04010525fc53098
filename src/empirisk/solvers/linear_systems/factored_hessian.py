"""The inverse of a Hessian by Cholesky, kept for several steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import hessian, shares
from empirisk.protocols import Matrix, Vector
from empirisk.rows.protocol import RowVector
from empirisk.rows.vectors import row_max
from empirisk.solvers.linear_systems.cholesky import Factored, factored, factored_semidefinite, solved_or_kept
from empirisk.solvers.steps.quasi_newton import is_curved, two_loops

LEFT = 1e-6  # of the gradient, beyond which it is no rounding
DAMPING = 1e-3  # of the largest curvature
LEAST_CURVATURE = 1e-8  # of the intercept: losses curve by about one
MEMORY = 10  # pairs


class FactoredHessian(NamedTuple):
    """A factor of the Hessian at an earlier point, corrected by the steps since and what they did to the gradient.

    Near the minimum the curvature hardly changes: such a step costs one gradient, where a Newton step costs a Hessian
    besides. Vectors are shaped like a point. Reference: Nocedal and Wright (2006), chapter 7.
    """

    factors: Factored | None  # None where the matrix overflowed: steepest descent
    steps: tuple[Vector, ...]  # the newest last
    changes: tuple[Vector, ...]  # of the gradient

    def is_old(self) -> bool:
        """Whether steps were taken with it."""
        return len(self.steps) > 1

    def solve(self, slope: Vector) -> Vector:
        """The inverse times a gradient."""
        return two_loops(slope, self.steps, self.changes, self._first)

    def updated(self, step: Vector, change: Vector) -> FactoredHessian:
        """With one more pair, if it tells anything."""
        if not is_curved(step, change):
            return self
        return self._replace(steps=(*self.steps, step)[-MEMORY:], changes=(*self.changes, change)[-MEMORY:])

    def _first(self, q: Vector) -> Vector:
        return solved_or_kept(self.factors, q)


def factored_hessian(problem: EmpiricalRisk, curvatures: RowVector, slope: Vector) -> FactoredHessian:
    """The Hessian with these curvatures of the rows, factored, to be used on about this gradient."""
    matrix = hessian(problem, curvatures)
    if problem.fit_intercept and matrix[-1, -1] < LEAST_CURVATURE:
        # No row has curvature: take a step of ten at most, and let the line search decide.
        matrix[-1, -1] = max(matrix[-1, -1], 0.1 * abs(slope[-1]))
    if problem.regularizer.l2 > 0.0:
        return FactoredHessian(factored(matrix), (), ())
    return FactoredHessian(_semidefinite(problem, matrix, curvatures, slope), (), ())


def _semidefinite(problem: EmpiricalRisk, matrix: Matrix, curvatures: RowVector, slope: Vector) -> Factored | None:
    """Without l2: the factors of the columns that do not depend on others, if these leave nothing of the gradient.

    Where something is left, rows with curvature are too few for all directions: every row gets a little of it.
    """
    factors = factored_semidefinite(matrix.copy())
    if factors is None or factors.independent is None or factors.independent.size == factors.scale.size:
        return factors
    right, among = slope[: factors.scale.size], shares(problem)
    left = right - scipy.linalg.blas.dsymv(1.0, matrix, factors.solve(right), lower=1)
    most = row_max(problem.rows, curvatures / (among + (among == 0.0)))
    if most > 0.0 and np.max(np.abs(left) / factors.scale) > LEFT * np.max(np.abs(right) / factors.scale):
        return factored_semidefinite(hessian(problem, curvatures + DAMPING * most * among))
    return factors

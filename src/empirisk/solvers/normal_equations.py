"""Least squares on few columns, through X^T X."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.capabilities import is_quadratic
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import Moments, moments_of
from empirisk.problems.passes import Gradient, blank_scores, penalty, risk_gradient
from empirisk.protocols import Matrix, Progress, Vector
from empirisk.solvers.linear_systems.cholesky import factored, factored_semidefinite
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.quadratic_descent import LEFT, descend_on_matrix
from empirisk.solvers.steps.smooth_progress import norm

NO_INTERCEPT = np.zeros(1)
GAINED = 0.5  # a gap that a further solution leaves above this share is rounding


class NormalEquationsState(NamedTuple):
    """A point, the mean loss there, and its Hessian."""

    x: Vector
    at: Gradient  # of the mean loss, without the penalty
    means: Moments
    matrix: Matrix  # Hessian of the mean loss plus l2 I, the intercept last
    is_predicted: bool  # `at` follows from the matrix, not from a pass
    gap: float
    measured: float  # the last gap that came from a pass
    passes: float
    stalled: bool


class NormalEquations(NamedTuple):
    """Minimise the quadratic model of the mean loss, which for a quadratic loss is the mean loss itself.

    Two passes make the moments of the data: objective, gradient and gap at the minimiser follow from them, and so does
    the certificate, unless it asks for more digits than such sums have. Solved by Cholesky, or by coordinate descent on
    the matrix where the penalty has a kink or there is a box. If rounding leaves too much (columns that are almost the
    same), further steps begin with a pass at the new point, which is iterative refinement.
    References: Golub and Van Loan (2013), section 5.3; Friedman, Hastie and Tibshirani (2010).
    """

    most_epochs: int = 10_000  # of coordinate descent on the matrix

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return (
            "loss.derivative",
            "loss.second_derivative",
            "convex",
            "quadratic loss",
            "few columns",
            "regularizer.interval",
        )

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> NormalEquationsState:
        """The moments of the data, and what they say of the start."""
        return self.begin(problem, point.stacked(), moments_of(problem))

    def begin(self, problem: EmpiricalRisk, x: Vector, means: Moments) -> NormalEquationsState:
        """The same where the moments are known; until they do not suffice, the rows of the problem are not read."""
        p = _used(problem, x)
        at = Gradient(means.risk(p), _like(x, means.gradient(p)))
        matrix = means.curvature * means.gram
        columns = np.arange(x.size - 1)
        matrix[columns, columns] += problem.regularizer.l2
        return NormalEquationsState(x, at, means, matrix, False, gap_of(problem, x, at), math.inf, 2.0, False)

    def step(self, problem: EmpiricalRisk, state: NormalEquationsState) -> NormalEquationsState:
        """The minimiser of the model at the point, and what the model says there."""
        x, at, passes, measured, stalled = state.x, state.at, state.passes, state.measured, False
        if state.is_predicted:
            at, passes = risk_gradient(problem, x, blank_scores(problem, x)), passes + 1.0
            measured = gap_of(problem, x, at)
            stalled = not measured <= GAINED * state.measured
        change = self._change(problem, x, at, state.matrix)
        bent = state.matrix @ change
        d = x.size - 1
        bent[:d] -= problem.regularizer.strong_convexity() * change[:d]
        risk = at.objective + float(_used(problem, at.slope) @ change) + 0.5 * float(change @ bent)
        x = x + _like(x, change)
        at = Gradient(max(0.0, risk), at.slope + _like(x, bent))
        gap = gap_of(problem, x, at)
        return NormalEquationsState(x, at, state.means, state.matrix, True, gap, measured, passes, stalled)

    def point(self, state: NormalEquationsState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.x)._replace(evidence=state.means)

    def progress(self, problem: EmpiricalRisk, state: NormalEquationsState) -> Progress:
        """The gap of the dual point that the slopes imply, as the model predicts it."""
        objective = state.at.objective + penalty(problem, state.x[:-1])
        return Progress(state.passes, objective, state.gap, state.stalled, is_sure=True)

    def _change(self, problem: EmpiricalRisk, x: Vector, at: Gradient, matrix: Matrix) -> Vector:
        terms = IntervalPenalty.of(problem.regularizer)
        slope = at.slope.copy()
        slope[:-1] += terms.l2 * x[:-1]
        slope = _used(problem, slope)
        if is_quadratic(problem.regularizer):
            factors = factored(matrix.copy()) if terms.l2 > 0.0 else factored_semidefinite(matrix.copy())
            solved = factors.solve(-slope) if factors is not None else -slope
            return solved if np.all(np.isfinite(solved)) else np.zeros(slope.size)
        new = _used(problem, x).copy()
        tol = LEFT * float(np.max(np.abs(slope)))
        # l2 is on the diagonal of the matrix.
        descend_on_matrix(matrix, slope, terms._replace(l2=0.0), problem.fit_intercept, new, tol, self.most_epochs)
        return new - _used(problem, x)


def _used(problem: EmpiricalRisk, x: Vector) -> Vector:
    """Without the intercept, where there is none."""
    return x if problem.fit_intercept else x[:-1]


def _like(x: Vector, used: Vector) -> Vector:
    """With 0 for an intercept that is not there."""
    return used if used.size == x.size else np.concatenate((used, NO_INTERCEPT))


def gap_of(problem: EmpiricalRisk, x: Vector, at: Gradient) -> float:
    """The duality gap of u = -c loss'(z), with the largest c <= 1 that the penalty allows; nan where there is none.

    For loss(z) = a/2 (z - m)^2 it is (1 - c)^2 times the mean loss, plus Omega(w) + Omega*(-c g) + c <w, g> with the
    gradient g of the mean loss: no row is needed. The intercept's slope is charged for an intercept of twice the size.
    """
    w, of_intercept = x[:-1], abs(at.intercept) * max(1.0, abs(float(x[-1])))
    scale, conjugate = _conjugate(problem.regularizer, -at.weights)
    if not scale > 0.0:
        return norm(at.weights) * max(1.0, 10.0 * norm(w)) + of_intercept
    gap = (1.0 - scale) ** 2 * at.objective + penalty(problem, w) + conjugate + scale * float(at.weights @ w)
    return float(max(0.0, gap) + of_intercept)


@kernel
def _conjugate(regularizer, v):
    """The largest scale <= 1 for which Omega* is finite at scale * v, and its value there."""
    scale = regularizer.dual_scale(v, 0.0)
    if not scale > 0.0:
        return 0.0, 0.0
    return scale, regularizer.conjugate(scale * v)

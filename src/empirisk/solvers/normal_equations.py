"""Least squares on few columns, through X^T X."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import Moments, moments_of
from empirisk.problems.passes import Gradient, penalty, risk_gradient
from empirisk.protocols import Progress, Vector, is_quadratic
from empirisk.solvers.linear_systems.cholesky import factored
from empirisk.solvers.newton import joined
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.quadratic_descent import LEFT, descend_on_matrix

GAINED = 0.5  # a gap that a further solution leaves above this share is rounding


class NormalEquationsState(NamedTuple):
    """A point, the mean loss there, and its Hessian."""

    w: Vector
    b: float
    at: Gradient  # of the mean loss, without the penalty
    means: Moments
    matrix: NDArray[np.float64]  # Hessian of the mean loss plus l2 I, the intercept last
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

    def init(self, problem: Any, point: LinearPoint) -> NormalEquationsState:
        """The moments of the data, and what they say of the start."""
        w, b = point.weights, point.intercept
        means = moments_of(problem)
        p = joined(problem, w, b)
        slope = means.gradient(p)
        at = Gradient(means.risk(p), slope[: w.size], float(slope[-1]) if problem.fit_intercept else 0.0)
        matrix = means.curvature * means.gram
        matrix[np.arange(w.size), np.arange(w.size)] += problem.regularizer.l2
        gap = gap_of(problem, w, b, at)
        return NormalEquationsState(w, b, at, means, matrix, False, gap, math.inf, 2.0, False)

    def step(self, problem: Any, state: NormalEquationsState) -> NormalEquationsState:
        """The minimiser of the model at the point, and what the model says there."""
        w, b, at, passes, measured, stalled = state.w, state.b, state.at, state.passes, state.measured, False
        if state.is_predicted:
            at, passes = risk_gradient(problem, w, b, np.empty(problem.design.n_rows())), passes + 1.0
            measured = gap_of(problem, w, b, at)
            stalled = not measured <= GAINED * state.measured
        change = self._change(problem, w, b, at, state.matrix)
        slope = joined(problem, at.weights, at.intercept)
        bent = state.matrix @ change
        bent[: w.size] -= problem.regularizer.strong_convexity() * change[: w.size]
        risk = at.objective + float(slope @ change) + 0.5 * float(change @ bent)
        slope = slope + bent
        w = w + change[: w.size]
        if problem.fit_intercept:
            b += float(change[-1])
        at = Gradient(max(0.0, risk), slope[: w.size], float(slope[-1]) if problem.fit_intercept else 0.0)
        gap = gap_of(problem, w, b, at)
        return NormalEquationsState(w, b, at, state.means, state.matrix, True, gap, measured, passes, stalled)

    def point(self, state: NormalEquationsState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.w, state.b, state.means)

    def progress(self, problem: Any, state: NormalEquationsState) -> Progress:
        """The gap of the dual point that the slopes imply, as the model predicts it."""
        objective = state.at.objective + penalty(problem, state.w)
        return Progress(state.passes, objective, state.gap, state.stalled, is_sure=True)

    def _change(
        self, problem: Any, w: Vector, b: float, at: Gradient, matrix: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        terms = IntervalPenalty.of(problem.regularizer)
        slope = joined(problem, at.weights + terms.l2 * w, at.intercept)
        if is_quadratic(problem.regularizer):
            factors = factored(matrix.copy())
            solved = factors.solve(-slope) if factors is not None else -slope
            return solved if np.all(np.isfinite(solved)) else np.zeros(slope.size)
        x = joined(problem, w, b).copy()
        tol = LEFT * float(np.max(np.abs(slope)))
        # l2 is on the diagonal of the matrix.
        descend_on_matrix(matrix, slope, terms._replace(l2=0.0), problem.fit_intercept, x, tol, self.most_epochs)
        return x - joined(problem, w, b)


def gap_of(problem: Any, w: Vector, b: float, at: Gradient) -> float:
    """The duality gap of u = -c loss'(z), with the largest c <= 1 that the penalty allows; nan where there is none.

    For loss(z) = a/2 (z - m)^2 it is (1 - c)^2 times the mean loss, plus Omega(w) + Omega*(-c g) + c <w, g> with the
    gradient g of the mean loss: no row is needed. The intercept's slope is charged for an intercept of twice the size.
    """
    scale, conjugate = _conjugate(problem.regularizer, -at.weights)
    if not scale > 0.0:
        squared = float(at.weights @ at.weights)
        return math.sqrt(squared) * max(1.0, 10.0 * float(np.linalg.norm(w))) + abs(at.intercept) * max(1.0, abs(b))
    gap = (1.0 - scale) ** 2 * at.objective + penalty(problem, w) + conjugate + scale * float(at.weights @ w)
    return max(0.0, gap) + abs(at.intercept) * max(1.0, abs(b))


@kernel
def _conjugate(regularizer, v):
    """The largest scale <= 1 for which Omega* is finite at scale * v, and its value there."""
    scale = regularizer.dual_scale(v, 0.0)
    if not scale > 0.0:
        return 0.0, 0.0
    return scale, regularizer.conjugate(scale * v)

"""Newton's method with l1 for many classes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_passes import (
    MulticlassGradient,
    as_point,
    from_point,
    gradient,
    mean_loss,
    scores_of,
    to_curvatures,
)
from empirisk.protocols import Matrix, Progress, Vector
from empirisk.regularizers import ElasticNet
from empirisk.solvers.composite_newton import (
    DAMPING,
    LEAST_DAMPING,
    LEAST_LEFT,
    MOST_FLAT,
    ROUNDING,
    SHORT,
    best_step,
)
from empirisk.solvers.linear_systems.multiclass_hessian import softmax_hessian
from empirisk.solvers.many_classes.fista import omega_and_gap
from empirisk.solvers.quadratic_models.proximal_model import minimize_model, model_of


class SoftmaxState(NamedTuple):
    """Where the method stands; a point is (d + 1) x K, the intercepts its last row."""

    x: Matrix
    at: MulticlassGradient  # mean loss plus l2, and its gradient
    scores: Matrix  # at x
    objective: float
    gap: float  # estimate
    damping: float
    best_gap: float
    flat: int  # steps since that or the objective got better
    passes: float


class MulticlassCompositeNewton(NamedTuple):
    """Minimise Newton's model of softmax plus l1 over all classes together, and search the line to the minimiser.

    As `CompositeNewton`, on the Hessian of d K coordinates.
    References: Lee, Sun and Saunders (2014); Li, Sun and Toh (2018).
    """

    precision: float = 1e-3  # to which a model is solved, in shares of the gap

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.curvature", "classes together", "no kinks", "convex", "regularizer.prox_scaled")

    def init(self, problem: Any, point: LinearPoint) -> SoftmaxState:
        """Evaluate the start."""
        x = as_point(point.weights, point.intercept)
        scores = np.empty((problem.design.n_rows(), problem.n_classes))
        blank = SoftmaxState(x, MulticlassGradient(math.nan, x), scores, math.inf, math.inf, 0.0, math.inf, 0, 1.0)
        return _measured(problem, blank)

    def step(self, problem: Any, state: SoftmaxState) -> SoftmaxState:
        """One model, its minimiser and one line search."""
        target = _minimizer(problem, state, self.precision * min(state.gap, state.objective))
        if not np.all(np.isfinite(target)):
            return state._replace(flat=MOST_FLAT)
        scores, change = scores_of(problem, target), target - state.x
        l1, l2 = problem.regularizer.l1, problem.regularizer.l2

        def penalty(x: Matrix) -> float:
            return l1 * float(np.abs(x[:-1]).sum()) + 0.5 * l2 * float(np.vdot(x[:-1], x[:-1]))

        def value(t: float) -> float:
            between = scores if t == 1.0 else state.scores + t * (scores - state.scores)
            return mean_loss(problem, between) + penalty(state.x + t * change)

        l1_change = l1 * float(np.abs(target[:-1]).sum() - np.abs(state.x[:-1]).sum())
        t = best_step(value, state.objective, float(np.vdot(state.at.slope, change)) + l1_change)
        less = 0.1 * state.damping if state.damping > LEAST_DAMPING else 0.0
        return _measured(
            problem,
            state._replace(
                x=target if t == 1.0 else state.x + t * change,
                damping=max(DAMPING, 10.0 * state.damping) if t <= SHORT else less,
                passes=state.passes + 3.0,
            ),
        )

    def point(self, state: SoftmaxState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(*from_point(state.x))

    def progress(self, problem: Any, state: SoftmaxState) -> Progress:
        """The gap is estimated from the gradient."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _measured(problem: Any, state: SoftmaxState) -> SoftmaxState:
    """With the gradient, the objective and the gap of the point."""
    scores = np.empty(state.scores.shape)
    at = gradient(problem, state.x, scores)
    omega, gap = omega_and_gap(problem, state.x, _without_l2(problem, state.x, at))
    l2, w = problem.regularizer.l2, state.x[:-1]
    objective = at.objective + omega - 0.5 * l2 * float(np.vdot(w, w))
    falls = not objective >= state.objective - ROUNDING * abs(objective)
    return state._replace(
        at=at,
        scores=scores,
        objective=objective,
        gap=gap,
        best_gap=min(gap, state.best_gap),
        flat=0 if falls or gap < 0.99 * state.best_gap else state.flat + 1,
    )


def _minimizer(problem: Any, state: SoftmaxState, tol: float) -> Matrix:
    """Of the model at the state's point plus l1, with the intercepts eliminated; l2 is in the model."""
    n_classes, shape = problem.n_classes, state.x.shape
    size = (shape[0] - 1) * n_classes
    matrix = softmax_hessian(problem, to_curvatures(problem, state.scores.copy()))
    if not np.all(np.isfinite(matrix)):
        return np.full(shape, math.nan)
    matrix[np.diag_indices_from(matrix)] *= 1.0 + state.damping
    slope = state.at.slope.ravel()
    reduced, slopes, least = matrix[:size, :size], slope[:size], LEAST_LEFT * np.diagonal(matrix)[:size]
    if problem.fit_intercept:
        rows = matrix[size:, :size]
        solved = np.linalg.solve(matrix[size:, size:], np.column_stack([rows, slope[size:]]))
        reduced, slopes = reduced - rows.T @ solved[:, :-1], slopes - rows.T @ solved[:, -1]
    start = state.x[:-1].ravel()

    def gap_at(w: Vector, change: float, g: Vector) -> float:
        x = np.vstack([w.reshape(shape[0] - 1, n_classes), state.x[-1]])
        slope_there = np.vstack([g.reshape(shape[0] - 1, n_classes), np.zeros(n_classes)])
        there = MulticlassGradient(state.at.objective + change, slope_there)
        return omega_and_gap(problem, x, _without_l2(problem, x, there))[1]

    w = minimize_model(ElasticNet(problem.regularizer.l1, 0.0), model_of(reduced, least, slopes, start), gap_at, tol)
    b = state.x[-1]
    if problem.fit_intercept:
        b = b - solved[:, -1] - solved[:, :-1] @ (w - start)
    return np.vstack([w.reshape(shape[0] - 1, n_classes), b])


def _without_l2(problem: Any, x: Matrix, at: MulticlassGradient) -> MulticlassGradient:
    """Mean loss and its gradient alone."""
    l2, slope = problem.regularizer.l2, at.slope.copy()
    slope[:-1] -= l2 * x[:-1]
    return MulticlassGradient(at.objective - 0.5 * l2 * float(np.vdot(x[:-1], x[:-1])), slope)

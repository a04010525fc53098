"""Newton's method for a smooth loss under any regularizer that has a prox in a diagonal metric."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from empirisk.capabilities import has_constant_curvature, offers
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import Gradient, LossAt, loss_at, penalty, scores_at, sum_of_rows
from empirisk.protocols import Array, Matrix, Progress, Vector
from empirisk.rows.protocol import RowVector
from empirisk.solvers.quadratic_models.damped_hessian import DampedHessian, damped_hessian
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.proximal_model import minimize_model, model_of
from empirisk.solvers.quadratic_models.quadratic_descent import LEFT, descend_on_matrix
from empirisk.solvers.quadratic_models.row_model import minimize_through_rows
from empirisk.solvers.steps.proximal_step import gap_estimate

MOST_EPOCHS, MOST_WORK = 10_000, 1e9  # of coordinate descent on a model, and its operations
EXACT = 1e-9  # of the gap, when a model is solved that is the problem itself
GAINED, STRAIGHT = 0.2, 0.9  # of the fall that the slope promises: a step is taken, and tried twice as long
SHORT, SHORTEST, LONGEST = 1e-6, 1e-12, 1e12  # a step that asks for more damping, and the last to be tried
DAMPING, LEAST_DAMPING = 0.01, 1e-4  # the first one above zero, and the last
LEAST_LEFT = 1e-12  # of a column's curvature: what the intercept leaves of a constant one is rounding
MOST_FLAT = 5  # steps without a better gap or objective
ROUNDING = 1e-14  # of the objective


class Place(NamedTuple):
    """A point, and what the loss says there."""

    x: Array
    scores: Array
    loss: LossAt


class CompositeNewtonState(NamedTuple):
    """Where the method stands."""

    place: Place
    at: Gradient  # the mean loss and its gradient
    hessian: DampedHessian | None  # of the last model
    objective: float
    gap: float  # estimate
    damping: float
    best_gap: float
    flat: int  # steps since that or the objective got better
    passes: float
    row_slopes: RowVector | None = None  # that the last model through rows ended with

    @property
    def x(self) -> Array:
        """The point."""
        return self.place.x

    @property
    def scores(self) -> Array:
        """Those at the point."""
        return self.place.scores


class CompositeNewton(NamedTuple):
    """Minimise Newton's model of the mean loss plus Omega, known by its prox, and search the line to the minimiser.

    The model is the d x d Hessian, made in one pass, or for softmax that of all d K coordinates; the free intercepts
    are eliminated, which centres the columns. Its minimiser is found on the matrix, without the data
    (`proximal_model.py`; for one score with l1 and a box alone by coordinate descent): a few passes do, whatever the
    scales and correlations of the columns. Where fewer rows than columns have curvature, and the penalty is l1, l2 > 0
    and a box, no matrix is made: the model is minimised through these rows (`row_model.py`).
    References: Lee, Sun and Saunders (2014); Li, Sun and Toh (2018).
    """

    precision: float = 1e-3  # to which a model is solved, in shares of the gap

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return (
            "loss.derivative or loss.gradient",
            "loss.second_derivative or loss.curvature",
            "classes together",
            "no kinks",
            "convex",
            "regularizer.prox_scaled",
        )

    def init(self, problem: LinearRisk, point: LinearPoint) -> CompositeNewtonState:
        """Evaluate the start."""
        x = point.stacked()
        place = _place(problem, x, scores_at(problem, x))
        blank = Gradient(math.nan, x)
        return _measured(problem, CompositeNewtonState(place, blank, None, math.inf, math.inf, 0.0, math.inf, 0, 1.0))

    def step(self, problem: LinearRisk, state: CompositeNewtonState) -> CompositeNewtonState:
        """One model, its minimiser and one line search."""
        hessian = damped_hessian(problem, state.place.loss.curvatures, state.damping, state.hessian)
        precision = EXACT if has_constant_curvature(problem.loss) else self.precision
        tol = precision * min(state.gap, abs(state.objective))
        if hessian.matrix is None:
            slope, last = state.at.slope, state.row_slopes
            found = minimize_through_rows(problem, state.x, state.place.loss, slope, hessian.curvatures, last, tol)
            target, passes = (None, state.passes) if found is None else (found.x, state.passes + found.passes)
            state = state._replace(row_slopes=None if found is None else found.slopes)
        else:
            is_new = state.hessian is None or hessian.matrix is not state.hessian.matrix
            target, passes = _minimizer(problem, state, hessian.matrix, tol), state.passes + is_new
        if target is None:
            return state._replace(flat=MOST_FLAT, passes=passes)
        place, t = _searched(problem, state, target)
        less = 0.1 * hessian.damping if hessian.damping > LEAST_DAMPING else 0.0
        damping = max(DAMPING, 10.0 * hessian.damping) if t <= SHORT else less
        return _measured(problem, state._replace(place=place, hessian=hessian, damping=damping, passes=passes + 1.0))

    def point(self, state: CompositeNewtonState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.x)

    def progress(self, problem: LinearRisk, state: CompositeNewtonState) -> Progress:
        """The gap is estimated from the gradient."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _place(problem: LinearRisk, x: Array, scores: Array) -> Place:
    return Place(x, scores, loss_at(problem, scores))


def _minimizer(problem: LinearRisk, state: CompositeNewtonState, matrix: Matrix, tol: float) -> Array | None:
    """Of the model at the state's place; None where it overflowed, or bends nowhere along the intercepts.

    With H_bb and g_b of the intercepts, these move by -H_bb^-1 (g_b + H_bw (w - w_0)).
    """
    x, slope, size = state.x, state.at.slope.ravel(), state.x[:-1].size
    if not np.all(np.isfinite(matrix)):
        return None
    if x.ndim == 1 and offers(problem.regularizer, "interval"):
        return _one_by_one(problem, state, matrix)
    reduced, g, start, b = matrix[:size, :size], slope[:size], x[:-1].ravel(), x[-1:].ravel()
    if problem.fit_intercept:
        border = matrix[size:, :size]
        try:
            solved = np.linalg.solve(matrix[size:, size:], np.column_stack([border, slope[size:]]))
        except np.linalg.LinAlgError:
            return None
        reduced, g = reduced - border.T @ solved[:, :-1], g - border.T @ solved[:, -1]
    model = model_of(reduced, LEAST_LEFT * np.diagonal(matrix)[:size], g, start)

    def gap_at(w: Vector, change: float, g: Vector) -> float:
        there = Gradient(state.at.objective + change, _like(x, g, np.zeros(b.size)))
        return gap_estimate(problem, _like(x, w, b), there)[1]

    w = minimize_model(problem.regularizer, model, gap_at, tol)
    return _like(x, w, b - solved[:, -1] - solved[:, :-1] @ (w - start) if problem.fit_intercept else b)


def _like(x: Array, w: Vector, b: Vector) -> Array:
    """Weights and intercepts, raveled, in the shape of x."""
    return np.concatenate((w, b)).reshape(x.shape)


def _one_by_one(problem: LinearRisk, state: CompositeNewtonState, matrix: Matrix) -> Vector:
    """The same where every weight has an interval and a penalty of its own: by coordinate descent on the matrix."""
    x, used = state.x.copy(), matrix.shape[0]
    slope = state.at.slope[:used]
    terms, tol = IntervalPenalty.of(problem.regularizer), LEFT * float(np.max(np.abs(slope)))
    most = int(min(MOST_EPOCHS, MOST_WORK / (2.0 * (x.size - 1) ** 2)))
    descend_on_matrix(matrix, slope, terms, problem.fit_intercept, x[:used], tol, most)
    return x


def _searched(problem: LinearRisk, state: CompositeNewtonState, target: Array) -> tuple[Place, float]:
    """The best place on the line to the target, and the step to it."""
    start, change, scores = state.place, target - state.x, scores_at(problem, target)
    omega = state.objective - state.at.objective
    fall = float(np.vdot(state.at.slope, change)) + penalty(problem, target[:-1]) - omega

    @functools.lru_cache(maxsize=2)  # the step taken is the last one tried, or the one before
    def place_at(t: float) -> Place:
        if t == 1.0:
            return _place(problem, target, scores)
        return _place(problem, start.x + t * change, start.scores + t * (scores - start.scores))

    def value(t: float) -> float:
        place = place_at(t)
        return place.loss.risk + penalty(problem, place.x[:-1])

    t = best_step(value, state.objective, fall)
    if t == 0.0:
        return start, t
    best = place_at(t)
    if t > 1.0:  # the scores beyond the target have its rounding many times over
        best = _place(problem, best.x, scores_at(problem, best.x))
    return best, t


def best_step(value: Callable[[float], float], before: float, fall: float) -> float:
    """The best of the steps 1, 1/2, 1/4 ...; the first where a share of the fall that the slope promises is gained.

    The penalty is convex and finite at both ends of the line, and so between them. Beyond, 2, 4 ... are tried where
    the loss is straight: then the model lies far above it. 0 where no step is lower.
    """
    noise = ROUNDING * abs(before)
    least, taken, t = before + noise, 0.0, 1.0
    while t >= SHORTEST:
        here = value(t)
        if here < least:
            least, taken = here, t
        elif taken > 0.0:
            break
        if here <= before + GAINED * t * fall + noise:
            break
        t *= 0.5
    while 1.0 <= taken < LONGEST and -fall > noise and least <= before + STRAIGHT * taken * fall:
        here = value(2.0 * taken)
        if not here < least:
            break
        least, taken = here, 2.0 * taken
    return taken


def _measured(problem: LinearRisk, state: CompositeNewtonState) -> CompositeNewtonState:
    """With the gradient, the objective and the gap of the place."""
    loss = state.place.loss
    at = Gradient(loss.risk, sum_of_rows(problem, loss.slopes))
    omega, gap = gap_estimate(problem, state.x, at)
    objective = loss.risk + omega
    falls = not objective >= state.objective - ROUNDING * abs(objective)
    is_flat = not (falls or gap < 0.99 * state.best_gap)
    return state._replace(
        at=at,
        objective=objective,
        gap=gap,
        best_gap=min(gap, state.best_gap),
        flat=state.flat + 1 if is_flat else 0,
        passes=state.passes + 1.0,
    )

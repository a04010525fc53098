"""Newton's method for a smooth loss under any regularizer that has a prox in a diagonal metric."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, penalty, risk_hessian, scores_of, shares, weighted_sum
from empirisk.protocols import Matrix, Progress, Vector, has_constant_curvature, offers
from empirisk.solvers.newton import joined
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.model_step import Place, bend_of, place_of
from empirisk.solvers.quadratic_models.proximal_model import minimize_model, model_of
from empirisk.solvers.quadratic_models.quadratic_descent import LEFT, descend_on_matrix
from empirisk.solvers.steps.proximal_step import gap_estimate

MOST_EPOCHS, MOST_WORK = 10_000, 1e9  # of coordinate descent on a model, and its operations
EXACT = 1e-9  # of the gap, when a model is solved that is the problem itself
GAINED, STRAIGHT = 0.2, 0.9  # of the fall that the slope promises: a step is taken, and tried twice as long
SHORT, SHORTEST, LONGEST = 1e-6, 1e-12, 1e12  # a step that asks for more damping, and the last to be tried
DAMPING, LEAST_DAMPING = 0.01, 1e-4  # the first one above zero, and the last
LEAST_CURVED = 1e-9  # of the smoothness: below, the mean curvature tells nothing
LEAST_LEFT = 1e-12  # of a column's curvature: what the intercept leaves of a constant one is rounding
MOST_FLAT = 5  # steps without a better gap or objective
ROUNDING = 1e-14  # of the objective


class Hessian(NamedTuple):
    """That of the mean loss, bordered by the intercept, with the curvatures it was made from."""

    curvatures: Vector
    matrix: Matrix


class CompositeNewtonState(NamedTuple):
    """Where the method stands."""

    at: Place
    g: Vector  # the gradient of the mean loss
    hessian: Hessian  # of the last model
    objective: float
    gap: float  # estimate
    damping: float
    best_gap: float
    flat: int  # steps since that or the objective got better
    passes: float

    @property
    def w(self) -> Vector:
        """The weights."""
        return self.at.w

    @property
    def b(self) -> float:
        """The intercept."""
        return self.at.b

    @property
    def scores(self) -> Vector:
        """z_i at (w, b)."""
        return self.at.scores


class CompositeNewton(NamedTuple):
    """Minimise Newton's model of the mean loss plus Omega, known by its prox, and search the line to the minimiser.

    The model is the d x d Hessian, made in one pass; the free intercept is eliminated, which centres the columns. Its
    minimiser is found on the matrix, without the data (`proximal_model.py`; with l1 and a box alone by coordinate
    descent): a few passes do, whatever the scales and correlations of the columns.
    References: Lee, Sun and Saunders (2014); Li, Sun and Toh (2018).
    """

    precision: float = 1e-3  # to which a model is solved, in shares of the gap

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.second_derivative", "no kinks", "convex", "regularizer.prox_scaled")

    def init(self, problem: Any, point: LinearPoint) -> CompositeNewtonState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        at = place_of(problem, w, b, scores_of(problem.design, w, b, problem.n_threads))
        none = Hessian(np.empty(0), np.empty((0, 0)))
        return _measured(problem, CompositeNewtonState(at, w, none, math.inf, math.inf, 0.0, math.inf, 0, 1.0))

    def step(self, problem: Any, state: CompositeNewtonState) -> CompositeNewtonState:
        """One model, its minimiser and one line search.

        A damping above 0 adds that share of the smoothness to every curvature: at 1 the model lies above the loss.
        """
        at, damping, passes = state.at, state.damping, state.passes
        bend, curvatures = bend_of(problem, at), at.curvatures
        if not float(curvatures.sum()) > LEAST_CURVED * bend:
            damping = max(damping, 1.0)
        if damping > 0.0:
            curvatures = curvatures + damping * bend * shares(problem)
        hessian = state.hessian
        if not np.array_equal(curvatures, hessian.curvatures):
            hessian, passes = _hessian(problem, curvatures), passes + 1.0
        if not np.all(np.isfinite(hessian.matrix)):
            return state._replace(flat=MOST_FLAT, passes=passes)
        precision = EXACT if has_constant_curvature(problem.loss) else self.precision
        tol = precision * min(state.gap, abs(state.objective))
        w, b = _minimizer(problem, state, hessian.matrix, tol)
        at, t = _searched(problem, state, w, b)
        less = 0.1 * damping if damping > LEAST_DAMPING else 0.0
        damping = max(DAMPING, 10.0 * damping) if t <= SHORT else less
        return _measured(problem, state._replace(at=at, hessian=hessian, damping=damping, passes=passes + 1.0))

    def point(self, state: CompositeNewtonState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.at.w, state.at.b)

    def progress(self, problem: Any, state: CompositeNewtonState) -> Progress:
        """The gap is estimated from the gradient."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _hessian(problem: Any, curvatures: Vector) -> Hessian:
    lower = risk_hessian(problem, curvatures)
    return Hessian(curvatures, np.tril(lower) + np.tril(lower, -1).T)


def _minimizer(problem: Any, state: CompositeNewtonState, matrix: Matrix, tol: float) -> tuple[Vector, float]:
    """Of the model at the state's place, with the intercept eliminated: b moves by -(slope + <row, w - w_0>) / bend."""
    at, d = state.at, problem.design.n_columns()
    if offers(problem.regularizer, "interval"):
        return _one_by_one(problem, state, matrix)
    reduced, slope, row, bend = matrix[:d, :d], state.g, matrix[-1, :d], float(matrix[-1, -1])
    if problem.fit_intercept:
        reduced, slope = reduced - np.outer(row, row / bend), slope - row * (at.slope / bend)
    model = model_of(reduced, LEAST_LEFT * np.diagonal(matrix)[:d], slope, at.w)

    def gap_at(x: Vector, change: float, g: Vector) -> float:
        return gap_estimate(problem, x, 0.0, Gradient(at.risk + change, g, 0.0))[1]

    w = minimize_model(problem.regularizer, model, gap_at, tol)
    return w, at.b - (at.slope + float(row @ (w - at.w))) / bend if problem.fit_intercept else at.b


def _one_by_one(problem: Any, state: CompositeNewtonState, matrix: Matrix) -> tuple[Vector, float]:
    """The same where every weight has an interval and a penalty of its own: by coordinate descent on the matrix."""
    at, d = state.at, problem.design.n_columns()
    x, slope = joined(problem, at.w, at.b).copy(), joined(problem, state.g, at.slope)
    terms, tol = IntervalPenalty.of(problem.regularizer), LEFT * float(np.max(np.abs(slope)))
    most = int(min(MOST_EPOCHS, MOST_WORK / (2.0 * d**2)))
    descend_on_matrix(matrix, slope, terms, problem.fit_intercept, x, tol, most)
    return x[:d], float(x[-1]) if problem.fit_intercept else at.b


def _searched(problem: Any, state: CompositeNewtonState, w: Vector, b: float) -> tuple[Place, float]:
    """The best place on the line to (w, b), and the step to it."""
    at = state.at
    scores = scores_of(problem.design, w, b, problem.n_threads)
    omega = state.objective - at.risk
    fall = float(state.g @ (w - at.w)) + at.slope * (b - at.b) + penalty(problem, w) - omega

    def place_at(t: float) -> Place:
        if t == 1.0:
            return place_of(problem, w, b, scores)
        between = at.scores + t * (scores - at.scores)
        return place_of(problem, at.w + t * (w - at.w), at.b + t * (b - at.b), between)

    def value(t: float) -> float:
        place = place_at(t)
        return place.risk + penalty(problem, place.w)

    t = best_step(value, state.objective, fall)
    if t == 0.0:
        return at, t
    best = place_at(t)
    if t > 1.0:  # the scores beyond (w, b) have its rounding many times over
        best = place_of(problem, best.w, best.b, scores_of(problem.design, best.w, best.b, problem.n_threads))
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


def _measured(problem: Any, state: CompositeNewtonState) -> CompositeNewtonState:
    """With the gradient, the objective and the gap of the place."""
    at = state.at
    g = weighted_sum(problem, at.slopes)
    omega, gap = gap_estimate(problem, at.w, at.b, Gradient(at.risk, g, at.slope))
    objective = at.risk + omega
    falls = not objective >= state.objective - ROUNDING * abs(objective)
    is_flat = not (falls or gap < 0.99 * state.best_gap)
    return state._replace(
        g=g,
        objective=objective,
        gap=gap,
        best_gap=min(gap, state.best_gap),
        flat=state.flat + 1 if is_flat else 0,
        passes=state.passes + 1.0,
    )

"""Gradient descent, with the textbook's constant step or with backtracking."""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, gradient
from empirisk.protocols import Progress, Vector
from empirisk.solvers.steps.proximal_step import Best, gap_estimate, has_diverged

SUFFICIENT = 0.5  # of the decrease that the slope promises: on a parabola, steps up to its minimum
GROW, SHRINK = 2.0, 0.5
MOST_TRIALS = 60
VISIBLE = 1e-12  # of the objective: smaller changes are rounding for the most part
MOST_FLAT = 50  # steps without a visible gain, after which rounding is all that is left
NOISE = 1e-15  # of the objective: what rounding makes of it


class GradientDescentState(NamedTuple):
    """Where the method stands."""

    w: Vector
    b: float
    gradient: Gradient
    step: float  # the next one to try
    scores: Vector
    best: Best  # for the rule of divergence
    passes: float
    stalled: bool
    diverged: bool
    least: float = math.inf  # norm of the gradient so far
    flat: int = 0  # steps in a row that gained nothing visible, neither in the objective nor in that norm


class GradientDescent(NamedTuple):
    """(w, b) <- (w, b) - t grad P(w, b).

    `alpha` > 0 is the constant step t; 0 halves the last step until it lowers the objective by at least
    t/2 ||grad P||^2 (Armijo), and tries twice as much whenever it was accepted at once. `epsilon` > 0 stops where
    ||grad P|| <= epsilon, the intercept included, whatever the certificate says; with 0 the certificate stops. On an
    objective whose
    gradient is L-Lipschitz alpha < 2/L converges. A run has diverged when the objective is not finite, or has risen
    ten steps in a row to more than a thousand times its size at the start; the best point is returned then.
    Reference: Armijo (1966); Nesterov (2004), section 1.2.3.
    """

    alpha: float = 0.0
    epsilon: float = 0.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "no kinks", "l2 alone")

    def init(self, problem: Any, point: LinearPoint) -> GradientDescentState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        for name, value in zip(self._fields, self, strict=True):
            if not (isinstance(value, numbers.Real) and 0.0 <= value < math.inf):
                raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
        scores = np.empty(problem.design.n_rows())
        at = gradient(problem, w, b, scores)
        first = 1.0 / max(_norm(at), np.finfo(float).tiny)
        return GradientDescentState(w, b, at, first, scores, Best(w, b, at.objective), 1.0, False, False)

    def has_own_rule(self) -> bool:
        """Whether epsilon decides, and not the certificate."""
        return self.epsilon > 0.0

    def step(self, problem: Any, state: GradientDescentState) -> GradientDescentState:
        """One step."""
        return self._constant_step(problem, state) if self.alpha > 0.0 else self._line_search(problem, state)

    def _constant_step(self, problem: Any, state: GradientDescentState) -> GradientDescentState:
        w, b = _moved(state, self.alpha)
        at = gradient(problem, w, b, state.scores)
        best = state.best.after(w, b, at.objective)
        passes = state.passes + 1.0
        if has_diverged(best, at.objective):
            back = gradient(problem, best.w, best.b, state.scores)
            return state._replace(w=best.w, b=best.b, gradient=back, best=best, passes=passes + 1.0, diverged=True)
        stalled = bool(np.array_equal(w, state.w)) and b == state.b
        return state._replace(w=w, b=b, gradient=at, best=best, passes=passes, stalled=stalled)

    def _line_search(self, problem: Any, state: GradientDescentState) -> GradientDescentState:
        slope = _norm(state.gradient) ** 2
        noise = NOISE * abs(state.gradient.objective)
        t, passes = state.step, state.passes
        for trial in range(MOST_TRIALS):
            w, b = _moved(state, t)
            at = gradient(problem, w, b, state.scores)
            passes += 1.0
            if SUFFICIENT * t * slope > VISIBLE * abs(state.gradient.objective):
                falls = at.objective <= state.gradient.objective - SUFFICIENT * t * slope
            else:  # rounding hides it; on a parabola this is the same
                falls = _slope(at, state.gradient) >= 0.0
            if falls:
                gained = state.gradient.objective - at.objective
                is_flat = gained <= noise and _norm(at) >= 0.99 * state.least
                flat = state.flat + 1 if is_flat else 0
                least = state.least if is_flat else min(state.least, _norm(at))
                longer = GROW * t if trial == 0 else t
                return state._replace(
                    w=w, b=b, gradient=at, step=longer, passes=passes, stalled=flat >= MOST_FLAT, flat=flat, least=least
                )
            t *= SHRINK
        return state._replace(passes=passes, stalled=True)

    def point(self, state: GradientDescentState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.w, state.b)

    def progress(self, problem: Any, state: GradientDescentState) -> Progress:
        """The gap that the gradient implies, and whether it is short enough."""
        at = state.gradient
        risk = at._replace(weights=at.weights - problem.regularizer.l2 * state.w)
        _, gap = gap_estimate(problem, state.w, state.b, risk)
        is_precise = self.epsilon > 0.0 and _norm(at) <= self.epsilon
        ending = "DIVERGED" if state.diverged else "PRECISION_REACHED" if is_precise else ""
        return Progress(state.passes, at.objective, gap, state.stalled, ending)


def _moved(state: GradientDescentState, t: float) -> tuple[Vector, float]:
    return state.w - t * state.gradient.weights, state.b - t * state.gradient.intercept


def _slope(at: Gradient, old: Gradient) -> float:
    return float(at.weights @ old.weights) + at.intercept * old.intercept


def _norm(at: Gradient) -> float:
    return math.hypot(float(np.linalg.norm(at.weights)), at.intercept)

"""Gradient descent, with the textbook's constant step or with backtracking."""

from __future__ import annotations

import math
import numbers
from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, blank_scores, gradient
from empirisk.protocols import Array, Progress
from empirisk.solvers.steps.proximal_step import Best, gap_estimate, has_diverged
from empirisk.solvers.steps.smooth_progress import norm

SUFFICIENT = 0.5  # of the decrease that the slope promises: on a parabola, steps up to its minimum
GROW, SHRINK = 2.0, 0.5
MOST_TRIALS = 60
VISIBLE = 1e-12  # of the objective: smaller changes are rounding for the most part
MOST_FLAT = 50  # steps without a visible gain, after which rounding is all that is left
NOISE = 1e-15  # of the objective: what rounding makes of it


class GradientDescentState(NamedTuple):
    """Where the method stands."""

    x: Array
    gradient: Gradient
    step: float  # the next one to try
    scores: Array
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

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> GradientDescentState:
        """Evaluate the start."""
        for name, value in zip(self._fields, self, strict=True):
            if not (isinstance(value, numbers.Real) and 0.0 <= value < math.inf):
                raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
        x = point.stacked()
        scores = blank_scores(problem, x)
        at = gradient(problem, x, scores)
        first = 1.0 / max(norm(at.slope), np.finfo(float).tiny)
        return GradientDescentState(x, at, first, scores, Best(x, at.objective), 1.0, False, False)

    def has_own_rule(self) -> bool:
        """Whether epsilon decides, and not the certificate."""
        return self.epsilon > 0.0

    def step(self, problem: EmpiricalRisk, state: GradientDescentState) -> GradientDescentState:
        """One step."""
        return self._constant_step(problem, state) if self.alpha > 0.0 else self._line_search(problem, state)

    def _constant_step(self, problem: EmpiricalRisk, state: GradientDescentState) -> GradientDescentState:
        x = state.x - self.alpha * state.gradient.slope
        at = gradient(problem, x, state.scores)
        best = state.best.after(x, at.objective)
        passes = state.passes + 1.0
        if has_diverged(best, at.objective):
            back = gradient(problem, best.x, state.scores)
            return state._replace(x=best.x, gradient=back, best=best, passes=passes + 1.0, diverged=True)
        stalled = bool(np.array_equal(x, state.x))
        return state._replace(x=x, gradient=at, best=best, passes=passes, stalled=stalled)

    def _line_search(self, problem: EmpiricalRisk, state: GradientDescentState) -> GradientDescentState:
        slope = norm(state.gradient.slope) ** 2
        noise = NOISE * abs(state.gradient.objective)
        t, passes = state.step, state.passes
        for trial in range(MOST_TRIALS):
            x = state.x - t * state.gradient.slope
            at = gradient(problem, x, state.scores)
            passes += 1.0
            if SUFFICIENT * t * slope > VISIBLE * abs(state.gradient.objective):
                falls = at.objective <= state.gradient.objective - SUFFICIENT * t * slope
            else:  # rounding hides it; on a parabola this is the same
                falls = float(np.vdot(at.slope, state.gradient.slope)) >= 0.0
            if falls:
                gained = state.gradient.objective - at.objective
                is_flat = gained <= noise and norm(at.slope) >= 0.99 * state.least
                flat = state.flat + 1 if is_flat else 0
                least = state.least if is_flat else min(state.least, norm(at.slope))
                longer = GROW * t if trial == 0 else t
                return state._replace(
                    x=x, gradient=at, step=longer, passes=passes, stalled=flat >= MOST_FLAT, flat=flat, least=least
                )
            t *= SHRINK
        return state._replace(passes=passes, stalled=True)

    def point(self, state: GradientDescentState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.x)

    def progress(self, problem: EmpiricalRisk, state: GradientDescentState) -> Progress:
        """The gap that the gradient implies, and whether it is short enough."""
        at = state.gradient
        risk = at._replace(slope=at.slope.copy())
        risk.slope[:-1] -= problem.regularizer.l2 * state.x[:-1]
        _, gap = gap_estimate(problem, state.x, risk)
        is_precise = self.epsilon > 0.0 and norm(at.slope) <= self.epsilon
        ending = "DIVERGED" if state.diverged else "PRECISION_REACHED" if is_precise else ""
        return Progress(state.passes, at.objective, gap, state.stalled, ending)

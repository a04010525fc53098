"""The limited-memory BFGS method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, gradient
from empirisk.protocols import Progress, Vector
from empirisk.solvers.newton import smooth_progress
from empirisk.solvers.steps.quasi_newton import QuasiNewtonState, advance, begin


class LBFGSState(NamedTuple):
    """The intercept is the last coordinate of x, gradients and pairs."""

    core: QuasiNewtonState
    scores: Vector  # a buffer


class LBFGS(NamedTuple):
    """Quasi-Newton steps from the last `memory` pairs of step and gradient change.

    A step is accepted when it satisfies the weak Wolfe conditions, found by bisection.
    References: Liu and Nocedal (1989); Lewis and Overton (2013) for the line search.
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "no kinks", "l2 alone")

    def init(self, problem: Any, point: LinearPoint) -> LBFGSState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        scores, x = np.empty(problem.design.n_rows()), np.append(w, b)
        return LBFGSState(begin(x, *_evaluate(problem, scores, x)), scores)

    def step(self, problem: Any, state: LBFGSState) -> LBFGSState:
        """One direction and one line search."""
        core = advance(state.core, lambda x: _evaluate(problem, state.scores, x), self.memory)
        return state._replace(core=core)

    def point(self, state: LBFGSState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.core.x[:-1].copy(), float(state.core.x[-1]))

    def progress(self, problem: Any, state: LBFGSState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        core = state.core
        at = Gradient(core.objective, core.slope[:-1], float(core.slope[-1]))
        return smooth_progress(problem, at, core.x[:-1], float(core.x[-1]), core.passes, core.stalled)


def _evaluate(problem: Any, scores: Vector, x: Vector) -> tuple[float, Vector]:
    at = gradient(problem, x[:-1], float(x[-1]), scores)
    return at.objective, np.append(at.weights, at.intercept)

"""The limited-memory BFGS method."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import Gradient, blank_scores, gradient
from empirisk.protocols import Array, Progress
from empirisk.solvers.steps.quasi_newton import QuasiNewtonState, advance, begin
from empirisk.solvers.steps.smooth_progress import balance_of, smooth_progress


class LBFGSState(NamedTuple):
    """Where the iteration stands, on points."""

    core: QuasiNewtonState
    scores: Array  # a buffer
    balance: float  # for the estimate of the gap


class LBFGS(NamedTuple):
    """Quasi-Newton steps from the last `memory` pairs of step and gradient change, on all classes together.

    A step is accepted when it satisfies the weak Wolfe conditions, found by bisection.
    References: Liu and Nocedal (1989); Lewis and Overton (2013) for the line search.
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative or loss.gradient", "no kinks", "l2 alone")

    def init(self, problem: LinearRisk, point: LinearPoint) -> LBFGSState:
        """Evaluate the start."""
        x = point.stacked()
        scores = blank_scores(problem, x)
        return LBFGSState(begin(x, *gradient(problem, x, scores)), scores, balance_of(problem, x))

    def step(self, problem: LinearRisk, state: LBFGSState) -> LBFGSState:
        """One direction and one line search."""
        return state._replace(core=advance(state.core, lambda x: gradient(problem, x, state.scores), self.memory))

    def point(self, state: LBFGSState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.core.x)

    def progress(self, problem: LinearRisk, state: LBFGSState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        core = state.core
        at = Gradient(core.objective, core.slope)
        return smooth_progress(problem, at, core.x, state.balance, core.passes, core.stalled)

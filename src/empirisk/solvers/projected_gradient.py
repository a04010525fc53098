"""Projected (proximal) gradient descent."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.steps.proximal_step import MOST_FLAT, Best, ProximalState, advance, begin, has_diverged


class ProjectedGradientState(NamedTuple):
    """Where the method stands."""

    now: ProximalState
    best: Best  # for the rule of divergence
    diverged: bool


class ProjectedGradient(NamedTuple):
    """w <- prox_{t Omega}(w - t grad R(w)), R the mean loss: for a constraint, the projection of a gradient step.

    `alpha` > 0 is the constant step t, for weights and intercept; 0 takes a backtracked one. A start outside of the
    constraint is projected first. The rule of divergence is that of gradient descent. The gap falls like 1/k, and
    linearly with l2 > 0. References: Goldstein (1964); Beck and Teboulle (2009).
    """

    alpha: float = 0.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "no kinks", "regularizer.prox")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> ProjectedGradientState:
        """Project and evaluate the start."""
        if not 0.0 <= self.alpha < math.inf:
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}")
        now = begin(problem, point.stacked(), self.alpha)
        return ProjectedGradientState(now, Best(now.x, now.objective), False)

    def step(self, problem: EmpiricalRisk, state: ProjectedGradientState) -> ProjectedGradientState:
        """One step."""
        now = advance(problem, state.now, constant=self.alpha > 0.0)
        best = state.best.after(now.x, now.objective)
        if self.alpha > 0.0 and has_diverged(best, now.objective):
            back = begin(problem, best.x, self.alpha)
            return ProjectedGradientState(back._replace(passes=now.passes + 1.0), best, True)
        return ProjectedGradientState(now, best, False)

    def point(self, state: ProjectedGradientState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.now.x)

    def progress(self, problem: EmpiricalRisk, state: ProjectedGradientState) -> Progress:
        """The gap is estimated from the gradient."""
        now = state.now
        ending = "DIVERGED" if state.diverged else ""
        return Progress(now.passes, now.objective, now.gap, now.flat >= MOST_FLAT, ending)

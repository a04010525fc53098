"""L-BFGS for the likelihood of chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.chains.likelihood import mean_likelihood
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.protocols import Array, Progress
from empirisk.solvers.steps.quasi_newton import QuasiNewtonState, advance, begin


class ChainLBFGS(NamedTuple):
    """Quasi-Newton steps from the last `memory` pairs, under l2 alone; a step costs one pass as a rule.

    The gap of each step is ||grad P||^2 / (2 l2), free with the gradient. Liu and Nocedal (1989).
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Said by the choice of solvers."""
        return ()

    def init(self, problem: ChainRisk, point: ChainPoint) -> QuasiNewtonState:
        """Evaluate the start."""
        return begin(point.weights, *smooth_objective(problem, point.weights))

    def step(self, problem: ChainRisk, state: QuasiNewtonState) -> QuasiNewtonState:
        """One direction and one line search."""
        return advance(state, lambda u: smooth_objective(problem, u), self.memory)

    def point(self, state: QuasiNewtonState) -> ChainPoint:
        """The iterate."""
        return ChainPoint(state.x)

    def progress(self, problem: ChainRisk, state: QuasiNewtonState) -> Progress:
        """The gap is that of the certificate but for rounding."""
        gap = float(np.vdot(state.slope, state.slope)) / (2.0 * problem.regularizer.l2)
        return Progress(state.passes, state.objective, gap, state.stalled, is_sure=True)


def smooth_objective(problem: ChainRisk, u: Array) -> tuple[float, Array]:
    """P and its gradient, without l1."""
    found = mean_likelihood(problem.passes, u)
    l2 = problem.regularizer.l2
    gradient = found.gradient
    gradient += l2 * u
    return found.value + 0.5 * l2 * float(np.vdot(u, u)), gradient

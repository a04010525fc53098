"""The accelerated proximal gradient method FISTA."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import Progress
from empirisk.solvers.steps.proximal_step import MOST_FLAT, ProximalState, advance, begin


class FISTA(NamedTuple):
    """x' = prox_{t Omega}(y - t grad R(y)), then y = x' + beta_k (x' - x): Nesterov's momentum.

    The step t is backtracked and may grow; the gap falls like 1/k^2. `restart` drops the momentum where it points
    uphill, which gives linear convergence wherever the objective curves, without knowing how much. One read of
    the data a step, the test of the step included; many classes take one step t together. References: Beck and Teboulle
    (2009); Scheinberg, Goldfarb and Bai (2014) for growing steps; O'Donoghue and Candes (2015) for restarts.
    """

    restart: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative or loss.gradient", "no kinks", "convex", "regularizer.prox")

    def init(self, problem: LinearRisk, point: LinearPoint) -> ProximalState:
        """Evaluate the start."""
        return begin(problem, point.stacked())

    def step(self, problem: LinearRisk, state: ProximalState) -> ProximalState:
        """One step."""
        return advance(problem, state, momentum=True, restart=self.restart)

    def point(self, state: ProximalState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.x)

    def progress(self, problem: LinearRisk, state: ProximalState) -> Progress:
        """The gap is estimated from the gradient at the base of the next step."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)

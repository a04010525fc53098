"""The accelerated proximal gradient method FISTA."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.steps.proximal_step import MOST_FLAT, ProximalState, advance, begin


class FISTA(NamedTuple):
    """w' = prox_{t Omega}(y - t grad R(y)), then y = w' + beta_k (w' - w): Nesterov's momentum.

    The step t is backtracked and may grow; the gap falls like 1/k^2. `restart` drops the momentum where it points
    uphill, which gives linear convergence wherever the objective curves, without knowing how much. One read of
    the data a step, the test of the step included. References: Beck and Teboulle (2009); Scheinberg, Goldfarb and Bai
    (2014) for growing steps; O'Donoghue and Candes (2015) for restarts.
    """

    restart: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "no kinks", "convex", "regularizer.prox")

    def init(self, problem: Any, point: LinearPoint) -> ProximalState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        return begin(problem, w, b)

    def step(self, problem: Any, state: ProximalState) -> ProximalState:
        """One step."""
        return advance(problem, state, momentum=True, restart=self.restart)

    def point(self, state: ProximalState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.w, state.b)

    def progress(self, problem: Any, state: ProximalState) -> Progress:
        """The gap is estimated from the gradient at the base of the next step."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)

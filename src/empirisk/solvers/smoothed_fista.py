"""FISTA for losses with kinks: a proximal method on the dual, each step solved by FISTA."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.fista import FISTA
from empirisk.solvers.smoothing.dual_proximal import DualProximalState, advance, begin, progress_of

SHARPEN = 0.5  # factor of the strength from one centre to the next: sharper problems take more steps


class SmoothedFISTA(NamedTuple):
    """Replace the loss by its envelope around the dual point u, minimise by FISTA, move u, sharpen.

    The method for a loss with kinks under any regularizer and constraint that has a prox.
    References: Rockafellar (1976); Nesterov (2005).
    """

    restart: bool = True  # of FISTA's momentum

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.conjugate", "loss.dual_step", "convex", "regularizer.prox")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> DualProximalState:
        """Centre the smoothing at u = 0."""
        return begin(FISTA(self.restart), problem, point)

    def step(self, problem: EmpiricalRisk, state: DualProximalState) -> DualProximalState:
        """One step of FISTA; when the smoothed problem is solved well enough, a new centre."""
        return advance(FISTA(self.restart), problem, state, SHARPEN)

    def point(self, state: DualProximalState) -> LinearPoint:
        """The inner iterate and its dual point."""
        return LinearPoint.of(state.inner.x)._replace(evidence=state.u)

    def progress(self, problem: EmpiricalRisk, state: DualProximalState) -> Progress:
        """What the inner method knows."""
        return progress_of(state)

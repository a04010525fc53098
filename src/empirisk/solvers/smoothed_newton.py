"""Newton's method for losses with kinks under any regularizer that has a prox in a diagonal metric."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.composite_newton import CompositeNewton
from empirisk.solvers.smoothing.dual_proximal import DualProximalState, advance, begin, progress_of


class SmoothedNewton(NamedTuple):
    """Replace the loss by its envelope around the dual point u, minimise by `CompositeNewton`, move u, sharpen.

    The method for a loss with kinks under any regularizer and constraint, on few columns of any scale; with l1, l2 > 0
    and a box on many, where few rows are at a kink.
    References: Rockafellar (1976); Lee, Sun and Saunders (2014).
    """

    sharpen: float = 0.5  # factor of the strength from one centre to the next

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.conjugate", "loss.dual_step", "convex", "regularizer.prox_scaled")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> DualProximalState:
        """Centre the smoothing at u = 0."""
        return begin(CompositeNewton(), problem, point)

    def step(self, problem: EmpiricalRisk, state: DualProximalState) -> DualProximalState:
        """One Newton step; when the smoothed problem is solved well enough, a new centre."""
        return advance(CompositeNewton(), problem, state, self.sharpen)

    def point(self, state: DualProximalState) -> LinearPoint:
        """The inner iterate and its dual point."""
        return LinearPoint.of(state.inner.x)._replace(evidence=state.u)

    def progress(self, problem: EmpiricalRisk, state: DualProximalState) -> Progress:
        """What the inner method knows."""
        return progress_of(state)

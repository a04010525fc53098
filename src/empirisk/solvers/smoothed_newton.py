"""Newton's method for losses with kinks under any regularizer that has a prox in a diagonal metric."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.composite_newton import CompositeNewton
from empirisk.solvers.smoothing.dual_proximal import DualProximalState, advance, begin, progress_of


class SmoothedNewton(NamedTuple):
    """Replace the loss by its envelope around the dual point u, minimise by `CompositeNewton`, move u, sharpen.

    The method for a loss with kinks under any regularizer and constraint, on few columns of any scale.
    References: Rockafellar (1976); Lee, Sun and Saunders (2014).
    """

    sharpen: float = 0.5  # factor of the strength from one centre to the next

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.conjugate", "loss.dual_step", "convex", "regularizer.prox_scaled")

    def init(self, problem: Any, point: LinearPoint) -> DualProximalState:
        """Centre the smoothing at u = 0."""
        w, b = point.weights, point.intercept
        return begin(CompositeNewton(), problem, w, b)

    def step(self, problem: Any, state: DualProximalState) -> DualProximalState:
        """One Newton step; when the smoothed problem is solved well enough, a new centre."""
        return advance(CompositeNewton(), problem, state, self.sharpen)

    def point(self, state: DualProximalState) -> LinearPoint:
        """The inner iterate and its dual point."""
        return LinearPoint(state.inner.w, state.inner.b, state.u)

    def progress(self, problem: Any, state: DualProximalState) -> Progress:
        """What the inner method knows."""
        return progress_of(state)

"""Dual coordinate ascent with a Newton finish."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from empirisk.capabilities import has_kinks
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress, Vector
from empirisk.solvers.newton import Newton
from empirisk.solvers.proximal_newton import ProximalNewton
from empirisk.solvers.sdca import SDCA, SDCAState

LEAST_PASSES, MOST_PASSES = 10.0, 200.0  # of dual ascent
SMOOTH_DECADE, KINK_DECADE = 9.0, 20.0  # passes that it may take for a digit
SWITCH_GAP = 3e-4  # relative: with kinks, Newton's steps are many before
STRENGTH = 3.0  # of the first envelope, times the root of the relative gap


class DualNewtonState(NamedTuple):
    """Where the method stands."""

    part: SDCA | Newton | ProximalNewton  # the solver at work
    inner: Any  # its state
    mark_gap: float  # a tenth of which is the next digit
    mark_passes: float
    before: float  # passes of the parts before


class DualNewton(NamedTuple):
    """Passes of `SDCA` while its gap falls fast, then `Newton` from there; `ProximalNewton` for losses with kinks.

    Dual ascent is fast on wide sparse data, where it solves easy problems on its own, until little is left to gain but
    along directions that no row moves alone; for a loss with kinks, until the rows at the kinks are known. Newton's
    method is the other way round. References: Hsieh et al. (2008); Lin, Weng and Keerthi (2008); Yan and Li (2020).
    """

    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return (*ProximalNewton().needs, "l2 > 0", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> DualNewtonState:
        """That of dual ascent."""
        return self._begun(SDCA(self.seed).init(problem, point))

    def from_dual(self, problem: EmpiricalRisk, w: Vector, b: float, u: Vector) -> DualNewtonState:
        """Start from dual variables."""
        return self._begun(SDCA(self.seed).from_dual(problem, w, b, u))

    def step(self, problem: EmpiricalRisk, state: DualNewtonState) -> DualNewtonState:
        """One pass of dual ascent, or one Newton step."""
        part, inner = state.part, state.inner
        if not isinstance(part, SDCA):
            return state._replace(inner=part.step(problem, inner))
        at, kinks = part.progress(problem, inner), has_kinks(problem.loss)
        met = inner.last.gap  # as rows were met: what it is expected to have fallen to is a less steady measure
        if met <= 0.1 * state.mark_gap:
            state = state._replace(mark_gap=met, mark_passes=at.passes)
        share = met / abs(at.objective) if at.objective != 0.0 else math.inf
        is_slow = at.passes - state.mark_passes > (KINK_DECADE if kinks else SMOOTH_DECADE)
        is_late = share <= SWITCH_GAP if kinks else at.passes >= LEAST_PASSES
        if not (is_slow and is_late) and at.passes < MOST_PASSES:
            return state._replace(inner=part.step(problem, inner))
        point = part.point(inner)
        if kinks:
            newton = ProximalNewton()
            strength = STRENGTH * math.sqrt(min(1.0, share))
            assert point.dual is not None  # dual ascent has one
            started = newton.from_dual(problem, point.weights, point.intercept, point.dual, strength)
            return state._replace(part=newton, inner=started, before=at.passes)
        return state._replace(part=Newton(), inner=Newton().init(problem, point), before=at.passes)

    def point(self, state: DualNewtonState) -> LinearPoint:
        """That of the part at work."""
        return state.part.point(state.inner)

    def progress(self, problem: EmpiricalRisk, state: DualNewtonState) -> Progress:
        """That of the part at work."""
        progress = state.part.progress(problem, state.inner)
        return progress._replace(passes=progress.passes + state.before)

    def _begun(self, inner: SDCAState) -> DualNewtonState:
        return DualNewtonState(SDCA(self.seed), inner, math.inf, 0.0, 0.0)

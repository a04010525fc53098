"""One solver after another."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from empirisk.capabilities import name_of
from empirisk.protocols import Point, Problem, Progress, Solver

DIGIT = 0.1  # of its estimate of the gap is one digit
FALL = 0.01  # of the objective counts too: some gaps are large until they are small at once
FALL_PASSES = 300.0  # until when it does
DIGIT_PASSES = 150.0  # that either may take: with more, six digits would take as long as a run has


class HandoverState(NamedTuple):
    """Which solver is at work, and where it stands."""

    place: int  # of the solver at work, in the chain
    inner: Any  # its state
    start: Point  # where the first solver began
    first: float  # the objective where this one began
    mark_gap: float  # a tenth of which is the next digit
    mark_objective: float  # a hundredth less of which counts as much
    mark_passes: float  # of this solver, when it had those
    before: float  # passes of those before it


class Handover(NamedTuple):
    """A chain: a solver that is fast on most problems, and after it, where it gets nowhere, others that are sure.

    A solver but the last is done with when it can do no more, or gains neither a digit of the gap nor, in its first
    three hundred passes, a hundredth of the objective in a hundred and fifty. The second begins where the first ended,
    if that is lower than where it began; where not, and from the third on, they begin anew: where one was trapped,
    another may be. It is for `solver="auto"`, which stops on the certificate: what is not certified then has columns
    too much alike, or of too different size, for the solver at work. The driver asks `further` for the next one, after
    a look at the certificate.
    """

    solvers: tuple[Solver, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return tuple(dict.fromkeys(need for solver in self.solvers for need in solver.needs))

    def init(self, problem: Problem, point: Point) -> HandoverState:
        """That of the first."""
        return self._begun(problem, 0, point, point.copy(), 0.0)

    def step(self, problem: Problem, state: HandoverState) -> HandoverState:
        """A step of the solver at work."""
        inner = self.solvers[state.place].step(problem, state.inner)
        at = self.solvers[state.place].progress(problem, inner)
        is_lower = state.mark_objective - at.objective > FALL * abs(state.mark_objective) and at.passes < FALL_PASSES
        if at.gap <= DIGIT * state.mark_gap or is_lower:
            gap, lowest = min(at.gap, state.mark_gap), min(at.objective, state.mark_objective)
            state = state._replace(mark_gap=gap, mark_objective=lowest, mark_passes=at.passes)
        return state._replace(inner=inner)

    def point(self, state: HandoverState) -> Point:
        """That of the solver at work."""
        found: Point = self.solvers[state.place].point(state.inner)
        return found

    def progress(self, problem: Problem, state: HandoverState) -> Progress:
        """That of the solver at work, which has stalled when it is slow and another one can go on."""
        at: Progress = self.solvers[state.place].progress(problem, state.inner)
        if self._is_last(state):
            return at._replace(passes=at.passes + state.before)
        is_slow = at.passes - state.mark_passes > DIGIT_PASSES
        return at._replace(passes=at.passes + state.before, stalled=at.stalled or is_slow)

    def further(self, problem: Problem, state: HandoverState) -> HandoverState | None:
        """The next solver at work; None after the last."""
        if self._is_last(state):
            return None
        part = self.solvers[state.place]
        at = part.progress(problem, state.inner)
        gained = state.first - at.objective  # nan where it overflowed, or where the start had no estimate
        is_lower = math.isfinite(at.objective) and not gained <= FALL * abs(state.first)
        point = part.point(state.inner) if state.place == 0 and is_lower else state.start
        return self._begun(problem, state.place + 1, point.copy(), state.start, state.before + at.passes)

    def account(self, state: HandoverState) -> str:
        """Who went on where the first got nowhere; empty where it did it all."""
        names = [name_of(solver) for solver in self.solvers[1 : state.place + 1]]
        return f"it got no further, and {', then '.join(names)} went on" if names else ""

    def _begun(self, problem: Problem, place: int, point: Point, start: Point, before: float) -> HandoverState:
        inner = self.solvers[place].init(problem, point)
        at = self.solvers[place].progress(problem, inner)
        return HandoverState(place, inner, start, at.objective, math.inf, at.objective, at.passes, before)

    def _is_last(self, state: HandoverState) -> bool:
        return state.place == len(self.solvers) - 1

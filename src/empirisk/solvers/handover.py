"""One solver after another."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.protocols import Point, Problem, Progress, Solver

PASSES = 300.0  # of the first solver


class HandoverState(NamedTuple):
    """Which solver is at work, and where it stands."""

    part: Solver  # the solver at work
    inner: Any  # its state
    is_first: bool
    before: float  # passes of the first one, once it is over


class Handover(NamedTuple):
    """A solver that is fast on most problems, and after some passes, or where it can do no more, one that is sure.

    The second begins at the point of the first. It is for `solver="auto"`, which stops on the certificate: what is not
    certified after so many passes has columns too much alike, or of too different size, for the first one.
    """

    first: Solver
    then: Solver

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return tuple(dict.fromkeys((*self.first.needs, *self.then.needs)))

    def init(self, problem: Problem, point: Point) -> HandoverState:
        """That of the first."""
        return HandoverState(self.first, self.first.init(problem, point), True, 0.0)

    def step(self, problem: Problem, state: HandoverState) -> HandoverState:
        """A step of the solver at work; before, the change to the second when it is time."""
        part, inner = state.part, state.inner
        if state.is_first:
            at = part.progress(problem, inner)
            if at.passes >= PASSES or at.stalled or at.ending:
                return HandoverState(self.then, self.then.init(problem, part.point(inner).copy()), False, at.passes)
        return state._replace(inner=part.step(problem, inner))

    def point(self, state: HandoverState) -> Point:
        """That of the solver at work."""
        found: Point = state.part.point(state.inner)
        return found

    def progress(self, problem: Problem, state: HandoverState) -> Progress:
        """That of the solver at work; the first one is not the end."""
        at = state.part.progress(problem, state.inner)
        at = at._replace(passes=at.passes + state.before)
        return at._replace(stalled=False, ending="") if state.is_first else at

"""Follow the leader."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.mirror_maps.flat import Flat
from empirisk.online.game import Game
from empirisk.online.learners.mirror_steps import MOVES, MirrorState, mirror_state
from empirisk.online.learners.promise import Met, Promise
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported


class FollowTheLeader(NamedTuple):
    """w <- the minimiser over the set of <sum g, w> + k Omega(w): what would have been best so far, to first order.

    It may be led by the nose: on gradients that alternate it jumps from end to end of the set and loses in every round.
    Use it to see why leaders are regularized.
    References: Hannan (1957); Kalai and Vempala (2005).
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.maximizer", "bounded constraint")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return ""

    def begin(self, game: Game, first: LinearPoint) -> MirrorState:
        """At w_1."""
        if game.fit_intercept:
            said = "follow_the_leader needs a bounded set, and the intercept is free"
            raise Unsupported(f"{said}: fit_intercept=False, with a column of ones in its place")
        return mirror_state(game, first, Flat(), 1.0, True)

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem, at every u."""
        return Promise(float(met.state.numbers[MOVES]))

    def theorem(self) -> str:
        """In one sentence."""
        return "Regret is at most sum <g_k, w_k - w_{k+1}>, which may grow like the number of rounds (Hannan 1957)."

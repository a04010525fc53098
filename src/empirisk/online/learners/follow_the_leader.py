"""Follow the leader."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.mirror_maps.flat import Flat
from empirisk.online.game import Game
from empirisk.online.learners import exact_leader
from empirisk.online.learners.mirror_steps import MOVES, mirror_state
from empirisk.online.learners.promise import Met, Promise
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported


class FollowTheLeader(NamedTuple):
    """w <- the minimiser over the set of <sum g, w> + k Omega(w): what would have been best so far, to first order.

    With `exact` it is the minimiser of the losses themselves, sum_k s_k loss_k(w) + k Omega(w): of the squared loss by
    its moments, of others by `minimize` in every round, which is for study and keeps 1000 rows at most.
    It may be led by the nose: on gradients that alternate it jumps from end to end of the set and loses in every round.
    Use it to see why leaders are regularized; exact, with losses that curve or l2 > 0, it is no bad learner.
    References: Hannan (1957); Kalai and Vempala (2005).
    """

    exact: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        if self.exact:
            return ("loss.derivative", "convex", "regularizer.prox_scaled", "very few columns")
        return ("loss.derivative", "convex", "regularizer.maximizer", "bounded constraint")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return "" if isinstance(self.exact, bool) else f"exact must be true or false, got {self.exact!r}"

    def begin(self, game: Game, first: LinearPoint) -> Any:
        """At w_1."""
        if self.exact:
            return exact_leader.exact_leader(game, first)
        if game.fit_intercept:
            said = "follow_the_leader needs a bounded set, and the intercept is free"
            raise Unsupported(f"{said}: fit_intercept=False, with a column of ones in its place")
        return mirror_state(game, first, Flat(), 1.0, True)

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem, at every u."""
        numbers = met.state.numbers
        if self.exact:
            return Promise(float(numbers[exact_leader.MOVES] + numbers[exact_leader.LEFT]))
        return Promise(float(numbers[MOVES]))

    def theorem(self) -> str:
        """In one sentence."""
        moves = "s_k (loss_k(w_k) - loss_k(w_{k+1}))" if self.exact else "<g_k, w_k - w_{k+1}>"
        return f"Regret is at most sum {moves}, which may grow like the number of rounds (Hannan 1957)."

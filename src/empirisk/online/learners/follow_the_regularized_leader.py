"""Follow the regularized leader."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.online.game import Game
from empirisk.online.learners.mirror_descent import centre_of, map_for, refused_map
from empirisk.online.learners.mirror_steps import MirrorState, bound_of, mirror_state
from empirisk.online.learners.promise import Met, Promise
from empirisk.problems.linear_point import LinearPoint


class FollowTheRegularizedLeader(NamedTuple):
    """w <- the minimiser of <sum g, w> + k Omega(w) + B(w, w_1) / t, B the divergence of a mirror map.

    It is lazy mirror descent under its other name; with ||w||^2 / 2 and without a set, gradient descent with a constant
    step. Where the leader alone may jump to and fro, the regularizer keeps ||w_{k+1} - w_k|| at most t ||g_k||_* / m.
    Use it to study what regularization does for a leader.
    References: Shalev-Shwartz (2012), section 2.3; McMahan (2017).
    """

    mirror_map: Any = "euclidean"
    t: float = 0.1

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox", "regularizer.prox_scaled")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return refused_map(self.mirror_map, self.t)

    def begin(self, game: Game, first: LinearPoint) -> MirrorState:
        """At w_1."""
        return mirror_state(game, first, map_for(game, self.mirror_map), self.t, True)

    def first(self, game: Game, first: LinearPoint) -> LinearPoint:
        """w_1 where none was given: the centre of the map."""
        return centre_of(game, self.mirror_map, first)

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        return bound_of(met, u)

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most B(u, w_1) / t plus the lesser of t / (2 m) sum ||g_k||_*^2 and sum <g_k, w_k - w_{k+1}> "
            "(Shalev-Shwartz 2012, theorem 2.11)."
        )

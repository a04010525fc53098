"""Exponentiated gradient."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.constraints import L1Ball, Simplex
from empirisk.online.game import Game
from empirisk.online.learners.mirror_descent import centre_of, map_for
from empirisk.online.learners.mirror_steps import LARGEST, MirrorState, bound_of, farthest, mirror_state
from empirisk.online.learners.promise import Met, Promise, beyond, none_because
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported

MAPS = {Simplex: "entropic", L1Ball: "signed_entropic"}


class ExponentiatedGradient(NamedTuple):
    """w_j <- w_j exp(-t g_j) / Z, on the simplex; on the l1 ball with the columns and their mirror images side by side.

    t = sqrt(2 log D / K) / G for K = `horizon` rounds, G = `gradient`, the largest entry of any g, and D the columns,
    twice as many on the ball.
    Use it where there are many columns of which few matter: regret grows with the logarithm of their number.
    Reference: Kivinen and Warmuth (1997).
    """

    horizon: float = 1000.0
    gradient: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "bounded constraint")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        wrong = [name for name in self._fields if not 0.0 < getattr(self, name) < math.inf]
        return f"{wrong[0]} must be positive and finite, got {getattr(self, wrong[0])}" if wrong else ""

    def begin(self, game: Game, first: LinearPoint) -> MirrorState:
        """At w_1."""
        count = game.n_columns * (2 if isinstance(game.constraint, L1Ball) else 1)
        t = math.sqrt(2.0 * math.log(max(count, 2)) / self.horizon) / self.gradient
        return mirror_state(game, first, map_for(game, _map_name(game)), t, True)

    def first(self, game: Game, first: LinearPoint) -> LinearPoint:
        """w_1 where none was given: the centre of the map."""
        return centre_of(game, _map_name(game), first)

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        return bound_of(met, u)

    def beforehand(self, met: Met, u: LinearPoint) -> Promise:
        """What was promised before the first round, from G: U G sqrt(2 K log D) after K = `horizon` rounds."""
        state, largest = met.state, math.sqrt(float(met.state.numbers[LARGEST]))
        said = beyond(largest, self.gradient, "||g||_inf")
        if said:
            return none_because(said)
        squares = met.ledger.rounds * self.gradient**2
        return Promise(farthest(met) / state.t + 0.5 * state.t / float(state.mirror.modulus()) * squares)

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most B(u, w_1) / t + t U / 2 sum ||g_k||_inf^2, U the radius: U G sqrt(2 K log D) for K "
            "rounds within G (Kivinen and Warmuth 1997)."
        )


def _map_name(game: Game) -> str:
    name = MAPS.get(type(game.constraint))
    if name is None:
        raise Unsupported("exponentiated_gradient is for constraint='simplex' or 'l1_ball', with fit_intercept=False")
    return name

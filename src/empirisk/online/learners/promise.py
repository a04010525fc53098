"""What a learner's theorem promises for a run: a number, or the sentence that says why there is none."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.online.game import Game
from empirisk.online.ledger import Ledger
from empirisk.problems.linear_point import LinearPoint

WITHIN = 1.0 + 2.0**-40  # of a distance that was given: a comparator on the edge of a set is not beyond it


class Met(NamedTuple):
    """A run as its bound sees it."""

    game: Game
    ledger: Ledger
    state: Any  # with every step made
    first: LinearPoint  # w_1

    def distance(self, u: LinearPoint) -> float:
        """||u - w_1||, intercepts included."""
        return float(np.linalg.norm(u.stacked() - self.first.stacked()))


class Promise(NamedTuple):
    """The right side of a theorem at these sums; nan where it has none, and then why."""

    value: float
    why: str = ""


def none_because(why: str) -> Promise:
    """No bound."""
    return Promise(math.nan, why)


UNBOUNDED = (
    "its theorem needs a bounded set: give a constraint, and fit_intercept=False with a column of ones in its place, "
    "because the intercept is free"
)


NOTHING = Promise(math.nan)  # was promised, and there is nothing to say about it


def beyond(found: float, given: float, name: str = "||g||") -> str:
    """What to say where a round had a longer gradient than the G that was given beforehand, or nothing."""
    return f"a round had {name} = {found:.6g}, beyond G = {given:.6g}" if found > given * WITHIN else ""


class Promises(NamedTuple):
    """What a theorem says of a run."""

    at: Promise  # at the comparator, from the sums that were met
    over_set: float  # the same for the worst comparator of the learner's own set; nan for none
    beforehand: Promise  # at the comparator, from what was known before the first round


def promised(learner: Any, met: Met, u: LinearPoint) -> Promises:
    """The theorem at u, where u is a point that the learner could have played.

    Penalties are paid at w_1, ..., w_K and bounded at w_2, ..., w_{K+1}: from a w_1 that is not zero, its own is added.
    """
    if math.isinf(met.game.charge(u.weights)):
        said = none_because("the comparator lies outside of the learner's own set, where its theorem says nothing")
        return Promises(said, math.nan, NOTHING)
    paid = met.game.charge(met.first.weights)
    before = learner.beforehand(met, u) if offers(learner, "beforehand") else NOTHING
    found = learner.bound(met, u), learner.bound(met, None), before
    at, over_set, before = (promise._replace(value=promise.value + paid) for promise in found)
    return Promises(at, over_set.value, before)

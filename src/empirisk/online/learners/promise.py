"""What a learner's theorem promises for a run: a number, or the sentence that says why there is none."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

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


def promised(learner: Any, met: Met, u: LinearPoint) -> Promise:
    """The theorem at u, where u is a point that the learner could have played.

    Penalties are paid at w_1, ..., w_K and bounded at w_2, ..., w_{K+1}: from a w_1 that is not zero, its own is added.
    """
    omega = met.game.regularizer
    if math.isinf(float(omega.value(u.weights))):
        return none_because("the comparator lies outside of the learner's own set, where its theorem says nothing")
    found: Promise = learner.bound(met, u)
    return found._replace(value=found.value + float(omega.value(met.first.weights)))

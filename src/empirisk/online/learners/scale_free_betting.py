"""Scale-free betting: a bettor for each column, without a step and without a scale."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.losses import LOSSES
from empirisk.losses.slopes import slope_bound
from empirisk.online.game import Game
from empirisk.online.learners.promise import Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector

# Columns of `bets`: the weight; what K times the weight has of changes before they were made, so that the difference is
# the sum of the weights played; the largest s L |x_j| so far and the first of them; the sum of the slopes, that of
# their squares, and the wealth beyond eps.
WEIGHT, BEHIND, LARGEST, FIRST, SLOPES, SQUARES, GAIN = range(7)
N_BETS = 7


class BettingState(NamedTuple):
    """A row of numbers for each column, side by side; the last is the intercept's."""

    eps: float
    steepest: float  # L, the largest slope of the loss
    has_intercept: bool
    bets: Vector
    rounds: Vector

    def predict(self, X, i, s):
        """The score of row i: the columns of the row look at its size first."""
        rounds = self.rounds[0]
        z = 0.0
        for e in range(X.row_size(i)):
            j = X.column_at(i, e)
            x = X.entry_at(i, e)
            if x != 0.0:
                z += x * bet(self.bets[j], self.eps, s * self.steepest * abs(x), rounds)
        if self.has_intercept:
            z += bet(self.bets[self.bets.shape[0] - 1], self.eps, s * self.steepest, rounds)
        return z

    def update(self, loss, X, i, y, s, z, slope, square):
        """Each column settles its bet and makes the next one."""
        self.rounds[0] += 1.0
        rounds = self.rounds[0]
        for e in range(X.row_size(i)):
            j = X.column_at(i, e)
            x = X.entry_at(i, e)
            if x != 0.0:
                settle_bet(self.bets[j], self.eps, slope * x, rounds)
        if self.has_intercept:
            settle_bet(self.bets[self.bets.shape[0] - 1], self.eps, slope, rounds)

    def point(self) -> LinearPoint:
        """What would be played next, at a row that is no larger than those seen."""
        return LinearPoint.of(self.bets[:, WEIGHT].copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step: those played, from zero, and the next one."""
        weights = self.bets[:, WEIGHT]
        return LinearPoint.of((self.rounds[0] + 1.0) * weights - self.bets[:, BEHIND])

    def looks_first(self) -> bool:
        """Whether the row that is answered has a say in the weights it is answered with."""
        return True

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class ScaleFreeBetting(NamedTuple):
    """w_j = clip(theta, -1, 1) wealth / (2 sqrt q), theta = -sum g_j / sqrt q, q = sum g_j^2 + M^2, for each column.

    M is the largest s L |x_j| so far, this row included, L the largest slope of the loss, and the wealth
    eps - sum g_j w_j. Columns may be of any size: multiplied by powers of two they give the very same answers.
    Use it where nothing is known of the columns and no step may be tuned; a part of the mixture.
    References: after Orabona and Pal (2016) and Mhammedi and Koolen (2020); the proof is in docs/online_learning.md.
    """

    eps: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "l2 alone", "l2 = 0")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return "" if 0.0 < self.eps < math.inf else f"eps must be positive and finite, got {self.eps}"

    def begin(self, game: Game, first: LinearPoint) -> BettingState:
        """At zero."""
        if np.any(first.stacked()):
            raise Unsupported("scale_free_betting begins at zero, without a start")
        return adopted(
            BettingState(self.eps, steepest_of(game), game.fit_intercept, new_bets(first.weights.size), np.zeros(1))
        )

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        if u is None:
            return none_because("it is a promise for each comparator")
        return Promise(sum_of_bets(self.eps, met.state.bets, u.stacked()))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most the sum over the columns that occurred of eps + 2 |u_j| V max(1/2, log(2 |u_j| V / A) - "
            "3/4), V^2 = sum g_j^2 + M^2, A = eps (M_1 / V)^(1 / log 2)."
        )


def steepest_of(game: Game) -> float:
    """L; refuses a loss without one."""
    found = slope_bound(game.loss)
    if not 0.0 < found < math.inf:
        *others, last = [name for name, loss in LOSSES.items() if 0.0 < slope_bound(loss()) < math.inf]
        raise Unsupported(f"a bettor needs a loss whose slope is bounded: {', '.join(others)} or {last}")
    return found


def new_bets(d: int) -> Vector:
    """Nobody has bet yet; the intercept comes last."""
    return np.zeros((d + 1, N_BETS))


def sum_of_bets(eps: float, bets: Vector, u: Vector) -> float:
    """The right side of the theorem, over the columns that occurred."""
    total = 0.0
    for row, size in zip(bets.tolist(), np.abs(u).tolist(), strict=True):
        if row[FIRST] > 0.0:
            v = math.sqrt(row[SQUARES] + row[LARGEST] ** 2)
            total += eps
            if size > 0.0:
                least = math.log(eps) + math.log(row[FIRST] / v) / math.log(2.0)
                total += 2.0 * size * v * max(0.5, math.log(2.0 * size * v) - least - 0.75)
    return total


@kernel
def bet(row, eps, size, rounds):
    """The weight of a column, whose entry may have slopes up to this size now."""
    if size > row[LARGEST]:
        row[LARGEST] = size
        if row[FIRST] == 0.0:
            row[FIRST] = size
        place(row, eps, rounds)
    return row[WEIGHT]


@kernel
def settle_bet(row, eps, slope, rounds):
    """The slope is known: what was won or lost, and the next bet."""
    row[GAIN] -= slope * row[WEIGHT]
    row[SLOPES] += slope
    row[SQUARES] += slope * slope
    place(row, eps, rounds)


@kernel
def place(row, eps, rounds):
    """The weight by what is known; so many rounds were played without it."""
    root = math.sqrt(row[SQUARES] + row[LARGEST] * row[LARGEST])
    if root > 0.0:
        inverse = 1.0 / root  # one division for both
        theta = min(max(-row[SLOPES] * inverse, -1.0), 1.0)
        new = 0.5 * theta * (eps + row[GAIN]) * inverse
        row[BEHIND] += rounds * (new - row[WEIGHT])
        row[WEIGHT] = new

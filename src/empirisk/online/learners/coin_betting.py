"""Coin betting: no step to choose, but the largest gradient must be known."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.online.game import Game
from empirisk.online.learners.promise import NOTHING, Met, Promise, beyond, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
HIGHEST = 700.0  # a logarithm whose exponential is finite
WEALTH, ROUNDS, REACH = range(3)  # places in `numbers`: what is left to bet, the rounds, and the sum of the factors


class CoinState(NamedTuple):
    """The point is a factor times the sum of c_k = -g_k / G: wealth / k in round k."""

    steepest: float  # G
    has_intercept: bool
    theta: Vector  # the sum of c_k
    behind: Vector  # reach * theta - behind is the sum of the points played
    intercept: Vector  # the same two of the intercept
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        numbers = self.numbers
        return numbers[WEALTH] / (numbers[ROUNDS] + 1.0) * (X.dot_row(i, self.theta) + self.intercept[0])

    def update(self, loss, X, i, y, s, z, slope, square):
        """The bet is won or lost, and the coin added to the sum."""
        numbers = self.numbers
        numbers[REACH] += numbers[WEALTH] / (numbers[ROUNDS] + 1.0)
        numbers[ROUNDS] += 1.0
        coin = -slope / max(self.steepest, math.sqrt(square))  # of norm 1 at most: a bettor keeps what it never had
        numbers[WEALTH] += coin * z
        X.add_row(i, coin, self.theta)
        X.add_row(i, coin * numbers[REACH], self.behind)
        if self.has_intercept:
            self.intercept[0] += coin
            self.intercept[1] += coin * numbers[REACH]

    def point(self) -> LinearPoint:
        """What would be played next."""
        factor = float(self.numbers[WEALTH] / (self.numbers[ROUNDS] + 1.0))
        return LinearPoint(factor * self.theta, factor * float(self.intercept[0]))

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step: those played, from zero, and the next one."""
        reach, last = float(self.numbers[REACH]), self.point()
        weights = reach * self.theta - self.behind + last.weights
        return LinearPoint(weights, reach * self.intercept[0] - self.intercept[1] + last.intercept)

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class CoinBetting(NamedTuple):
    """w_k = (wealth / k) sum c_i with c = -g / G: the bettor of Krichevsky and Trofimov on the outcomes of a coin.

    `eps` is the wealth to begin with, `gradient` the G that no ||g|| may exceed: a longer one is cut to G, so that no
    more is lost than there was, and the bound ends. No step is to be chosen, and regret grows with the norm of the
    comparator as if the best one had been.
    Use it where gradients are bounded by nature; else `scale_free_betting`.
    Reference: Orabona and Pal (2016).
    """

    eps: float = 1.0
    gradient: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "l2 alone", "l2 = 0")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        wrong = [name for name in self._fields if not 0.0 < getattr(self, name) < math.inf]
        return f"{wrong[0]} must be positive and finite, got {getattr(self, wrong[0])}" if wrong else ""

    def begin(self, game: Game, first: LinearPoint) -> CoinState:
        """At zero."""
        if np.any(first.stacked()):
            raise Unsupported("coin_betting begins at zero, without a start")
        d = first.weights.size
        numbers = np.array([self.eps, 0.0, 0.0])
        return adopted(CoinState(self.gradient, game.fit_intercept, np.zeros(d), np.zeros(d), np.zeros(2), numbers))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        if u is None:
            return none_because("it is a promise for each comparator")
        said = beyond(met.ledger.largest, self.gradient)
        if said:
            return none_because(f"{said}, and a bettor must know the most that it can lose")
        return Promise(self.gradient * (self.eps + conjugate(met.distance(u), met.ledger.rounds, self.eps)))

    def beforehand(self, met: Met, u: LinearPoint) -> Promise:
        """What was promised before the first round: the closed form, which is never less."""
        if math.isnan(self.bound(met, u).value):
            return NOTHING
        size, k = met.distance(u), met.ledger.rounds
        growth = math.log1p(24.0 * (k * size / self.eps) ** 2)
        return Promise(self.gradient * (self.eps + size * math.sqrt(k * growth)))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most G (eps + F*(||u||)), F the potential of Krichevsky and Trofimov after K rounds, if no "
            "||g_k|| exceeds G: at most G (eps + ||u|| sqrt(K log(1 + 24 K^2 ||u||^2 / eps^2))) (Orabona and Pal 2016, "
            "corollary 5)."
        )


def log_potential(x: float, k: int, eps: float) -> float:
    """log F(x), F(x) = eps 2^k Gamma((k + 1 + x) / 2) Gamma((k + 1 - x) / 2) / (pi k!), for |x| <= k.

    The wealth of the bettor after k coins whose sum has the norm x is no less. Rounded down: it is what large numbers
    leave of each other.
    """
    up, down = math.lgamma(0.5 * (k + 1.0 + x)), math.lgamma(0.5 * (k + 1.0 - x))
    whole = math.lgamma(k + 1.0)
    found = math.log(eps) + k * math.log(2.0) + up + down - math.log(math.pi) - whole
    return found - 2.0**-48 * (k + whole)


def conjugate(size: float, k: int, eps: float) -> float:
    """F*(size) = the largest x size - F(x) over 0 <= x <= k, by the golden section: it is concave in x."""

    def value(x: float) -> float:
        found = log_potential(x, k, eps)
        return x * size - math.exp(found) if found < HIGHEST else -math.inf

    low, high = 0.0, float(k)
    inner, outer = high - GOLDEN * high, GOLDEN * high
    at_inner, at_outer = value(inner), value(outer)
    while high - low > 2.0**-40 * k:
        if at_inner < at_outer or (at_inner == at_outer and math.isfinite(at_inner)):
            low, inner, at_inner = inner, outer, at_outer
            outer = low + GOLDEN * (high - low)
            at_outer = value(outer)
        else:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - GOLDEN * (high - low)
            at_inner = value(inner)
    return max(value(0.0), at_inner, at_outer, value(float(k)))

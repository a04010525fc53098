"""Implicit online descent: the loss of the round itself, not its tangent."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.online.game import Game
from empirisk.online.learners.promise import Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector

# Places in `numbers`: the rounds, the sum that the bound has, the largest ||w_{k+1} - w_k||^2.
ROUNDS, GAIN, FARTHEST = range(3)


class ImplicitState(NamedTuple):
    """Weights, the intercept behind them."""

    t: float
    has_intercept: bool
    w: Vector
    behind: Vector  # (K + 1) w - behind is the sum of the points after each step
    intercept: Vector  # b, and what is behind it
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return X.dot_row(i, self.w) + self.intercept[0]

    def update(self, loss, X, i, y, s, z, slope, square):
        """w <- w - t s loss'(z') x, where z' is the score of the row after the step."""
        numbers = self.numbers
        numbers[ROUNDS] += 1.0
        length = X.squared_row_norm(i) + (1.0 if self.has_intercept else 0.0)
        if length == 0.0:
            return
        new = loss.prox(z, y, self.t * s * length)
        pull = (z - new) / length
        X.add_row(i, -pull, self.w)
        X.add_row(i, -pull * numbers[ROUNDS], self.behind)
        if self.has_intercept:
            self.intercept[0] -= pull
            self.intercept[1] -= pull * numbers[ROUNDS]
        numbers[FARTHEST] = max(numbers[FARTHEST], pull * pull * length)
        numbers[GAIN] += s * (loss.value(z, y) - loss.value(new, y)) - pull * pull * length / (2.0 * self.t)

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint(self.w.copy(), float(self.intercept[0]))

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step: those after the first up to this one."""
        rounds = float(self.numbers[ROUNDS])
        return LinearPoint(
            (rounds + 1.0) * self.w - self.behind, (rounds + 1.0) * self.intercept[0] - self.intercept[1]
        )

    def longest_move(self) -> float:
        """The largest ||w_{k+1} - w_k||."""
        return math.sqrt(float(self.numbers[FARTHEST]))

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class ImplicitDescent(NamedTuple):
    """w <- the minimiser of s loss(<w, x>) + ||w - w_k||^2 / (2 t): however heavy a row is, it never overshoots.

    The passive-aggressive learners are this one: PA-I with the hinge and t = C, PA-II with the squared hinge and t = C.
    Use it where weights or rows vary by orders of magnitude.
    References: Kivinen and Warmuth (1997); Crammer et al. (2006); Kulis and Bartlett (2010).
    """

    t: float = 0.1

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "loss.prox", "convex", "l2 alone", "l2 = 0")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return "" if 0.0 < self.t < math.inf else f"t must be positive and finite, got {self.t}"

    def begin(self, game: Game, first: LinearPoint) -> ImplicitState:
        """At w_1: the sum of points begins without it."""
        w, b = first.weights, float(first.intercept)
        arrays = w.copy(), w.copy(), np.array([b, b]), np.zeros(3)
        return adopted(ImplicitState(self.t, game.fit_intercept, *arrays))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        if u is None:
            return none_because("it is a promise for each comparator")
        return Promise(met.distance(u) ** 2 / (2.0 * self.t) + float(met.state.numbers[GAIN]))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most ||u - w_1||^2 / (2 t) + sum (loss_k(w_k) - loss_k(w_{k+1}) - ||w_{k+1} - w_k||^2 / "
            "(2 t)), never above that of gradient descent (Kulis and Bartlett 2010)."
        )

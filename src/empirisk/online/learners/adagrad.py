"""AdaGrad: a step of its own for each coordinate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.online.game import Game
from empirisk.online.learners.promise import UNBOUNDED, Met, Promise, none_because
from empirisk.online.learners.states import adopted, settled_rule
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector
from empirisk.update_rules.adagrad import (
    INTERCEPT,
    INTERCEPT_HIGH,
    INTERCEPT_LOW,
    INTERCEPT_SQUARE,
    INTERCEPT_SUM,
    STEPS,
    adagrad_rule,
)
from empirisk.update_rules.lazy_steps import LONGEST


class AdagradState(NamedTuple):
    """The update rule, which asks for nothing but the slope."""

    rule: Any

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return self.rule.score(X, i)

    def update(self, loss, X, i, y, s, z, slope, square):
        """A step from row i."""
        self.rule.learn(X, i, slope)

    def point(self) -> LinearPoint:
        """What would be played next."""
        rule = settled_rule(self)
        return LinearPoint(rule.w, float(rule.numbers[INTERCEPT]))

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        rule = settled_rule(self)
        return LinearPoint(rule.w_mean * float(rule.numbers[STEPS]), float(rule.numbers[INTERCEPT_SUM]))

    def metric(self) -> Vector:
        """h of the last step."""
        rule = self.rule
        lengths = np.sqrt(np.append(rule.squares, rule.numbers[INTERCEPT_SQUARE])) / rule.alpha
        return np.maximum(lengths, 1.0 / LONGEST)

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(settled_rule(self).penalty.sum())

    def root_of_squares(self) -> Vector:
        """||g_{1:K,j}|| of each coordinate, the intercept's the last."""
        found: Vector = np.sqrt(np.append(self.rule.squares, self.rule.numbers[INTERCEPT_SQUARE]))
        return found


class Adagrad(NamedTuple):
    """w <- the minimiser of Omega(w) + sum_j h_j (w_j - x_j)^2 / 2 with x = w - g / h, h_j = sqrt(sum g_j^2) / alpha.

    No constant is added to h (0/0 = 0). A constraint is projected onto in the norm of h. A round costs the row's
    non-zeros where Omega is l1 and l2, on a box or without one; else a step over all columns.
    Use it where columns differ in how often they occur; alpha is about the size that weights should reach.
    Reference: Duchi, Hazan and Singer (2011); McMahan and Streeter (2010).
    """

    alpha: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox_scaled")

    def refusal(self) -> str:
        """Why these numbers cannot be, or nothing."""
        return "" if 0.0 < self.alpha < math.inf else f"alpha must be positive and finite, got {self.alpha}"

    def begin(self, game: Game, first: LinearPoint) -> AdagradState:
        """At w_1."""
        w, b = first.weights, float(first.intercept)
        steps = self.alpha, self.alpha if game.fit_intercept else 0.0
        is_lazy, zeros = offers(game.regularizer, "interval"), np.zeros(w.size)
        rule = adagrad_rule(game.regularizer, is_lazy, *steps, w, b, zeros, 0.0, is_watched=True)
        return adopted(AdagradState(rule))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u; None asks for the worst u of the set."""
        rule, lengths = met.state.rule, met.state.root_of_squares()
        if u is None:
            if not math.isfinite(met.game.width):
                return none_because(f"for all comparators together, {UNBOUNDED}")
            reach = np.full(lengths.size, met.game.width)
        else:
            low = np.append(rule.lowest, rule.numbers[INTERCEPT_LOW])
            high = np.append(rule.highest, rule.numbers[INTERCEPT_HIGH])
            reach = np.maximum(np.abs(u.stacked() - low), np.abs(high - u.stacked()))
        return Promise(float((reach**2 / (2.0 * self.alpha) + self.alpha) @ lengths))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most sum_j (max_k (u_j - w_kj)^2 / (2 alpha) + alpha) ||g_{1:K,j}||, over the coordinates j "
            "(Duchi, Hazan and Singer 2011)."
        )

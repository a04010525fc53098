"""The forward algorithm: ridge regression that counts a row before it answers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.online.game import Game
from empirisk.online.learners.matrix_steps import add_to_inverse, times, to_gradient
from empirisk.online.learners.promise import Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector

ROUNDS, SURPRISE = range(2)  # places in `numbers`: the rounds, and the sum of s^2 y^2 <x, A^-1 x>


class ForwardState(NamedTuple):
    """The inverse of A = lam I + sum s x x^T, the row at hand included, and the sum of s y x."""

    has_intercept: bool
    inverted: Vector
    target: Vector
    row: Vector
    image: Vector
    w: Vector  # as played last
    w_sum: Vector  # of the points played
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, which is counted first."""
        root = math.sqrt(s)
        to_gradient(X, i, root, self.has_intercept, self.row)
        if s > 0.0:
            square = times(self.inverted, self.row, self.image)
            add_to_inverse(self.inverted, self.image, square)
        times(self.inverted, self.target, self.w)
        z = X.dot_row(i, self.w)
        return z + self.w[self.w.size - 1] if self.has_intercept else z

    def update(self, loss, X, i, y, s, z, slope, square):
        """The label joins the sum."""
        self.numbers[ROUNDS] += 1.0
        self.numbers[SURPRISE] += s * y * y * times(self.inverted, self.row, self.image)
        for j in range(self.w.size):
            self.w_sum[j] += self.w[j]
            self.target[j] += math.sqrt(s) * y * self.row[j]

    def point(self) -> LinearPoint:
        """The ridge regression of the rows so far."""
        return LinearPoint.of(self.inverted @ self.target)

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step: those played, from zero, and the next one."""
        return LinearPoint.of(self.w_sum + self.inverted @ self.target)

    def looks_first(self) -> bool:
        """Whether the row that is answered has a say in the weights it is answered with."""
        return True

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class ForwardRidge(NamedTuple):
    """w_k = A_k^-1 sum_{i<k} s_i y_i x_i with A_k = lam I + sum_{i<=k} s_i x_i x_i^T: rows count before their labels.

    No range of the answers is asked for. A round costs the square of the number of columns.
    Use it for regression with the squared loss on few columns.
    References: Vovk (2001); Azoury and Warmuth (2001).
    """

    lam: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "quadratic loss", "l2 alone", "l2 = 0", "few columns")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return "" if 0.0 < self.lam < math.inf else f"lam must be positive and finite, got {self.lam}"

    def begin(self, game: Game, first: LinearPoint) -> ForwardState:
        """At zero."""
        if np.any(first.stacked()):
            raise Unsupported("forward_ridge begins at zero, without a start")
        if game.loss.smoothness() != 1.0:
            raise Unsupported("forward_ridge is for the squared loss of scale 1")
        d = first.weights.size + 1
        target, row, image, w, w_sum = (np.zeros(d) for _ in range(5))
        inverted = np.eye(d) / self.lam
        return adopted(ForwardState(game.fit_intercept, inverted, target, row, image, w, w_sum, np.zeros(2)))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u."""
        if u is None:
            return none_because("it is a promise for each comparator")
        return Promise(0.5 * self.lam * met.distance(u) ** 2 + 0.5 * float(met.state.numbers[SURPRISE]))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most lam/2 ||u||^2 + 1/2 sum s_k^2 y_k^2 <x_k, A_k^-1 x_k>: for weights of one at most lam/2 "
            "||u||^2 + Y^2/2 log det(A_K / lam) (Vovk 2001)."
        )

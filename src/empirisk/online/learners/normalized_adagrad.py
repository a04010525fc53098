"""Normalized AdaGrad: steps of the kind that Vowpal Wabbit takes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.online.game import Game
from empirisk.online.learners.promise import Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector

# Columns of `lanes`: the weight; what K times the weight has of changes before they were made; the largest |x_j| so far
# and the sum of g_j^2.
WEIGHT, BEHIND, LARGEST, SQUARES = range(4)
N_LANES = 4
ROUNDS, NORM = range(2)  # places in `numbers`: the rounds, and the sum of (x_j / M_j)^2 over them and the columns


class NormalizedState(NamedTuple):
    """A row of numbers for each column, side by side; the last is the intercept's."""

    alpha: float
    has_intercept: bool
    lanes: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i: weights shrink where its entries are larger than any before."""
        numbers = self.numbers
        z = 0.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                row = self.lanes[X.column_at(i, e)]
                rescale(row, abs(x), numbers[ROUNDS])
                z += x * row[WEIGHT]
        if self.has_intercept:
            row = self.lanes[self.lanes.shape[0] - 1]
            rescale(row, 1.0, numbers[ROUNDS])
            z += row[WEIGHT]
        return z

    def update(self, loss, X, i, y, s, z, slope, square):
        """w_j - alpha sqrt(k / N) g_j / (M_j sqrt(sum g_j^2))."""
        numbers = self.numbers
        numbers[ROUNDS] += 1.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                share = x / self.lanes[X.column_at(i, e), LARGEST]
                numbers[NORM] += share * share
        numbers[NORM] += 1.0 if self.has_intercept else 0.0
        if slope == 0.0:
            return
        step = self.alpha * math.sqrt(numbers[ROUNDS] / numbers[NORM])
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                move_along(self.lanes[X.column_at(i, e)], step, slope * x, numbers[ROUNDS])
        if self.has_intercept:
            move_along(self.lanes[self.lanes.shape[0] - 1], step, slope, numbers[ROUNDS])

    def point(self) -> LinearPoint:
        """What would be played next, at a row that is no larger than those seen."""
        return LinearPoint.of(self.lanes[:, WEIGHT].copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step, as if from zero: those played and the next one."""
        return LinearPoint.of((self.numbers[ROUNDS] + 1.0) * self.lanes[:, WEIGHT] - self.lanes[:, BEHIND])

    def looks_first(self) -> bool:
        """Whether the row that is answered has a say in the weights it is answered with."""
        return True

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class NormalizedAdagrad(NamedTuple):
    """w_j <- w_j - alpha sqrt(k / N) g_j / (M_j sqrt(sum g_j^2)), M_j the largest |x_j|, N the sum of (x_j / M_j)^2.

    Where an entry is larger than any before, its weight is first multiplied by (M_old / M_new)^2. No bound is claimed.
    Use it as a part of the mixture, which chooses alpha by itself.
    Reference: Ross, Mineiro and Langford (2013).
    """

    alpha: float = 0.5

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "l2 alone", "l2 = 0")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        return "" if 0.0 < self.alpha < math.inf else f"alpha must be positive and finite, got {self.alpha}"

    def begin(self, game: Game, first: LinearPoint) -> NormalizedState:
        """At w_1."""
        lanes = np.zeros((first.weights.size + 1, N_LANES))
        lanes[:, WEIGHT] = lanes[:, BEHIND] = first.stacked()
        return adopted(NormalizedState(self.alpha, game.fit_intercept, lanes, np.zeros(2)))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """None."""
        return none_because("no theorem is claimed for normalized steps")

    def theorem(self) -> str:
        """In one sentence."""
        return "No bound is claimed for this learner by itself."


@kernel
def rescale(row, size, rounds):
    """A larger entry than any before makes the weight smaller, as if it had been scaled from the beginning."""
    if size > row[LARGEST]:
        if row[LARGEST] > 0.0:
            share = row[LARGEST] / size
            new = row[WEIGHT] * share * share
            row[BEHIND] += rounds * (new - row[WEIGHT])
            row[WEIGHT] = new
        row[LARGEST] = size


@kernel
def move_along(row, step, slope, rounds):
    """A step against the slope; so many rounds were played without it."""
    row[SQUARES] += slope * slope
    if row[SQUARES] > 0.0:
        change = -step * slope / (row[LARGEST] * math.sqrt(row[SQUARES]))
        row[BEHIND] += rounds * change
        row[WEIGHT] += change

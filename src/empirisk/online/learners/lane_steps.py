"""The lanes of the mixture: normalized AdaGrad at several alphas and bettors at several eps, side by side in memory.

A column has one record: the largest |x_j| so far, the largest s L |x_j| and the first of these; then the weights of all
lanes and their sums of squares, to which those of the bettors, who are the last lanes, add that of the largest; then
the bettors' sums of slopes and gains.
They are the learners of `normalized_adagrad` and `scale_free_betting`, and a row is read once for all of them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import matrix_of
from empirisk.online.game import Game
from empirisk.online.learners.scale_free_betting import FIRST as FIRST_BET
from empirisk.online.learners.scale_free_betting import LARGEST, new_bets, steepest_of, sum_of_bets
from empirisk.online.learners.scale_free_betting import SQUARES as BET_SQUARES
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Matrix, Vector

ALPHAS = tuple(2.0**p for p in (-6, -4, -2, 0, 2, 4))
EPS = (0.1, 1.0, 10.0)
N_STEPS, N_BETS = len(ALPHAS), len(EPS)
N_LANES = N_STEPS + N_BETS
SIZE, STEEPEST, FIRST = range(3)
WEIGHTS = 3
SQUARES = WEIGHTS + N_LANES
BET_SLOPES = SQUARES + N_LANES
BET_GAINS = BET_SLOPES + N_BETS
WIDTH = BET_GAINS + N_BETS
LONGEST = 1e300  # of what multiplies a slope, which is tiny where a column is as small as 1e-300
ROUNDS, NORM = range(2)  # places in `steps`: the rounds, and the sum of (x_j / M_j)^2 over them and the columns


class StandardLanes(NamedTuple):
    """A record for each column; the last is the intercept's."""

    steepest: float  # L
    has_intercept: bool
    records: Matrix
    steps: Vector
    inverses: Vector  # of the roots of a column's sums, one a lane

    def answer_all(self, X, i, s, answers, k):
        """The answers of all lanes to row i."""
        for lane in range(N_LANES):
            answers[lane] = 0.0
        steepest = s * self.steepest
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                look(self.records[X.column_at(i, e)], x, steepest, answers, self.inverses)
        if self.has_intercept:
            look(self.records[self.records.shape[0] - 1], 1.0, steepest, answers, self.inverses)

    def learn_all(self, loss, X, i, y, s, norm, answers, slopes, k):
        """Every lane learns from its own slope."""
        steps = self.steps
        steps[ROUNDS] += 1.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                share = x / self.records[X.column_at(i, e), SIZE]
                steps[NORM] += share * share
        steps[NORM] += 1.0 if self.has_intercept else 0.0
        step = math.sqrt(steps[ROUNDS] / steps[NORM]) if steps[NORM] > 0.0 else 0.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                row = self.records[X.column_at(i, e)]
                learn_column(row, x, min(step / row[SIZE], LONGEST), slopes, self.inverses)
        if self.has_intercept:
            learn_column(self.records[self.records.shape[0] - 1], 1.0, step, slopes, self.inverses)

    def lane_points(self) -> list[LinearPoint]:
        """What each would play next."""
        return [LinearPoint.of(column.copy()) for column in self._weights().T]

    def lane_scores(self, design: Any) -> Matrix:
        """What each would answer to these rows, at rows that are no larger than those seen; a column a lane."""
        weights = self._weights()
        return np.ascontiguousarray(matrix_of(design) @ weights[:-1] + weights[-1])

    def least_bet(self, u: LinearPoint) -> float:
        """The least bound of the bettors at u; normalized steps have none."""
        found, bets = [], new_bets(u.weights.size)
        bets[:, LARGEST], bets[:, FIRST_BET] = self.records[:, STEEPEST], self.records[:, FIRST]
        for k, eps in enumerate(EPS):
            bets[:, BET_SQUARES] = np.maximum(0.0, self.records[:, SQUARES + N_STEPS + k] - bets[:, LARGEST] ** 2)
            found.append(sum_of_bets(eps, bets, u.stacked()))
        return min(found)

    def _weights(self) -> Matrix:
        return self.records[:, WEIGHTS : WEIGHTS + N_LANES]


def standard_lanes(game: Game) -> StandardLanes:
    """At zero; refuses a loss without a largest slope."""
    arrays = np.zeros((game.n_columns + 1, WIDTH)), np.zeros(2), np.zeros(N_LANES)
    lanes: StandardLanes = adopted(StandardLanes(steepest_of(game), game.fit_intercept, *arrays))
    return lanes


@kernel(borrows=True)
def look(row, x, steepest, scores, inverses):
    """Bring the lanes of a column up to the size of its entry, and add x w_j to the scores of all of them."""
    size = abs(x)
    if size > row[SIZE]:
        if row[SIZE] > 0.0:
            share = row[SIZE] / size
            for k in range(N_STEPS):
                row[WEIGHTS + k] *= share * share
        row[SIZE] = size
    if size * steepest > row[STEEPEST]:
        grown = (size * steepest - row[STEEPEST]) * (size * steepest + row[STEEPEST])
        row[STEEPEST] = size * steepest
        if row[FIRST] == 0.0:
            row[FIRST] = row[STEEPEST]
        for k in range(N_STEPS, N_LANES):
            row[SQUARES + k] += grown
            inverses[k] = 1.0 / math.sqrt(row[SQUARES + k]) if row[SQUARES + k] > 0.0 else 0.0
        place_bets(row, inverses)
    for k in range(N_LANES):
        scores[k] += x * row[WEIGHTS + k]


@kernel(borrows=True)
def learn_column(row, x, step, slopes, inverses):
    """The steps of all lanes of a column, where `step` is sqrt(K / N) / M_j.

    The loop over all lanes runs on vectors: `slopes.size` is N_LANES, which as a number would make it none.
    """
    for k in range(N_BETS):
        g = slopes[N_STEPS + k] * x
        row[BET_GAINS + k] -= g * row[WEIGHTS + N_STEPS + k]
        row[BET_SLOPES + k] += g
    squares = row[SQUARES : SQUARES + N_LANES]
    for k in range(slopes.size):
        g = slopes[k] * x
        square = squares[k] + g * g
        squares[k] = square
        root = math.sqrt(square)
        inverses[k] = 1.0 / root if root > 0.0 else 0.0
    for k in range(N_STEPS):
        row[WEIGHTS + k] -= ALPHAS[k] * step * (slopes[k] * x) * inverses[k]
    place_bets(row, inverses)


@kernel(borrows=True)
def place_bets(row, inverses):
    """The weights of the bettors by what they know."""
    for k in range(N_BETS):
        inverse = inverses[N_STEPS + k]
        theta = min(max(-row[BET_SLOPES + k] * inverse, -1.0), 1.0)
        row[WEIGHTS + N_STEPS + k] = 0.5 * theta * (EPS[k] + row[BET_GAINS + k]) * inverse

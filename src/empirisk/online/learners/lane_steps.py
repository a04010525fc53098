"""The lanes of the mixture: normalized AdaGrad at several alphas and bettors at several eps, side by side in memory.

A column has one record: the largest |x_j| so far, the largest s L |x_j| and the first of these; then the weights and
the sums of squares of the normalized lanes; then weights, sums of slopes, sums of squares and gains of the bettors.
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
from empirisk.online.learners.scale_free_betting import LARGEST, SQUARES, new_bets, steepest_of, sum_of_bets
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Matrix, Vector

ALPHAS = tuple(2.0**p for p in (-6, -4, -2, 0, 2, 4))
EPS = (0.1, 1.0, 10.0)
N_STEPS, N_BETS = len(ALPHAS), len(EPS)
N_LANES = N_STEPS + N_BETS
SIZE, STEEPEST, FIRST = range(3)
STEP_WEIGHTS = 3
STEP_SQUARES = STEP_WEIGHTS + N_STEPS
BET_WEIGHTS = STEP_SQUARES + N_STEPS
BET_SLOPES = BET_WEIGHTS + N_BETS
BET_SQUARES = BET_SLOPES + N_BETS
BET_GAINS = BET_SQUARES + N_BETS
WIDTH = BET_GAINS + N_BETS
ROUNDS, NORM = range(2)  # places in `steps`: the rounds, and the sum of (x_j / M_j)^2 over them and the columns


class StandardLanes(NamedTuple):
    """A record for each column; the last is the intercept's."""

    steepest: float  # L
    has_intercept: bool
    records: Matrix
    steps: Vector

    def answer_all(self, X, i, s, answers, k):
        """The answers of all lanes to row i."""
        for lane in range(N_LANES):
            answers[lane] = 0.0
        steepest = s * self.steepest
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                look(self.records[X.column_at(i, e)], x, steepest, answers)
        if self.has_intercept:
            look(self.records[self.records.shape[0] - 1], 1.0, steepest, answers)

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
                learn_column(row, x, step / row[SIZE], slopes)
        if self.has_intercept:
            learn_column(self.records[self.records.shape[0] - 1], 1.0, step, slopes)

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
            bets[:, SQUARES] = self.records[:, BET_SQUARES + k]
            found.append(sum_of_bets(eps, bets, u.stacked()))
        return min(found)

    def _weights(self) -> Matrix:
        steps = self.records[:, STEP_WEIGHTS : STEP_WEIGHTS + N_STEPS]
        return np.hstack([steps, self.records[:, BET_WEIGHTS : BET_WEIGHTS + N_BETS]])


def standard_lanes(game: Game) -> StandardLanes:
    """At zero; refuses a loss without a largest slope."""
    arrays = np.zeros((game.n_columns + 1, WIDTH)), np.zeros(2)
    lanes: StandardLanes = adopted(StandardLanes(steepest_of(game), game.fit_intercept, *arrays))
    return lanes


@kernel
def look(row, x, steepest, scores):
    """Bring the lanes of a column up to the size of its entry, and add x w_j to the scores of all of them."""
    size = abs(x)
    if size > row[SIZE]:
        if row[SIZE] > 0.0:
            share = row[SIZE] / size
            for k in range(N_STEPS):
                row[STEP_WEIGHTS + k] *= share * share
        row[SIZE] = size
    if size * steepest > row[STEEPEST]:
        row[STEEPEST] = size * steepest
        if row[FIRST] == 0.0:
            row[FIRST] = row[STEEPEST]
        place_bets(row)
    for k in range(N_STEPS):
        scores[k] += x * row[STEP_WEIGHTS + k]
    for k in range(N_BETS):
        scores[N_STEPS + k] += x * row[BET_WEIGHTS + k]


@kernel
def learn_column(row, x, step, slopes):
    """The steps of all lanes of a column, where `step` is sqrt(K / N) / M_j."""
    for k in range(N_STEPS):
        g = slopes[k] * x
        row[STEP_SQUARES + k] += g * g
        if row[STEP_SQUARES + k] > 0.0:
            row[STEP_WEIGHTS + k] -= ALPHAS[k] * step * g / math.sqrt(row[STEP_SQUARES + k])
    for k in range(N_BETS):
        g = slopes[N_STEPS + k] * x
        row[BET_GAINS + k] -= g * row[BET_WEIGHTS + k]
        row[BET_SLOPES + k] += g
        row[BET_SQUARES + k] += g * g
    place_bets(row)


@kernel
def place_bets(row):
    """The weights of the bettors by what they know."""
    largest = row[STEEPEST] * row[STEEPEST]
    for k in range(N_BETS):
        root = math.sqrt(row[BET_SQUARES + k] + largest)
        if root > 0.0:
            theta = min(max(-row[BET_SLOPES + k] / root, -1.0), 1.0)
            row[BET_WEIGHTS + k] = theta * (EPS[k] + row[BET_GAINS + k]) / (2.0 * root)

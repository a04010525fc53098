"""The mixture: nobody chooses a step."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import tasks_of
from empirisk.designs import matrix_of
from empirisk.losses import Logistic
from empirisk.online.game import Game
from empirisk.online.learners import lane_steps as lanes
from empirisk.online.learners.lane_steps import EPS, N_LANES, N_STEPS, SIZE, WIDTH, learn_column, look
from empirisk.online.learners.mixing import (
    EXCESS,
    GAPS,
    HIGH,
    LOW,
    N_NUMBERS,
    NORM,
    ROUNDS,
    mixability_gap,
    mixed_odds,
    mixed_scores,
)
from empirisk.online.learners.promise import WITHIN, Met, Promise, none_because
from empirisk.online.learners.scale_free_betting import FIRST, LARGEST, SQUARES, new_bets, steepest_of, sum_of_bets
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector


class MixtureState(NamedTuple):
    """A record for each column, the last is the intercept's; what the lanes have lost, and their last answers."""

    by_odds: bool  # the mean of probabilities; else AdaHedge
    heaviest: float
    steepest: float  # L
    has_intercept: bool
    records: Vector
    losses: Vector
    answers: Vector
    slopes: Vector
    values: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The answer of all lanes together."""
        answers, numbers = self.answers, self.numbers
        for k in range(N_LANES):
            answers[k] = 0.0
        steepest = s * self.steepest
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                look(self.records[X.column_at(i, e)], x, steepest, answers)
        if self.has_intercept:
            look(self.records[self.records.shape[0] - 1], 1.0, steepest, answers)
        if self.by_odds:
            return mixed_odds(answers, self.losses, self.heaviest)
        return mixed_scores(answers, self.losses, numbers[LOW], numbers[HIGH], numbers[GAPS])

    def update(self, loss, X, i, y, s, z, slope, square):
        """Every lane learns from its own answer."""
        answers, slopes, values, numbers = self.answers, self.slopes, self.values, self.numbers
        numbers[ROUNDS] += 1.0
        for k in range(N_LANES):
            values[k] = s * loss.value(answers[k], y)
            slopes[k] = s * loss.derivative(answers[k], y)
        if not self.by_odds:
            excess = 0.0
            for k in range(N_LANES):
                clipped = s * loss.value(min(max(answers[k], numbers[LOW]), numbers[HIGH]), y)
                excess = max(excess, clipped - values[k])
                values[k] = clipped
            numbers[EXCESS] += excess
            numbers[GAPS] += mixability_gap(values, self.losses, numbers[GAPS])
            numbers[LOW], numbers[HIGH] = min(numbers[LOW], y), max(numbers[HIGH], y)
        for k in range(N_LANES):
            self.losses[k] += values[k]
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                share = x / self.records[X.column_at(i, e), SIZE]
                numbers[NORM] += share * share
        numbers[NORM] += 1.0 if self.has_intercept else 0.0
        step = math.sqrt(numbers[ROUNDS] / numbers[NORM]) if numbers[NORM] > 0.0 else 0.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            if x != 0.0:
                row = self.records[X.column_at(i, e)]
                learn_column(row, x, step / row[SIZE], slopes)
        if self.has_intercept:
            row = self.records[self.records.shape[0] - 1]
            learn_column(row, 1.0, step, slopes)

    def point(self) -> LinearPoint:
        """The weights of the lane that has lost least."""
        return LinearPoint.of(self._weights()[:, int(np.argmin(self.losses))].copy())

    def scores(self, design: Any) -> Vector:
        """The answers of all lanes together, at rows that are no larger than those seen."""
        weights = self._weights()
        answers = np.ascontiguousarray(matrix_of(design) @ weights[:-1] + weights[-1])
        numbers, out = self.numbers, np.empty(answers.shape[0])
        for i, row in enumerate(answers):
            mix = (row, self.losses, numbers[LOW], numbers[HIGH], numbers[GAPS])
            out[i] = mixed_odds(row, self.losses, self.heaviest) if self.by_odds else mixed_scores(*mix)
        return out

    def looks_first(self) -> bool:
        """Whether the row that is answered has a say in the weights it is answered with."""
        return True

    def penalties(self) -> float:
        """There is none."""
        return 0.0

    def _weights(self) -> Vector:
        steps = self.records[:, lanes.STEP_WEIGHTS : lanes.STEP_WEIGHTS + N_STEPS]
        return np.hstack([steps, self.records[:, lanes.BET_WEIGHTS : lanes.BET_WEIGHTS + lanes.N_BETS]])


class Mixture(NamedTuple):
    """Nine lanes: `normalized_adagrad` at alpha = 2^-6, 2^-4, ..., 2^4 and `scale_free_betting` at eps = 0.1, 1, 10.

    For the logistic loss the answer is the mean of the lanes' probabilities under weights proportional to
    exp(-loss so far): the total loss is at most that of the best lane plus log 9, whatever the rows are. Rows of weight
    above `largest_weight` end that claim. Other losses mix scores, clipped to the labels seen, by AdaHedge; what the
    clipping cost is added to the bound.
    The default: there is nothing to tune.
    References: Cesa-Bianchi and Lugosi (2006), chapter 3; de Rooij, van Erven, Grunwald and Koolen (2014).
    """

    largest_weight: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "l2 alone", "l2 = 0")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        ok = 0.0 < self.largest_weight < math.inf
        return "" if ok else f"largest_weight must be positive and finite, got {self.largest_weight}"

    def begin(self, game: Game, first: LinearPoint) -> MixtureState:
        """At zero."""
        if np.any(first.stacked()):
            raise Unsupported("the mixture begins at zero, without a start")
        by_odds = isinstance(game.loss, Logistic) and game.loss.scale == 1.0
        numbers = np.zeros(N_NUMBERS)
        numbers[[LOW, HIGH]] = (0.0, 0.0) if "regression" in tasks_of(game.loss) else (-1.0, 1.0)
        arrays = np.zeros((first.weights.size + 1, WIDTH)), *(np.zeros(N_LANES) for _ in range(4)), numbers
        return adopted(MixtureState(by_odds, self.largest_weight, steepest_of(game), game.fit_intercept, *arrays))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The least of the bettors' bounds, and the price of not knowing which lane is best."""
        if u is None:
            return none_because("it is a promise for each comparator")
        state, found = met.state, []
        if state.by_odds and met.ledger.heaviest > self.largest_weight * WITHIN:
            said = f"a row of weight {met.ledger.heaviest:.6g} is above largest_weight = {self.largest_weight:.6g}"
            return none_because(said)
        for k, eps in enumerate(EPS):
            bets = new_bets(u.weights.size)
            bets[:, LARGEST], bets[:, FIRST] = state.records[:, lanes.STEEPEST], state.records[:, lanes.FIRST]
            bets[:, SQUARES] = state.records[:, lanes.BET_SQUARES + k]
            found.append(sum_of_bets(eps, bets, u.stacked()))
        if state.by_odds:
            return Promise(min(found) + self.largest_weight * math.log(N_LANES))
        return Promise(min(found) + 2.0 * float(state.numbers[GAPS]) + float(state.numbers[EXCESS]))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most the least bound of its bettors plus log 9 (logistic loss), or twice the mixability gaps "
            "of AdaHedge (de Rooij et al. 2014)."
        )

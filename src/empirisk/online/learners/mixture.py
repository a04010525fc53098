"""The mixture: nobody chooses a step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of, tasks_of
from empirisk.losses import Logistic
from empirisk.online.game import Game, reasons_against
from empirisk.online.learners.lane_steps import N_LANES, standard_lanes
from empirisk.online.learners.lanes import each, first_of, lanes_of
from empirisk.online.learners.mixing import EXCESS, GAPS, HIGH, LOW, mixability_gap, mixed_odds, mixed_scores
from empirisk.online.learners.promise import WITHIN, Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.online.replay import account
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector
from empirisk.texts import parts_of

STANDARD = "standard"
MOST_LANES = 32  # machine code is made for each of them
BEGINS = "a mixture begins at zero, or at the point of the set that is closest to it: it takes no start"


class MixtureState(NamedTuple):
    """The lanes, what they have lost, and their last answers."""

    by_odds: bool  # the mean of probabilities; else AdaHedge
    heaviest: float
    has_intercept: bool
    lanes: Any
    losses: Vector
    answers: Vector
    slopes: Vector
    values: Vector
    mixed: Vector

    def predict(self, X, i, s):
        """The answer of all lanes together."""
        answers, mixed = self.answers, self.mixed
        self.lanes.answer_all(X, i, s, answers, 0)
        if self.by_odds:
            return mixed_odds(answers, self.losses, self.heaviest)
        return mixed_scores(answers, self.losses, mixed[LOW], mixed[HIGH], mixed[GAPS])

    def update(self, loss, X, i, y, s, z, slope, square):
        """Every lane learns from its own answer."""
        answers, slopes, values, mixed = self.answers, self.slopes, self.values, self.mixed
        for k in range(answers.size):
            values[k] = s * loss.value(answers[k], y)
            slopes[k] = s * loss.derivative(answers[k], y)
        if not self.by_odds:
            excess = 0.0
            for k in range(answers.size):
                clipped = s * loss.value(min(max(answers[k], mixed[LOW]), mixed[HIGH]), y)
                excess = max(excess, clipped - values[k])
                values[k] = clipped
            mixed[EXCESS] += excess
            mixed[GAPS] += mixability_gap(values, self.losses, mixed[GAPS])
            mixed[LOW], mixed[HIGH] = min(mixed[LOW], y), max(mixed[HIGH], y)
        for k in range(answers.size):
            self.losses[k] += values[k]
        norm = X.squared_row_norm(i) + (1.0 if self.has_intercept else 0.0)
        self.lanes.learn_all(loss, X, i, y, s, norm, answers, slopes, 0)

    def point(self) -> LinearPoint:
        """The weights of the lane that has lost least."""
        found: LinearPoint = self.lanes.lane_points()[int(np.argmin(self.losses))]
        return found

    def scores(self, design: Any) -> Vector:
        """The answers of all lanes together."""
        answers, mixed = self.lanes.lane_scores(design), self.mixed
        out = np.empty(answers.shape[0])
        for i, row in enumerate(answers):
            mix = (row, self.losses, mixed[LOW], mixed[HIGH], mixed[GAPS])
            out[i] = mixed_odds(row, self.losses, self.heaviest) if self.by_odds else mixed_scores(*mix)
        return out

    def looks_first(self) -> bool:
        """Whether the row that is answered has a say in the weights it is answered with."""
        return True

    def penalties(self) -> float:
        """There is none."""
        return 0.0


class Mixture(NamedTuple):
    """Several learners side by side, its lanes, and one answer that follows the best of them.

    `learners` is a list of learners or their texts; without one there are nine lanes, `normalized_adagrad` at alpha =
    2^-6, 2^-4, ..., 2^4 and `scale_free_betting` at eps = 0.1, 1, 10, for which a row is read once.
    For the logistic loss the answer is the mean of the lanes' probabilities under weights proportional to
    exp(-loss so far): the total loss is at most that of the best lane plus log N, whatever the rows are. Rows of weight
    above `largest_weight` end that claim. Other losses mix scores, clipped to the labels seen, by AdaHedge; what the
    clipping cost is added to the bound.
    Use it first: it is the default, and there is nothing to tune. Give a list where a loss has slopes without bound, as
    the squared one.
    References: Cesa-Bianchi and Lugosi (2006), chapter 3; de Rooij, van Erven, Grunwald and Koolen (2014).
    """

    learners: Any = STANDARD
    largest_weight: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        alone = ("l2 alone", "l2 = 0") if self._is_standard else ()
        return ("loss.derivative", "convex", *alone)

    def with_parts(self, as_part: Callable[[Any], Any]) -> Mixture:
        """The same with its lanes as learners, each made of what was given by `as_part`."""
        if self._is_standard:
            return self
        given = parts_of(self.learners) if isinstance(self.learners, str) else self.learners
        if not isinstance(given, (list, tuple)) or hasattr(given, "_fields") or not 1 <= len(given) <= MOST_LANES:
            raise ValueError(f"learners must be a list of 1 to {MOST_LANES} learners, got {self.learners!r}")
        parts = tuple(as_part(item) for item in given)
        if any(isinstance(part, Mixture) for part in parts):
            raise ValueError("a mixture cannot be a lane of another one: give its learners instead")
        return self._replace(learners=parts)

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        ok = 0.0 < self.largest_weight < math.inf
        return "" if ok else f"largest_weight must be positive and finite, got {self.largest_weight}"

    def refuses(self, game: Game) -> list[str]:
        """What the lanes lack here; penalties are for those who play a point."""
        if self._is_standard:
            return []
        pairs = [(name_of(lane), why) for lane in self.learners for why in reasons_against(lane, game)]
        said = [f"has the lane {name}, which {why}" for name, why in pairs]
        if game.l1 + game.l2 > 0.0:
            said.append("needs l1 = 0 and l2 = 0: it answers for several points, and a penalty is charged at one")
        return said

    def begin(self, game: Game, first: LinearPoint) -> MixtureState:
        """Every lane where it begins."""
        zero = _nearest_to_zero(game)
        if np.any(first.stacked() != zero.stacked()):
            raise Unsupported(BEGINS)
        by_odds = isinstance(game.loss, Logistic) and game.loss.scale == 1.0
        lanes = standard_lanes(game) if self._is_standard else lanes_of(self.learners, game, zero)
        mixed = np.zeros(4)
        mixed[[LOW, HIGH]] = (0.0, 0.0) if "regression" in tasks_of(game.loss) else (-1.0, 1.0)
        if self._n_lanes == 1:  # it answers as its lane does
            mixed[[LOW, HIGH]] = -math.inf, math.inf
        arrays = (*(np.zeros(self._n_lanes) for _ in range(4)), mixed)
        return adopted(MixtureState(by_odds, self.largest_weight, game.fit_intercept, lanes, *arrays))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The least of the lanes' bounds, and the price of not knowing which lane is best."""
        state = met.state
        if state.by_odds and met.ledger.heaviest > self.largest_weight * WITHIN:
            said = f"a row of weight {met.ledger.heaviest:.6g} is above largest_weight = {self.largest_weight:.6g}"
            return none_because(said)
        found = self._least(met, u)
        if state.by_odds:
            return found._replace(value=found.value + self.largest_weight * math.log(self._n_lanes))
        return found._replace(value=found.value + 2.0 * float(state.mixed[GAPS]) + float(state.mixed[EXCESS]))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            f"Regret is at most the least bound of its lanes plus log {self._n_lanes} (logistic loss), or twice the "
            "mixability gaps of AdaHedge (de Rooij et al. 2014)."
        )

    @property
    def _is_standard(self) -> bool:
        return isinstance(self.learners, str) and self.learners == STANDARD

    @property
    def _n_lanes(self) -> int:
        return N_LANES if self._is_standard else len(self.learners)

    def _least(self, met: Met, u: LinearPoint | None) -> Promise:
        """The least bound of a lane."""
        if self._is_standard:
            said = none_because("it is a promise for each comparator")
            return said if u is None else Promise(met.state.lanes.least_bet(u))
        promises = []
        for learner, lane in zip(self.learners, each(met.state.lanes), strict=True):
            first = first_of(learner, met.game, met.first)
            ledger = account(met.game, first, lane.head, lane.account)
            promises.append(learner.bound(Met(met.game, ledger, lane.head, first), u))
        known = [promise for promise in promises if not math.isnan(promise.value)]
        if known:
            return min(known, key=lambda promise: promise.value)
        return none_because(f"none of its lanes has one, the first because {promises[0].why}")


def _nearest_to_zero(game: Game) -> LinearPoint:
    weights = np.zeros(game.n_columns)
    if game.constraint is not None:
        game.constraint.prox(weights, 1.0, weights)
    return LinearPoint(weights)

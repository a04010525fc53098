"""Online to batch: what a run promises for rows yet to come, if rows are independent and alike."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.capabilities import is_convex, offers, tasks_of
from empirisk.online.game import Game
from empirisk.online.learners.promise import UNBOUNDED
from empirisk.online.ledger import Ledger
from empirisk.online.regret_bound import RegretBound
from empirisk.parameters import check_positive
from empirisk.protocols import Unsupported


class FutureLoss(NamedTuple):
    """With probability 1 - delta the expected loss of the average of the points played is at most `bound`.

    Where a row had a say in the weights that it was answered with, there is no such point, and the promise is for the
    learner as it stood in a round drawn at random.
    That the rows are drawn independently from one distribution is assumed, not checked. The losses must lie in [0, c]
    on the set for every row that can come, not only for those seen. A penalty is a part of what is expected.
    """

    mean_loss: float  # progressive, penalties included
    rounds: int
    largest_loss: float  # c
    delta: float
    looks_first: bool = False

    @property
    def bound(self) -> float:
        """Progressive mean + c sqrt(log(1 / delta) / (2 K)) (Cesa-Bianchi, Conconi and Gentile 2004)."""
        return self.mean_loss + self.largest_loss * math.sqrt(math.log(1.0 / self.delta) / (2.0 * self.rounds))

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"If the rows are independent and alike, {_who(self.looks_first)} has an expected loss of at most "
            f"{self.bound:.6g} with probability {1.0 - self.delta:.6g}, losses being at most {self.largest_loss:.6g}."
        )


class FutureExcess(NamedTuple):
    """With probability 1 - delta the average of the points played expects at most `bound` more than the best point.

    The best point is that of the set of comparators. Said of whom, and assumed, as in `FutureLoss`.
    """

    mean_regret: float  # at most so much a round, against the best point in hindsight
    rounds: int
    largest_loss: float  # c
    delta: float
    looks_first: bool = False

    @property
    def bound(self) -> float:
        """regret / K + c sqrt(2 log(1 / delta) / K) (Cesa-Bianchi, Conconi and Gentile 2004)."""
        return self.mean_regret + self.largest_loss * math.sqrt(2.0 * math.log(1.0 / self.delta) / self.rounds)

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"If the rows are independent and alike, {_who(self.looks_first)} has an expected loss of at most "
            f"{self.bound:.6g} above that of the best point with probability {1.0 - self.delta:.6g}, losses being at "
            f"most {self.largest_loss:.6g}; in expectation the excess is at most the mean of regret / K, "
            f"which was {self.mean_regret:.6g} here."
        )


class FutureErrors(NamedTuple):
    """With probability 1 - delta the learner of a round drawn at random errs on a share of at most `bound`.

    Not the average of the points played: the zero-one error is not convex. Assumed as for `FutureLoss`.
    """

    error_rate: float  # progressive
    rounds: int
    delta: float

    @property
    def bound(self) -> float:
        """errors / K + sqrt(log(1 / delta) / (2 K)), at most 1."""
        return min(1.0, self.error_rate + math.sqrt(math.log(1.0 / self.delta) / (2.0 * self.rounds)))

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"If the rows are independent and alike, the learner as it stood in a round drawn at random errs on "
            f"at most {100.0 * self.bound:.4g} % of the rows to come with probability {1.0 - self.delta:.6g}; that is "
            f"not said of the average of the points played."
        )


def future_loss(ledger: Ledger, largest_loss: float, delta: float = 0.05, look: int | None = None) -> FutureLoss:
    """The promise of a run with weights of one; of the i-th of many looks that shall hold together, `look` = i.

    Such a look spends delta / (i (i + 1)).
    """
    c = check_positive("largest_loss", largest_loss)
    return FutureLoss(_mean(ledger), ledger.rounds, c, _spent(ledger, delta, look), ledger.looks_first)


def future_excess(
    ledger: Ledger, regret: RegretBound, largest_loss: float, delta: float = 0.05, look: int | None = None
) -> FutureExcess:
    """The same beside the best point of the comparators of `regret`, the certificate of the same run."""
    c, spent = check_positive("largest_loss", largest_loss), _spent(ledger, delta, look)
    _mean(ledger)
    if (regret.rounds, regret.cumulative_loss) != (ledger.rounds, ledger.loss):
        raise ValueError("the ledger and the regret are not of the same run")
    return FutureExcess(regret.most / ledger.rounds, ledger.rounds, c, spent, ledger.looks_first)


def future_errors(ledger: Ledger, delta: float = 0.05, look: int | None = None) -> FutureErrors:
    """The promise of a run of a classifier with weights of one; `look` as for `future_loss`."""
    return FutureErrors(ledger.errors / max(ledger.rounds, 1), ledger.rounds, _spent(ledger, delta, look))


def largest_loss(game: Game, row_norm: float, largest_label: float = 1.0) -> float:
    """c: no row with ||x|| <= `row_norm` costs more on the set of the game, such as `run.game`.

    The number is about all rows that can come: never take it from those seen. A convex loss is largest at the ends of
    the scores; labels are -1 and +1, or from -`largest_label` to `largest_label` where the loss regresses.
    """
    if row_norm < 0.0 or not math.isfinite(row_norm):
        raise ValueError(f"row_norm must be a finite number >= 0, got {row_norm}")
    if game.fit_intercept or not math.isfinite(float(game.regularizer.norm_bound())):
        raise Unsupported(UNBOUNDED)
    loss = game.loss
    if not is_convex(loss) or (offers(loss, "lower_bound") and float(loss.lower_bound()) < 0.0):
        raise Unsupported("the promise is for convex losses that are never negative")
    reach = float(game.regularizer.norm_bound()) * row_norm
    size = check_positive("largest_label", largest_label) if "regression" in tasks_of(loss) else 1.0
    return max(float(loss.value(z, y)) for z in (-reach, reach) for y in (-size, size))


def _who(looks_first: bool) -> str:
    return "the learner as it stood in a round drawn at random" if looks_first else "the average of the points played"


def _mean(ledger: Ledger) -> float:
    """What was paid a round, penalties included."""
    if ledger.charges != ledger.rounds and ledger.penalty > 0.0:
        raise ValueError("a penalty that is charged once is none of a round")
    return ledger.total / ledger.rounds if ledger.rounds else math.nan


def _spent(ledger: Ledger, delta: float, look: int | None) -> float:
    """The delta of this look; refuses runs that nothing is promised for."""
    delta = check_positive("delta", delta)
    if not delta < 1.0:
        raise ValueError(f"delta must be below 1, got {delta}")
    if ledger.rounds == 0:
        raise ValueError("there is no promise before the first round")
    if ledger.weight != ledger.rounds or ledger.heaviest > 1.0:
        raise ValueError("rows of different weight are not alike: the promise is for weights of one")
    if look is None:
        return delta
    if look < 1:
        raise ValueError(f"look must be 1 or more, got {look}")
    return delta / (look * (look + 1))


def plan(
    epsilon: float,
    distance: float,
    gradient: float,
    delta: float | None = None,
    loss_bound: float | None = None,
    curvature: float | None = None,
) -> int:
    """How many rounds until the average is within epsilon of the best point in expectation.

    K = (D G / epsilon)^2; with `delta` the rounds until it is with probability 1 - delta, losses being at most
    `loss_bound`; with `curvature` m (an l2 on every coordinate, steps "inverse") the least K with
    G^2 (1 + log K) / (2 m K) <= epsilon.
    """
    for name, value in (("epsilon", epsilon), ("distance", distance), ("gradient", gradient)):
        check_positive(name, value)
    if curvature is not None:
        if delta is not None:
            raise ValueError("with curvature the plan is for the expectation: leave delta out")
        return _rounds_with_curvature(epsilon, gradient, check_positive("curvature", curvature))
    reach = distance * gradient
    if delta is not None:
        if loss_bound is None:
            raise ValueError("delta needs loss_bound, the largest loss that any row can have on the set")
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta must be between 0 and 1, got {delta}")
        reach += check_positive("loss_bound", loss_bound) * math.sqrt(2.0 * math.log(1.0 / delta))
    return max(1, math.ceil((reach / epsilon) ** 2))


def _rounds_with_curvature(epsilon: float, gradient: float, m: float) -> int:
    def is_enough(rounds: int) -> bool:
        return gradient**2 * (1.0 + math.log(rounds)) / (2.0 * m * rounds) <= epsilon

    high = 1
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high

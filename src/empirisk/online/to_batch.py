"""Online to batch: what a run promises for rows yet to come, if rows are independent and alike."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.online.ledger import Ledger
from empirisk.parameters import check_positive


class FutureLoss(NamedTuple):
    """With probability 1 - delta the expected loss of the average of the points played is at most `bound`.

    That the rows are drawn independently from one distribution is assumed, not checked. The losses must lie in [0, c]
    on the set for every row that can come, not only for those seen.
    """

    mean_loss: float  # progressive
    rounds: int
    largest_loss: float  # c
    delta: float

    @property
    def bound(self) -> float:
        """Progressive mean + c sqrt(log(1 / delta) / (2 K)) (Cesa-Bianchi, Conconi and Gentile 2004)."""
        return self.mean_loss + self.largest_loss * math.sqrt(math.log(1.0 / self.delta) / (2.0 * self.rounds))

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"If the rows are independent and alike, the average of the points played has an expected loss of at most "
            f"{self.bound:.6g} with probability {1.0 - self.delta:.6g}, losses being at most {self.largest_loss:.6g}."
        )


def future_loss(ledger: Ledger, largest_loss: float, delta: float = 0.05, look: int | None = None) -> FutureLoss:
    """The promise of a run with weights of one; of the i-th of many looks that shall hold together, `look` = i.

    Such a look spends delta / (i (i + 1)).
    """
    c, delta = check_positive("largest_loss", largest_loss), check_positive("delta", delta)
    if not delta < 1.0:
        raise ValueError(f"delta must be below 1, got {delta}")
    if ledger.rounds == 0:
        raise ValueError("there is no promise before the first round")
    if ledger.weight != ledger.rounds:
        raise ValueError("rows of different weight are not alike: the promise is for weights of one")
    if look is not None:
        if look < 1:
            raise ValueError(f"look must be 1 or more, got {look}")
        delta /= look * (look + 1)
    return FutureLoss(ledger.mean_loss, ledger.rounds, c, delta)


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

"""What a run has cost so far, and the sums that bounds are made of."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.online.play import ERRORS, HEAVIEST, LARGEST, LOSS, LOSS_REST, ROUNDS, SQUARES, WEIGHT, WEIGHT_REST
from empirisk.protocols import Vector


class Ledger(NamedTuple):
    """The account of the rounds 1, ..., K. A row of weight zero is none."""

    rounds: int  # K
    weight: float  # S, the sum of the s_k
    loss: float  # the sum of s_k loss(z_k, y_k)
    penalty: float  # the sum of Omega(w_k)
    charges: int  # how often Omega was charged: K, or once by a learner that says so
    errors: int  # rounds with y_k z_k <= 0; of no meaning for regression
    squares: float  # the sum of ||g_k||^2, g_k = s_k loss'(z_k) (x_k, 1)
    largest: float  # the largest ||g_k||
    heaviest: float  # the largest s_k
    longest_move: float | None = (
        None  # the largest ||w_{k+1} - w_k||; None where the learner does not know: `run.trace` does
    )
    looks_first: bool = False  # whether a row had a say in the weights that it was answered with

    @property
    def total(self) -> float:
        """What was paid."""
        return self.loss + self.penalty

    @property
    def mean_loss(self) -> float:
        """The progressive loss: the mean of the losses, each before its label was known."""
        return self.loss / self.weight if self.weight > 0.0 else math.nan


def ledger_of(numbers: Vector, penalty: float, charges: int, longest_move: float | None, looks_first: bool) -> Ledger:
    """From the numbers that `play` keeps."""
    return Ledger(
        rounds=int(numbers[ROUNDS]),
        weight=float(numbers[WEIGHT] + numbers[WEIGHT_REST]),
        loss=float(numbers[LOSS] + numbers[LOSS_REST]),
        penalty=float(penalty),
        charges=charges,
        errors=int(numbers[ERRORS]),
        squares=float(numbers[SQUARES]),
        largest=math.sqrt(float(numbers[LARGEST])),
        heaviest=float(numbers[HEAVIEST]),
        longest_move=longest_move,
        looks_first=looks_first,
    )

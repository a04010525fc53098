"""The perceptron's step from one row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.compiled import adopt
from empirisk.protocols import Vector

INTERCEPT = 0  # its place in `numbers`


class PerceptronRule(NamedTuple):
    """w <- w - slope x_i, b <- b - slope; the slope is -y_i at a wrong point, 0 at a right one."""

    has_intercept: bool
    w: Vector
    numbers: Vector  # the intercept, and what else a run keeps there

    def score(self, X, i):
        """<w, x_i> + b."""
        return X.dot_row(i, self.w) + self.numbers[INTERCEPT]

    def learn(self, X, i, slope):
        """One step, where `slope` is a derivative of the perceptron loss at the row's score."""
        X.add_row(i, -slope, self.w)
        if self.has_intercept:
            self.numbers[INTERCEPT] -= slope

    def settle(self):
        """Nothing is left to do: every step was made in full."""


adopt(PerceptronRule(False, np.empty(0), np.zeros(1)), inline=True)  # kernels make theirs themselves

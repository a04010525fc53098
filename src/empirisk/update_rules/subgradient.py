"""The step of stochastic (sub)gradient descent, from one row or from a few at once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import is_quadratic
from empirisk.compiled import adopt, kernel
from empirisk.protocols import Vector

LEAST_SCALE = 1e-6  # the digits that a mean may lose while weights are kept as scale * w
# Places in `numbers`: how far the rule got, and what the text of the class calls scale and reach.
INTERCEPT, INTERCEPT_SUM, STEPS, STEPS_BEFORE, SCALE, REACH, PULL = range(7)
N_NUMBERS = 7


class Schedule(NamedTuple):
    """Lengths of steps: first, first / sqrt(k + 1) or 1 / (m k + 1 / first), by the number of the schedule."""

    number: int
    first: float
    convexity: float  # m, the strong convexity of Omega

    def length(self, k):
        """That of step k, counted from 0."""
        if self.number == 0:
            return self.first
        if self.number == 1:
            return self.first / math.sqrt(k + 1.0)
        least = self.convexity * k + 1.0 / self.first
        return 1.0 / least if least > 0.0 else math.inf  # a first step that overflowed


class SubgradientRule(NamedTuple):
    """w <- prox_{t Omega}(w - t slope x_i), and the mean of these points.

    For l2 alone the weights are scale * w, and the sum of those so far is w_mean + reach * w - behind, where reach is
    the sum of the scales, and behind what `reach * w` counts of changes before they were made: O(non-zeros) a step.
    After `settle`, w is the weights and `w_mean` the mean since the rule began.
    """

    regularizer: Any
    is_l2: bool  # and nothing else
    schedule: Schedule
    ratio: float  # the intercept's step, in steps of the weights; 0 without one
    is_averaged: bool
    w: Vector
    w_mean: Vector
    behind: Vector
    numbers: Vector

    def score(self, X, i):
        """<w, x_i> + b at the point so far."""
        numbers = self.numbers
        return numbers[SCALE] * X.dot_row(i, self.w) + numbers[INTERCEPT]

    def learn(self, X, i, slope):
        """One step, where `slope` is a derivative of the loss at the row's score, times its weight."""
        numbers = self.numbers
        t = self.schedule.length(numbers[STEPS])
        numbers[PULL] = t * slope / numbers[SCALE]  # stored, lest the division moves into loops over entries
        self.pull(X, i, numbers[PULL])
        self.end_step(t)

    def pull(self, X, i, a):
        """Add -scale a x_i to the weights, as a part of a step."""
        numbers = self.numbers
        if self.is_l2 and self.is_averaged:
            X.add_row_to_both(i, -a, self.w, -numbers[REACH] * a, self.behind)
        else:
            X.add_row(i, -a, self.w)
        numbers[INTERCEPT] -= self.ratio * numbers[SCALE] * a

    def end_step(self, t):
        """The penalty's part of a step of length t, and the mean."""
        numbers = self.numbers
        numbers[STEPS] += 1.0
        numbers[INTERCEPT_SUM] += numbers[INTERCEPT]
        if self.is_l2:
            numbers[SCALE] /= 1.0 + t * self.schedule.convexity
            numbers[REACH] += numbers[SCALE]
            if numbers[SCALE] < LEAST_SCALE:
                _gather(self.w, self.w_mean, self.behind, numbers)
        else:
            w, mean = self.w, self.w_mean
            self.regularizer.prox(w, t, w)
            if self.is_averaged:
                count = numbers[STEPS] - numbers[STEPS_BEFORE]
                for j in range(w.size):
                    mean[j] += (w[j] - mean[j]) / count

    def move_to(self, first):
        """Put the point elsewhere, as a part of a step: at these weights and, behind them, this intercept."""
        w, behind, numbers = self.w, self.behind, self.numbers
        for j in range(w.size):
            change = first[j] / numbers[SCALE] - w[j]
            w[j] += change
            if self.is_l2 and self.is_averaged:
                behind[j] += numbers[REACH] * change
        numbers[INTERCEPT] = first[w.size]

    def settle(self):
        """The weights as they are, and their mean."""
        mean, numbers = self.w_mean, self.numbers
        if self.is_l2:
            _gather(self.w, mean, self.behind, numbers)
            _divide(mean, max(numbers[STEPS] - numbers[STEPS_BEFORE], 1.0))


@kernel
def _gather(w, mean, behind, numbers):
    """Scale 1 again, and nothing of the sum left in reach and behind."""
    scale, reach = numbers[SCALE], numbers[REACH]
    for j in range(w.size):
        mean[j] += reach * w[j] - behind[j]
        behind[j] = 0.0
        w[j] *= scale
    numbers[SCALE] = 1.0
    numbers[REACH] = 0.0


@kernel
def _divide(mean, count):
    for j in range(mean.size):
        mean[j] /= count


def subgradient_rule(
    regularizer: Any, schedule: Schedule, ratio: float, is_averaged: bool, w: Vector, b: float, steps: float = 0.0
) -> SubgradientRule:
    """At (w, b), after so many steps; the weights are copied."""
    numbers = np.zeros(N_NUMBERS)
    numbers[[INTERCEPT, STEPS, STEPS_BEFORE, SCALE]] = b, steps, steps, 1.0
    arrays = w.copy(), np.zeros(w.size), np.zeros(w.size)
    rule = SubgradientRule(regularizer, is_quadratic(regularizer), schedule, ratio, is_averaged, *arrays, numbers)
    adopt(schedule)
    adopt(rule, inline=True)
    return rule

"""AdaGrad's step from one row: over all columns, or over those of the row alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import adopt, kernel
from empirisk.protocols import Vector
from empirisk.update_rules.lazy_steps import LONGEST, proximal_steps
from empirisk.update_rules.penalty_sums import charge

# Places in `numbers`: the intercept, its sum of squares, the sum of intercepts, the steps so far, and the least and the
# largest intercept.
INTERCEPT, INTERCEPT_SQUARE, INTERCEPT_SUM, STEPS, INTERCEPT_LOW, INTERCEPT_HIGH = range(6)
SQUARE, SUM, LOW, HIGH, SEEN = range(5)  # places in a record of the lazy rule


class AdagradRule(NamedTuple):
    """x = w - g / h with g = slope x_i, then w <- the minimiser of Omega(w) + sum_j h_j (w_j - x_j)^2 / 2.

    h_j = sqrt(sum g_j^2) / alpha, summed over the steps so far; where that is zero, Omega alone decides. After
    `settle`, `w_mean` is the mean of the points. Where `lowest` and `highest` have a place for each weight, the rule is
    watched: they hold the least and the largest so far, and Omega after each step is summed into `penalty`.
    """

    regularizer: Any
    alpha: float
    intercept_alpha: float  # 0 without one
    w: Vector
    squares: Vector
    w_mean: Vector
    lowest: Vector
    highest: Vector
    penalty: Vector
    row_gradient: Vector  # zero between steps
    h: Vector
    numbers: Vector

    def score(self, X, i):
        """<w, x_i> + b at the point so far."""
        return X.dot_row(i, self.w) + self.numbers[INTERCEPT]

    def learn(self, X, i, slope):
        """One step, where `slope` is a derivative of the loss at the row's score, times its weight."""
        w, squares, mean, numbers = self.w, self.squares, self.w_mean, self.numbers
        gradient, h = self.row_gradient, self.h
        X.add_row(i, slope, gradient)
        _begin_step(self.intercept_alpha, slope, numbers)
        for j in range(w.size):
            squares[j] += gradient[j] * gradient[j]
            h[j] = 1.0 / step_of(self.alpha, squares[j])
            w[j] -= gradient[j] / h[j]
            gradient[j] = 0.0
        self.regularizer.prox_scaled(w, h, w)
        for j in range(w.size):
            mean[j] += (w[j] - mean[j]) / numbers[STEPS]
        if self.lowest.size:
            charge(self.penalty, self.regularizer.value(w))
            for j in range(w.size):
                self.lowest[j] = min(self.lowest[j], w[j])
                self.highest[j] = max(self.highest[j], w[j])

    def settle(self):
        """Nothing is left to do: every step was made in full."""


class LazyAdagradRule(NamedTuple):
    """As `AdagradRule`, where Omega is l1 and l2 on a box: coordinates that no row touches take their steps later.

    Beside its weight a coordinate has one record: its sum of squares, the sum of its points, the least and the largest
    of them, and the steps that it has made. Where Omega is zero nobody owes a step: then the sum is that of the steps
    before each change, times the change, until `settle`.
    """

    l1: float
    l2: float
    low: float
    high: float
    owes_nothing: bool  # Omega is zero
    is_watched: bool  # Omega is summed into `penalty`
    alpha: float
    intercept_alpha: float  # 0 without one
    w: Vector
    records: Vector
    penalty: Vector
    numbers: Vector

    def score(self, X, i):
        """<w, x_i> + b at the point so far; the coordinates of the row make the steps that they owe."""
        k = self.numbers[STEPS]
        if not self.owes_nothing:
            for e in range(X.row_size(i)):
                j = X.column_at(i, e)
                if self.records[j, SEEN] < k:
                    make_steps(self, j, self.w[j], k - self.records[j, SEEN])
                    self.records[j, SEEN] = k
        return X.dot_row(i, self.w) + self.numbers[INTERCEPT]

    def learn(self, X, i, slope):
        """One step, where `slope` is a derivative of the loss at the row's score, times its weight."""
        w, records, numbers, alpha = self.w, self.records, self.numbers, self.alpha
        before = numbers[STEPS]
        _begin_step(self.intercept_alpha, slope, numbers)
        if slope == 0.0:
            return
        if self.owes_nothing:
            for e in range(X.row_size(i)):
                j = X.column_at(i, e)
                record = records[j]
                pull = slope * X.entry_at(i, e)
                square = record[SQUARE] + pull * pull
                change = step_of(alpha, square) * pull
                new = w[j] - change
                w[j] = new
                record[SQUARE] = square
                record[SUM] -= before * change
                record[LOW] = min(record[LOW], new)
                record[HIGH] = max(record[HIGH], new)
        else:
            for e in range(X.row_size(i)):
                j = X.column_at(i, e)
                pull = slope * X.entry_at(i, e)
                records[j, SQUARE] += pull * pull
                make_steps(self, j, w[j] - step_of(alpha, records[j, SQUARE]) * pull, 1.0)
                records[j, SEEN] = before + 1.0

    def settle(self):
        """Every coordinate makes the steps that it owes, and the mean is that of the points."""
        _settle(self)  # compiled, for those who call it from outside of kernels

    @property
    def squares(self) -> Vector:
        """The sums of squares; as the others below, a copy."""
        return self.records[:, SQUARE].copy()

    @property
    def w_mean(self) -> Vector:
        """The mean of the points, after `settle`."""
        return self.records[:, SUM].copy()

    @property
    def lowest(self) -> Vector:
        """The least weights so far."""
        return self.records[:, LOW].copy()

    @property
    def highest(self) -> Vector:
        """The largest weights so far."""
        return self.records[:, HIGH].copy()


def adagrad_rule(
    regularizer: Any,
    is_lazy: bool,
    alpha: float,
    intercept_alpha: float,
    w: Vector,
    b: float,
    squares: Vector,
    square_b: float,
    is_watched: bool = False,
) -> AdagradRule | LazyAdagradRule:
    """At (w, b), with these sums of squares; all of them are copied."""
    numbers, zeros, penalty = np.array([b, square_b, 0.0, 0.0, b, b]), np.zeros(w.size), np.zeros(2)
    steps = alpha, intercept_alpha
    rule: AdagradRule | LazyAdagradRule
    if is_lazy:
        (l1, low, high), l2 = regularizer.interval(), regularizer.strong_convexity()
        owes_nothing = l1 + l2 == 0.0 and math.isinf(low) and math.isinf(high)
        records = np.column_stack([squares, zeros, w, w, zeros])
        rule = LazyAdagradRule(l1, l2, low, high, owes_nothing, is_watched, *steps, w.copy(), records, penalty, numbers)
    else:
        met = (w.copy(), w.copy()) if is_watched else (np.empty(0), np.empty(0))
        arrays = w.copy(), squares.copy(), zeros, *met, penalty, zeros.copy(), zeros.copy()
        rule = AdagradRule(regularizer, *steps, *arrays, numbers)
    adopt(rule, inline=True)
    return rule


@kernel
def _begin_step(alpha, g, numbers):
    """Count the step, and make the intercept's."""
    numbers[STEPS] += 1.0
    if alpha > 0.0:
        numbers[INTERCEPT_SQUARE] += g * g
        numbers[INTERCEPT] -= step_of(alpha, numbers[INTERCEPT_SQUARE]) * g
        numbers[INTERCEPT_LOW] = min(numbers[INTERCEPT_LOW], numbers[INTERCEPT])
        numbers[INTERCEPT_HIGH] = max(numbers[INTERCEPT_HIGH], numbers[INTERCEPT])
    numbers[INTERCEPT_SUM] += numbers[INTERCEPT]


@kernel
def step_of(alpha, square):
    """alpha / sqrt(square); as long as can be before there was a slope to multiply it by."""
    return min(alpha / math.sqrt(square), LONGEST) if square > 0.0 else LONGEST


@kernel(borrows=True)
def _settle(rule):
    w, records, k = rule.w, rule.records, rule.numbers[STEPS]
    for j in range(w.size):
        if rule.owes_nothing:
            records[j, SUM] = k * w[j] - records[j, SUM]
        elif records[j, SEEN] < k:
            make_steps(rule, j, w[j], k - records[j, SEEN])
            records[j, SEEN] = k
        records[j, SUM] /= max(k, 1.0)


@kernel(borrows=True)
def make_steps(rule, j, x, count):
    """So many proximal steps of weight j, from x, with what is summed over them."""
    record, l1, l2 = rule.records[j], rule.l1, rule.l2
    step = step_of(rule.alpha, record[SQUARE])
    new, total, squares = proximal_steps(x, count, step, l1, l2, rule.low, rule.high, rule.is_watched and l2 > 0.0)
    rule.w[j] = new
    record[SUM] += total
    record[LOW] = min(record[LOW], new)
    record[HIGH] = max(record[HIGH], new)
    if rule.is_watched and l1 + l2 > 0.0:
        charge(rule.penalty, l1 * abs(total) + 0.5 * l2 * squares)

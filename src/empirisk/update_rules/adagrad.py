"""AdaGrad's step from one row: over all columns, or over those of the row alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import adopt, kernel
from empirisk.protocols import Vector

# Places in `numbers`: the intercept, its sum of squares, the sum of intercepts, and the steps so far.
INTERCEPT, INTERCEPT_SQUARE, INTERCEPT_SUM, STEPS = range(4)


class AdagradRule(NamedTuple):
    """x = w - g / h with g = slope x_i, then w <- the minimiser of Omega(w) + sum_j h_j (w_j - x_j)^2 / 2.

    h_j = sqrt(sum g_j^2) / alpha, summed over the steps so far. After `settle`, `w_mean` is the mean of the points.
    """

    regularizer: Any
    alpha: float
    intercept_alpha: float  # 0 without one
    w: Vector
    squares: Vector
    w_mean: Vector
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
            h[j] = math.sqrt(squares[j]) / self.alpha
            w[j] -= gradient[j] / h[j]
            gradient[j] = 0.0
        self.regularizer.prox_scaled(w, h, w)
        for j in range(w.size):
            mean[j] += (w[j] - mean[j]) / numbers[STEPS]

    def settle(self):
        """Nothing is left to do: every step was made in full."""


class LazyAdagradRule(NamedTuple):
    """As `AdagradRule`, where Omega is l1 and l2 on a box: coordinates that no row touches take their steps later."""

    l1: float
    l2: float
    low: float
    high: float
    alpha: float
    intercept_alpha: float  # 0 without one
    w: Vector
    squares: Vector
    w_mean: Vector  # the sum of the points, before `settle`
    seen: Vector  # the steps that each coordinate has made
    numbers: Vector

    def score(self, X, i):
        """<w, x_i> + b at the point so far; the coordinates of the row make the steps that they owe."""
        k = self.numbers[STEPS]
        w, squares, sums, seen = self.w, self.squares, self.w_mean, self.seen
        z = self.numbers[INTERCEPT]
        for e in range(X.row_size(i)):
            j = X.column_at(i, e)
            if seen[j] < k:
                step = self.alpha / math.sqrt(squares[j])
                w[j], total = proximal_steps(w[j], k - seen[j], step, self.l1, self.l2, self.low, self.high)
                sums[j] += total
                seen[j] = k
            z += X.entry_at(i, e) * w[j]
        return z

    def learn(self, X, i, slope):
        """One step, where `slope` is a derivative of the loss at the row's score, times its weight."""
        w, squares, sums, seen, numbers = self.w, self.squares, self.w_mean, self.seen, self.numbers
        _begin_step(self.intercept_alpha, slope, numbers)
        if slope != 0.0:
            for e in range(X.row_size(i)):
                j = X.column_at(i, e)
                pull = slope * X.entry_at(i, e)
                squares[j] += pull * pull
                step = self.alpha / math.sqrt(squares[j])
                w[j], total = proximal_steps(w[j] - step * pull, 1.0, step, self.l1, self.l2, self.low, self.high)
                sums[j] += total
                seen[j] = numbers[STEPS]

    def settle(self):
        """Every coordinate makes the steps that it owes, and the mean is that of the points."""
        w, squares, sums, seen, k = self.w, self.squares, self.w_mean, self.seen, self.numbers[STEPS]
        for j in range(w.size):
            if seen[j] < k:
                step = self.alpha / math.sqrt(squares[j])
                w[j], total = proximal_steps(w[j], k - seen[j], step, self.l1, self.l2, self.low, self.high)
                sums[j] += total
            sums[j] /= k


def adagrad_rule(
    regularizer: Any,
    is_lazy: bool,
    alpha: float,
    intercept_alpha: float,
    w: Vector,
    b: float,
    squares: Vector,
    square_b: float,
) -> AdagradRule | LazyAdagradRule:
    """At (w, b), with these sums of squares; all of them are copied."""
    numbers, zeros = np.array([b, square_b, 0.0, 0.0]), np.zeros(w.size)
    steps, arrays = (alpha, intercept_alpha), (w.copy(), squares.copy(), zeros, zeros.copy())
    rule: AdagradRule | LazyAdagradRule
    if is_lazy:
        l1, low, high = regularizer.interval()
        rule = LazyAdagradRule(l1, regularizer.strong_convexity(), low, high, *steps, *arrays, numbers)
    else:
        rule = AdagradRule(regularizer, *steps, *arrays, np.empty(w.size), numbers)
    adopt(rule, inline=True)
    return rule


@kernel
def _begin_step(alpha, g, numbers):
    """Count the step, and make the intercept's."""
    numbers[STEPS] += 1.0
    if alpha > 0.0:
        numbers[INTERCEPT_SQUARE] += g * g
        numbers[INTERCEPT] -= alpha * g / math.sqrt(numbers[INTERCEPT_SQUARE])
    numbers[INTERCEPT_SUM] += numbers[INTERCEPT]


@kernel
def proximal_steps(x, k, step, l1, l2, low, high):
    """x after k proximal steps, and the sum of the points after each.

    One step shrinks x by step l1, divides by 1 + step l2 and clips. From then on |x| falls to that of the point closest
    to zero: with r = 1 / (1 + step l2) and c = l1 / l2, to r^i (|x| + c) - c after i steps.
    """
    shrunk = x - min(max(x, -step * l1), step * l1)
    if low >= 0.0:
        shrunk = x - step * l1
    elif high <= 0.0:
        shrunk = x + step * l1
    x = min(max(shrunk / (1.0 + step * l2), low), high)
    total = x
    k -= 1.0
    size = abs(x)
    least = abs(min(max(0.0, low), high))
    if k == 0.0 or size <= least or l1 + l2 == 0.0:
        return x, total + k * x
    if l2 == 0.0:
        moving = min(k, math.floor((size - least) / (step * l1)))
        new = size - moving * step * l1
        sizes = moving * (size - 0.5 * (moving + 1.0) * step * l1)
    else:
        c = l1 / l2
        rate = math.log1p(step * l2)
        moving = k
        if least + c > 0.0:
            moving = min(k, math.floor(math.log((size + c) / (least + c)) / rate))
        fallen = -math.expm1(-rate * moving)
        new = size - fallen * (size + c)
        sizes = fallen / (step * l2) * (size + c) - moving * c
    left = k - moving
    if left > 0.0:
        new = least
    return math.copysign(new, x), total + math.copysign(sizes + left * least, x)

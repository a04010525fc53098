"""A variance-reduced gradient step from one row, at the cost of the row's entries.

    w <- prox_t(w - t (-pull x_i + g)),   then   g <- g - change x_i.

All of it but the row's part is the same at every step, and where Omega is a sum over coordinates, k such steps of a
coordinate have a closed form: it is brought up to date when a row touches it. Reference: Schmidt, Le Roux and Bach
(2017), section 4.1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt, kernel
from empirisk.protocols import Vector

# Places in `numbers`: the intercept, and g of the intercept.
INTERCEPT, INTERCEPT_SLOPE = range(2)


class VarianceReducedRule(NamedTuple):
    """Where it stands, and the steps w_j <- prox_t(w_j - t g_j) that coordinates have yet to take.

    With Omega = l1 ||w||_1 + l2/2 ||w||^2 on low <= w_j <= high, and while w_j keeps its sign, k of them lead to
    w_j r^k - (g_j + sign l1) t (r + ... + r^k) with r = 1 / (1 + t l2). After `settle`, w is the weights.
    """

    step_size: float  # t
    ratio: float  # the intercept's step, in steps of the weights; 0 without one
    is_l2: bool  # Omega is l2/2 ||w||^2
    l2: float
    l1: float
    low: float
    high: float
    powers: Vector  # r^k
    power_sums: Vector  # t (r + ... + r^k)
    since: NDArray[np.int64]  # the step that w_j waits for
    clock: NDArray[np.int64]  # one number: the steps since all coordinates were up to date
    w: Vector
    g: Vector
    numbers: Vector

    def score(self, X, i):
        """<w, x_i> + b at the point so far; the coordinates of the row take the steps that they owe."""
        powers, sums, since, w, g, now = self.powers, self.power_sums, self.since, self.w, self.g, self.clock[0]
        for e in range(X.row_size(i)):
            j = X.column_at(i, e)
            k = now - since[j]
            since[j] = now
            if self.is_l2:
                w[j] = powers[k] * w[j] - sums[k] * g[j]
            else:
                w[j] = _steps(w[j], g[j], k, powers[k], sums[k], self.step_size, self.l2, self.l1, self.low, self.high)
        return X.dot_row(i, w) + self.numbers[INTERCEPT]

    def move(self, X, i, pull, change):
        """One step along pull x_i - g, and g moves by -change x_i; the scores of row i were asked for before."""
        w, g, numbers, clock, t = self.w, self.g, self.numbers, self.clock, self.step_size
        if self.ratio > 0.0:
            numbers[INTERCEPT] += t * self.ratio * (pull - numbers[INTERCEPT_SLOPE])
            numbers[INTERCEPT_SLOPE] -= change
        if change != 0.0:
            X.add_row(i, -change, g)
        X.add_row(i, t * (pull - change), w)  # this step is still to be taken, with the g before
        clock[0] += 1
        if clock[0] == self.powers.size - 1:
            self.settle()

    def settle(self):
        """Every coordinate takes the steps that it owes."""
        powers, sums, since, w, g, clock = self.powers, self.power_sums, self.since, self.w, self.g, self.clock
        for j in range(w.size):
            k = clock[0] - since[j]
            w[j] = _steps(w[j], g[j], k, powers[k], sums[k], self.step_size, self.l2, self.l1, self.low, self.high)
            since[j] = 0
        clock[0] = 0


def variance_reduced_rule(
    regularizer: Any, step_size: float, ratio: float, most_owed: int, w: Vector, b: float, g: Vector, g_b: float
) -> VarianceReducedRule:
    """At (w, b) with the gradient (g, g_b); a coordinate owes `most_owed` steps at most. The arrays are overwritten."""
    l1, low, high = map(float, regularizer.interval())
    l2, k = float(regularizer.strong_convexity()), np.arange(1.0 + most_owed)
    rate = math.log1p(step_size * l2)
    powers, sums = np.exp(-k * rate), -np.expm1(-k * rate) / l2 if rate > 0.0 else step_size * k
    is_l2 = l1 == 0.0 and low == -math.inf and high == math.inf
    clocks = np.zeros(w.size, np.int64), np.zeros(1, np.int64)
    at = w, g, np.array([b, g_b])
    rule = VarianceReducedRule(step_size, ratio, is_l2, l2, l1, low, high, powers, sums, *clocks, *at)
    adopt(rule, inline=True)
    return rule


@kernel
def _steps(x, g, k, power, total, step, l2, l1, low, high):
    """k steps from x. A step is an increasing function, so they go one way, and clipping the last is clipping each."""
    if not low <= x <= high:  # where a row pulled it: the first step brings it back
        x = min(max(_one_step(x, g, step, l2, l1), low), high)
        k -= 1
        power, total = _power_and_sum(k, step, l2)
    if l1 > 0.0:
        if x == 0.0 and abs(g) <= l1:
            return x
        sign = math.copysign(1.0, x if x != 0.0 else -g)
        slope = g + sign * l1
        if sign * (power * x - total * slope) < 0.0:
            return min(max(_cross_zero(x, g, k, sign, step, l2, l1), low), high)
        g = slope
    return min(max(power * x - total * g, low), high)


@kernel
def _cross_zero(x, g, k, sign, step, l2, l1):
    """k steps, with those that keep the sign of x, one to zero or across, and those away from it or none."""
    slope = g + sign * l1
    kept = math.log1p(l2 * x / slope) / math.log1p(step * l2) if step * l2 > 0.0 else x / (slope * step)
    kept = min(k - 1.0, math.floor(kept))
    power, total = _power_and_sum(kept, step, l2)
    x = sign * min(0.0, sign * _one_step(power * x - total * slope, g, step, l2, l1))
    power, total = _power_and_sum(k - 1.0 - kept, step, l2)
    return power * x - total * sign * max(0.0, sign * g - l1)


@kernel
def _one_step(x, g, step, l2, l1):
    moved = x - step * g
    return math.copysign(max(0.0, abs(moved) - step * l1) / (1.0 + step * l2), moved)


@kernel
def _power_and_sum(k, step, l2):
    rate = math.log1p(step * l2)
    return math.exp(-k * rate), (-math.expm1(-k * rate) / l2 if rate > 0.0 else step * k)

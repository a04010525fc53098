"""The elastic net."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import UNIT


class ElasticNet(NamedTuple):
    """The elastic net: l1 ||w||_1 + l2/2 ||w||_2^2.

    Zeros are allowed, so that a strength never compiles a kernel again.
    Prox: each w_j is moved towards zero by step l1, then divided by 1 + step l2.
    Conjugate: sum_j max(0, |v_j| - l1)^2 / (2 l2); for l2 = 0 it is 0 where every |v_j| <= l1, else infinite.
    Use it with l1 for weights that are exactly zero, with l2 for a unique minimiser.
    Reference: Zou and Hastie (2005).
    """

    l1: float = 0.0
    l2: float = 0.0

    def value(self, w):
        """l1 ||w||_1 + l2/2 ||w||^2; halved at the end, as half of a subnormal l2 may be another share of it."""
        total = 0.0
        for j in range(w.size):
            total += self.l1 * abs(w[j]) + 0.5 * (self.l2 * w[j] * w[j])
        return total

    def prox_coordinate(self, x, step):
        """Soft-threshold by step l1, then shrink by 1 + step l2."""
        size = max(0.0, abs(x) - step * self.l1) / (1.0 + step * self.l2)
        return math.copysign(size, x)

    def prox(self, w, step, out):
        """`prox_coordinate` of each weight."""
        for j in range(w.size):
            out[j] = self.prox_coordinate(w[j], step)

    def prox_scaled(self, w, h, out):
        """The minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2, written to out."""
        for j in range(w.size):
            out[j] = self.prox_coordinate(w[j], 1.0 / h[j])

    def strong_convexity(self):
        """l2."""
        return self.l2

    def conjugate(self, v):
        """sum_j max(0, |v_j| - l1)^2 / (2 l2)."""
        total = 0.0
        for j in range(v.size):
            excess = max(0.0, abs(v[j]) - self.l1)
            if excess > 0.0:
                if self.l2 == 0.0:
                    return math.inf
                total += 0.5 * excess * (excess / self.l2)
        return total

    def is_quadratic(self):
        """Whether l1 = 0."""
        return self.l1 == 0.0

    def interval(self):
        """l1 and the ends of every weight, which is all of it where l2 = 0."""
        return self.l1, -math.inf, math.inf

    def norm_bound(self):
        """Infinite."""
        return math.inf

    def growth(self):
        """l1, since ||w||_1 >= ||w||_2."""
        return self.l1

    def dual_scale(self, v, error):
        """1 for l2 > 0, else what brings every |v_j| + error to l1."""
        if self.l2 > 0.0:
            return 1.0
        largest = 0.0
        for j in range(v.size):
            largest = max(largest, abs(v[j]))
        reach = (largest + error) * (1.0 + 8.0 * UNIT)  # rounded up, so that the scaled point is inside
        return 1.0 if reach <= self.l1 else self.l1 / reach

    def nearest_dual(self, v, out):
        """v for l2 > 0, else v clipped to [-l1, l1]."""
        for j in range(v.size):
            out[j] = v[j] if self.l2 > 0.0 else min(self.l1, max(-self.l1, v[j]))

    def maximizer_coordinate(self, j, v):
        """The maximiser's coordinate j, where v[j] is v (for l2 > 0)."""
        return max(0.0, v - self.l1) / self.l2 + min(0.0, v + self.l1) / self.l2

    def maximizer(self, v, out):
        """Soft-threshold by l1, divide by l2 (for l2 = 0: zero, where the conjugate is finite)."""
        for j in range(v.size):
            excess = max(0.0, abs(v[j]) - self.l1)
            out[j] = math.copysign(excess / self.l2, v[j]) if self.l2 > 0.0 else 0.0

"""The negative entropy together with the simplex, without which it has no bound."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.constraints import Simplex
from empirisk.losses.log_equation import solve_log_equation

STEPS = 100  # Newton's, of which about ten are taken


@kernel(exact=True, fused=True)
def _solve(strength, radius, w, h, t, out):
    """Write x with strength log x_j + h_j x_j = h_j w_j + t to out, where t is the root of sum_j x_j(t) = radius.

    The sum is convex and rises in t: Newton's method falls to the root from a t above it.
    """
    for _ in range(STEPS):
        total = 0.0
        rise = 0.0
        for j in range(w.size):
            out[j] = solve_log_equation((h[j] * w[j] + t) / strength, h[j] / strength)
            total += out[j]
            rise += out[j] / (strength + h[j] * out[j])
        new = t - (total - radius) / rise
        if not new < t:
            break
        t = new
    for j in range(w.size):
        out[j] *= radius / total


class EntropyOnSimplex(NamedTuple):
    """strength sum_j w_j log(w_j d / radius) + l1 radius on the simplex of that radius, infinite elsewhere."""

    strength: float
    l1: float  # a constant here, where ||w||_1 = radius
    simplex: Simplex

    def value(self, w):
        """The relative entropy to equal weights, times strength radius, plus l1 times their sum."""
        radius = self.simplex.radius
        total = self.l1 * self.simplex.length(w) + self.simplex.value(w)
        for j in range(w.size):
            ratio = w[j] / radius * w.size
            if ratio > 0.0:
                total += self.strength * w[j] * math.log(ratio)
        return total

    def value_size(self, w):
        """The sum of sizes relative to which terms of `value` round: a logarithm near zero by that of its argument."""
        radius = self.simplex.radius
        total = self.l1 * radius
        for j in range(w.size):
            ratio = w[j] / radius * w.size
            if ratio > 0.0:
                total += self.strength * abs(w[j]) * (abs(math.log(ratio)) + 4.0)
        return total

    def prox(self, w, step, out):
        """a log x_j + x_j = w_j + t with a = step strength, where t is such that sum_j x_j = radius.

        Newton's method starts from the t where the largest x_j alone is the radius.
        """
        if step == 0.0:
            self.simplex.prox(w, step, out)
            return
        radius = self.simplex.radius
        a = step * self.strength
        shifted = w - w[self.simplex.largest(w)]
        _solve(a, radius, shifted, np.ones(w.size), a * math.log(radius) + radius, out)

    def prox_scaled(self, w, h, out):
        """As `prox`, with h_j in place of 1 / step: strength / h_j log x_j + x_j = w_j + t / h_j."""
        radius = self.simplex.radius
        top = math.inf
        for j in range(w.size):
            top = min(top, h[j] * (radius - w[j]))
        start = top + self.strength * math.log(radius)  # where one x_j alone is the radius, and the others add to it
        _solve(self.strength, radius, w.copy(), h, start, out)

    def conjugate(self, v):
        """strength radius log of the mean of exp(v_j / strength), less l1 radius."""
        largest = v[self.simplex.largest(v)]
        total = 0.0
        for j in range(v.size):
            total += math.exp((v[j] - largest) / self.strength)
        return self.simplex.radius * (largest + self.strength * math.log(total / v.size) - self.l1)

    def maximizer(self, v, out):
        """radius exp(v_j / strength) / sum_k exp(v_k / strength)."""
        largest = v[self.simplex.largest(v)]
        total = 0.0
        for j in range(v.size):
            out[j] = math.exp((v[j] - largest) / self.strength)
            total += out[j]
        for j in range(v.size):
            out[j] *= self.simplex.radius / total

    def strong_convexity(self):
        """2 strength / radius: for u of sum zero, sum_j u_j^2 / w_j >= ||u||_1^2 / radius >= 2 ||u||_2^2 / radius."""
        return 2.0 * self.strength / self.simplex.radius

    def norm_bound(self):
        """The radius."""
        return self.simplex.norm_bound()

    def growth(self):
        """l1, since the entropy to equal weights is never negative."""
        return self.l1

    def dual_scale(self, v, error):
        """1: the set is bounded, so that the conjugate is finite everywhere."""
        return 1.0

    def nearest_dual(self, v, out):
        """v itself."""
        for j in range(v.size):
            out[j] = v[j]

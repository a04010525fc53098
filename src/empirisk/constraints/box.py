"""The same interval for every weight."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import soft_threshold
from empirisk.constraints.rounding import SLACK


class Box(NamedTuple):
    """The box: low <= w_j <= high for every j.

    An end may be infinite; by default it is w >= 0.
    Projection: w clipped to the interval.
    Support function: the sum of high v_j over positive v_j and of low v_j over negative ones.
    Use it where the sign of an effect is known, or its size bounded.
    Reference: Lawson and Hanson (1974), chapter 23.
    """

    low: float = 0.0
    high: float = math.inf

    def scaled(self, factor):
        """The set of factor w, w in this one."""
        return Box(self.low * factor, self.high * factor)

    def refusal(self):
        """Why these ends cannot be, or nothing."""
        if self.low <= self.high and self.low < math.inf and self.high > -math.inf:
            return ""
        found = f"low = {self.low}, high = {self.high}"
        return f"the constraint excludes every point: a box needs low <= high, got {found}"

    def value(self, w):
        """0 inside (up to 1e-12 of the finite end or the weight that is largest), infinite outside."""
        size = 0.0
        for end in (self.low, self.high):
            size = max(size, abs(end)) if math.isfinite(end) else size
        for j in range(w.size):
            size = max(size, abs(w[j])) if math.isfinite(w[j]) else size
        low = self.low - SLACK * size
        high = self.high + SLACK * size
        for j in range(w.size):
            if not low <= w[j] <= high:
                return math.inf
        return 0.0

    def clip(self, x):
        """The point of the interval closest to x."""
        return min(max(x, self.low), self.high)

    def end(self, v):
        """Where v w is largest on the interval; for v = 0 the point closest to zero."""
        if v == 0.0:
            return self.clip(0.0)
        return self.high if v > 0.0 else self.low

    def soften(self, v, l1):
        """One coordinate of `shrink`."""
        if self.low >= 0.0:
            return v - l1
        if self.high <= 0.0:
            return v + l1
        return soft_threshold(v, l1)

    def prox(self, w, step, out):
        """The projection; the step does not matter."""
        for j in range(w.size):
            out[j] = self.clip(w[j])

    def prox_scaled(self, w, h, out):
        """The projection in the norm whose square is sum_j h_j x_j^2: the same."""
        self.prox(w, 1.0, out)

    def conjugate(self, v):
        """sum_j max(low v_j, high v_j)."""
        total = 0.0
        for j in range(v.size):
            if v[j] != 0.0:
                total += v[j] * self.end(v[j])
        return total

    def maximizer(self, v, out):
        """The end that the sign of v_j asks for; infinite where that end is."""
        for j in range(v.size):
            out[j] = self.end(v[j])

    def diameter(self, d):
        """From corner to corner; infinite where an end is."""
        return math.sqrt(d) * self.coordinate_width()

    def coordinate_width(self):
        """Of a coordinate."""
        return self.high - self.low

    def shrink(self, v, l1, out):
        """v moved by l1 against the sign that the weights have; towards zero where they may have both."""
        for j in range(v.size):
            out[j] = self.soften(v[j], l1)

"""The penalty of one weight, which coordinate descent minimises along."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from empirisk.compiled import adopt


class IntervalPenalty(NamedTuple):
    """l1 |w| + l2/2 w^2 on low <= w <= high, infinite outside."""

    l1: float
    l2: float
    low: float
    high: float

    @classmethod
    def of(cls, regularizer: Any) -> IntervalPenalty:
        """That of a regularizer which is a sum of such terms."""
        l1, low, high = regularizer.interval()
        return cls(float(l1), float(regularizer.strong_convexity()), float(low), float(high))

    def least_with(self, curvature, pull):
        """The minimiser of curvature/2 w^2 - pull w + this, for curvature + l2 > 0."""
        size = max(0.0, abs(pull) - self.l1) / (curvature + self.l2)
        return min(max(math.copysign(size, pull), self.low), self.high)

    def sum_over(self, x, count):
        """The sum over the first `count` coordinates of x."""
        total = 0.0
        for j in range(count):
            total += self.l1 * abs(x[j]) + 0.5 * (self.l2 * x[j] * x[j])
        return total

    def scale_into(self, up, down):
        """The largest c <= 1 for which the conjugate is finite from -c down to c up."""
        reach = 0.0
        if self.l2 == 0.0:
            reach = max(up if math.isinf(self.high) else 0.0, down if math.isinf(self.low) else 0.0)
        return 1.0 if reach <= self.l1 else self.l1 / reach

    def conjugate_of(self, v):
        """The largest v w - l1 |w| - l2/2 w^2; infinite ends count as zero, since `scale_into` keeps away from them."""
        excess = max(0.0, abs(v) - self.l1)
        if self.l2 > 0.0:
            best = math.copysign(excess / self.l2, v)
        elif excess > 0.0:
            best = self.high if v > 0.0 else self.low
        else:
            best = 0.0
        best = min(max(best if math.isfinite(best) else 0.0, self.low), self.high)
        return v * best - self.l1 * abs(best) - 0.5 * (self.l2 * best * best)


adopt(IntervalPenalty(0.0, 0.0, 0.0, 0.0))

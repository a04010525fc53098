"""The ball of the Euclidean norm."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import add_compensated, soft_threshold
from empirisk.constraints.rounding import SLACK
from empirisk.constraints.weighted_projection import onto_l2_ball


class L2Ball(NamedTuple):
    """The ball of the Euclidean norm: ||w||_2 <= radius.

    Projection: w radius / ||w||_2 where w lies outside.
    Support function: radius ||v||_2.
    Use it to bound the weights without shrinking those that are short enough already.
    Reference: Parikh and Boyd (2014), section 6.5.
    """

    radius: float = 1.0

    def scaled(self, factor):
        """The set of factor w, w in this one."""
        return L2Ball(self.radius * factor)

    def length(self, w):
        """||w||_2, scaled so that the squares neither overflow nor vanish."""
        largest = 0.0
        for j in range(w.size):
            largest = largest if abs(w[j]) <= largest else abs(w[j])  # max() could skip NaN
        if largest == 0.0 or math.isinf(largest):
            return largest
        total, rest = 0.0, 0.0
        for j in range(w.size):
            total, rest = add_compensated(total, rest, (w[j] / largest) * (w[j] / largest))
        return largest * math.sqrt(total + rest)

    def value(self, w):
        """0 inside (up to 1e-12 of the radius), infinite outside."""
        return 0.0 if self.length(w) <= self.radius * (1.0 + SLACK) else math.inf

    def prox(self, w, step, out):
        """The projection; the step does not matter."""
        length = self.length(w)
        for j in range(w.size):
            out[j] = w[j] if length <= self.radius else w[j] / length * self.radius

    def prox_scaled(self, w, h, out):
        """The projection in the norm whose square is sum_j h_j x_j^2."""
        onto_l2_ball(self, w, h, out)

    def conjugate(self, v):
        """radius ||v||_2."""
        return self.radius * self.length(v)

    def maximizer(self, v, out):
        """radius v / ||v||_2; zero for v = 0."""
        length = self.length(v)
        for j in range(v.size):
            out[j] = v[j] / length * self.radius if length > 0.0 else 0.0

    def norm_bound(self):
        """The radius."""
        return self.radius

    def diameter(self, d):
        """Twice the radius, whatever the number of columns."""
        return 2.0 * self.radius

    def coordinate_width(self):
        """Of a coordinate: twice the radius."""
        return 2.0 * self.radius

    def shrink(self, v, l1, out):
        """v moved towards zero by l1 in each coordinate."""
        for j in range(v.size):
            out[j] = soft_threshold(v[j], l1)

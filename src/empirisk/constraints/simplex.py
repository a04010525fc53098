"""The scaled simplex."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import add_compensated
from empirisk.constraints.rounding import SLACK
from empirisk.constraints.weighted_projection import onto_simplex


class Simplex(NamedTuple):
    """The simplex: w >= 0 and sum_j w_j = radius.

    Projection: max(0, w_j - t), with the threshold t that makes the sum right: Newton's method on the sum, which is
    convex and piecewise linear in t, ends at the root after few passes (at most about log d + 53 of them).
    Support function: radius max_j v_j.
    Use it for mixtures: weights that are shares of a whole.
    Reference: Michelot (1986).
    """

    radius: float = 1.0

    def scaled(self, factor):
        """The set of factor w, w in this one."""
        return Simplex(self.radius * factor)

    def length(self, w):
        """sum_j w_j, which is ||w||_1 here."""
        total, rest = 0.0, 0.0
        for j in range(w.size):
            total, rest = add_compensated(total, rest, w[j])
        return total + rest

    def value(self, w):
        """0 inside (up to 1e-12 of the radius, in each coordinate and in the sum), infinite outside."""
        slack = self.radius * SLACK
        for j in range(w.size):
            if not w[j] >= -slack:
                return math.inf
        return 0.0 if abs(self.length(w) - self.radius) <= slack else math.inf

    def prox(self, w, step, out):
        """The projection; the step does not matter."""
        # Seen from the largest weight, what stays positive is within one radius: nothing large is left to cancel.
        top = w[self.largest(w)]
        for j in range(w.size):
            out[j] = w[j] - top
        threshold = -self.radius
        while True:
            total, rest, count = -self.radius, 0.0, 0
            for j in range(w.size):
                if out[j] > threshold:
                    total, rest = add_compensated(total, rest, out[j])
                    count += 1
            risen = (total + rest) / max(1, count)
            if not risen > threshold:
                break
            threshold = risen
        for j in range(w.size):
            out[j] = max(0.0, out[j] - threshold)
        # The threshold's rounding counts once for every positive weight; there is none where w holds NaN.
        length = self.length(out)
        factor = self.radius / length if length > 0.0 else math.nan
        for j in range(w.size):
            out[j] *= factor

    def prox_scaled(self, w, h, out):
        """The projection in the norm whose square is sum_j h_j x_j^2."""
        onto_simplex(self.radius, w, h, out)

    def largest(self, v):
        """The first coordinate j with the largest v_j."""
        found = 0
        for j in range(v.size):
            if v[j] > v[found]:
                found = j
        return found

    def conjugate(self, v):
        """radius max_j v_j."""
        return self.radius * v[self.largest(v)]

    def maximizer(self, v, out):
        """The corner at the first of the largest v_j."""
        j = self.largest(v)
        for k in range(v.size):
            out[k] = self.radius if k == j else 0.0

    def norm_bound(self):
        """The radius, reached at the corners."""
        return self.radius

    def diameter(self, d):
        """From corner to corner; a single column leaves one point."""
        return math.sqrt(2.0) * self.radius if d > 1 else 0.0

    def coordinate_width(self):
        """Of a coordinate: the radius."""
        return self.radius

    def shrink(self, v, l1, out):
        """v - l1: here ||w||_1 is the sum of the weights."""
        for j in range(v.size):
            out[j] = v[j] - l1

"""The mirror map of the l1 ball: the simplex of all columns and their mirror images."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.mirror_maps.entropic import largest_square


class SignedEntropic(NamedTuple):
    """The entropy of pairs w = w+ - w-, w+, w- >= 0, sum_j w+_j + w-_j = radius: for the l1 ball of this radius.

    Written with the columns and their negatives side by side it is the entropy of a simplex; a w has many such pairs,
    and the map is that of the pairs that steps from zero reach, w_j = -radius sinh(v_j) / sum_j cosh(v_j).
    Norm: l1, dual norm: the largest entry; modulus 1 / radius. The set is the l1 ball; no l1 and no l2.
    """

    radius: float = 1.0

    def gradient(self, w, out):
        """At zero, where all pairs are alike: zero."""
        for j in range(w.size):
            out[j] = 0.0

    def divergence(self, u, w):
        """From zero: radius log(2 d), the most that it is to any u of the ball."""
        return self.radius * math.log(2.0 * w.size)

    def minimizer(self, v, step, omega, out):
        """-radius sinh(v_j) / sum_j cosh(v_j)."""
        largest = 0.0
        for j in range(v.size):
            largest = max(largest, abs(v[j]))
        total = 0.0
        for j in range(v.size):
            up, down = math.exp(v[j] - largest), math.exp(-v[j] - largest)
            out[j] = down - up
            total += down + up
        for j in range(v.size):
            out[j] *= self.radius / total

    def dual_square(self, X, i):
        """The largest x_ij^2."""
        return largest_square(X, i)

    def farthest(self, w):
        """radius log(2 d)."""
        return self.divergence(w, w)

    def modulus(self):
        """1 / radius."""
        return 1.0 / self.radius

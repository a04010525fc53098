"""The ball of the l1 norm."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import add_compensated, soft_threshold
from empirisk.constraints.rounding import SLACK
from empirisk.constraints.simplex import Simplex
from empirisk.constraints.weighted_projection import onto_l1_ball


class L1Ball(NamedTuple):
    """The ball of the l1 norm: ||w||_1 <= radius.

    Projection: that of |w| onto the simplex, with the signs of w, where w lies outside.
    Support function: radius max_j |v_j|.
    Use it for sparse weights whose total size is known, where the strength l1 is not.
    Reference: Duchi, Shalev-Shwartz, Singer and Chandra (2008).
    """

    radius: float = 1.0

    def scaled(self, factor):
        """The set of factor w, w in this one."""
        return L1Ball(self.radius * factor)

    def length(self, w):
        """||w||_1."""
        total, rest = 0.0, 0.0
        for j in range(w.size):
            total, rest = add_compensated(total, rest, abs(w[j]))
        return total + rest

    def value(self, w):
        """0 inside (up to 1e-12 of the radius), infinite outside."""
        return 0.0 if self.length(w) <= self.radius * (1.0 + SLACK) else math.inf

    def prox(self, w, step, out):
        """The projection; the step does not matter."""
        signed = w.copy()
        outside = self.length(w) > self.radius
        for j in range(w.size):
            out[j] = abs(w[j]) if outside else w[j]
        if outside:
            Simplex(self.radius).prox(out, step, out)
            for j in range(w.size):
                out[j] = math.copysign(out[j], signed[j])

    def prox_scaled(self, w, h, out):
        """The projection in the norm whose square is sum_j h_j x_j^2."""
        onto_l1_ball(self, w, h, out)

    def largest(self, v):
        """The first coordinate j with the largest |v_j|."""
        found = 0
        for j in range(v.size):
            if abs(v[j]) > abs(v[found]):
                found = j
        return found

    def conjugate(self, v):
        """radius max_j |v_j|."""
        return self.radius * abs(v[self.largest(v)])

    def maximizer(self, v, out):
        """The corner at the first of the largest |v_j|; zero for v = 0."""
        j = self.largest(v)
        corner = math.copysign(self.radius, v[j]) if v[j] != 0.0 else 0.0
        for k in range(v.size):
            out[k] = corner if k == j else 0.0

    def norm_bound(self):
        """The radius, since ||w||_2 <= ||w||_1."""
        return self.radius

    def diameter(self, d):
        """Twice the radius, from a corner to its mirror image."""
        return 2.0 * self.radius

    def coordinate_width(self):
        """Of a coordinate: twice the radius."""
        return 2.0 * self.radius

    def shrink(self, v, l1, out):
        """v moved towards zero by l1 in each coordinate."""
        for j in range(v.size):
            out[j] = soft_threshold(v[j], l1)

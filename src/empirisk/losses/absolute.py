"""The absolute loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import SMALLEST_CURVATURE


class Absolute(NamedTuple):
    """Least absolute deviations: scale * |z - y|, for real labels.

    Conjugate: u y for |u| <= scale, infinite elsewhere.
    Subderivative: 0 at the kink z = y.
    Smoothness: none, it has a kink; its certificate stores a dual point.
    Use it for the conditional median: outliers among the labels hardly move it.
    Reference: Boscovich (1757); Koenker and Bassett (1978).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def has_kinks(self):
        """One, at z = y."""
        return True

    def label_degree(self):
        """Scores have the unit of the labels, and the loss its power 1."""
        return 1

    def in_label_unit(self, unit):
        """The same loss where labels are told in this unit, but for a factor unit^1: it has no width."""
        return self

    def value(self, z, y):
        """scale * |z - y|."""
        return self.scale * abs(z - y)

    def derivative(self, z, y):
        """scale * sign(z - y)."""
        return self.scale if z > y else (-self.scale if z < y else 0.0)

    def conjugate(self, u, y):
        """u y for |u| <= scale, else infinite."""
        return u * y if abs(u) <= self.scale else math.inf

    def dual_step(self, u, z, y, q):
        """u + (y - z) / q, clipped to [-scale, scale]."""
        t = u + float(y - z) / float(max(q, SMALLEST_CURVATURE))
        return min(self.scale, max(-self.scale, t))

    def prox(self, z, y, step):
        """z moves towards y by step * scale, but not past it."""
        move = step * self.scale
        return max(y, z - move) if z > y else min(y, z + move)

    def pieces(self, y):
        """scale (z - y) and scale (y - z)."""
        return ((self.scale, -self.scale * y), (-self.scale, self.scale * y))

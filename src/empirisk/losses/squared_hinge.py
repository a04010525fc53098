"""The squared hinge loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class SquaredHinge(NamedTuple):
    """A margin loss without a kink: scale * max(0, 1 - y z)^2, y = -1 or +1.

    Conjugate: scale * (p^2 / 4 - p) for p = -u y / scale >= 0, infinite elsewhere.
    Smoothness: 2 scale; the second derivative jumps from 2 scale to 0 at y z = 1 (there: 0), so Newton's method on
    it is semismooth.
    Use it for a margin loss that batch methods finish fast; it punishes outliers more than the hinge.
    Reference: Chang, Hsieh and Lin (2008).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def value(self, z, y):
        """scale * max(0, 1 - y z)^2."""
        slack = float(max(0.0, 1.0 - y * z))  # NumPy scalars would warn of an overflow to infinity
        return (self.scale * slack) * slack

    def derivative(self, z, y):
        """-2 scale y max(0, 1 - y z)."""
        return -2.0 * self.scale * y * max(0.0, 1.0 - y * z)

    def second_derivative(self, z, y):
        """2 scale left of the joint, else 0."""
        return 2.0 * self.scale if y * z < 1.0 else 0.0

    def smoothness(self):
        """2 scale."""
        return 2.0 * self.scale

    def conjugate(self, u, y):
        """scale * (p^2 / 4 - p) for p = -u y / scale >= 0, else infinite."""
        p = float(-u * y / self.scale)
        if p < 0.0:
            return math.inf
        return self.scale * (p * (0.25 * p - 1.0))

    def dual_step(self, u, z, y, q):
        """(1 - m + q scale p) / (q scale + 1/2), clipped to p >= 0."""
        q = q * self.scale
        p = (1.0 - y * z + q * (u * y / self.scale)) / (q + 0.5)
        return self.scale * y * max(0.0, p)

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

"""The hinge loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import SMALLEST_CURVATURE


class Hinge(NamedTuple):
    """The loss of the support vector machine: scale * max(0, 1 - y z), y = -1 or +1.

    Conjugate: -scale * p for p = -u y / scale in [0, 1], infinite elsewhere.
    Subderivative: 0 at the kink y z = 1.
    Smoothness: none, it has a kink; its certificate stores a dual point.
    Use it for margins and sparse dual solutions: rows beyond the margin do not enter the weights.
    Reference: Cortes and Vapnik (1995).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def has_kinks(self):
        """One, at y z = 1."""
        return True

    def value(self, z, y):
        """scale * max(0, 1 - y z)."""
        return self.scale * max(0.0, 1.0 - y * z)

    def derivative(self, z, y):
        """-scale * y left of the kink, else 0."""
        return -self.scale * y if y * z < 1.0 else 0.0

    def conjugate(self, u, y):
        """-scale * p for p = -u y / scale in [0, 1], else infinite."""
        p = -u * y / self.scale
        if p < 0.0 or p > 1.0:
            return math.inf
        return u * y

    def dual_step(self, u, z, y, q):
        """p + (1 - m) / (q scale), clipped to [0, 1]."""
        p = u * y / self.scale + float(1.0 - y * z) / float(max(q * self.scale, SMALLEST_CURVATURE))
        return self.scale * y * min(1.0, max(0.0, p))

    def prox(self, z, y, step):
        """The margin moves up by step * scale, but not past 1."""
        m = y * z
        return y * (m if m >= 1.0 else min(1.0, m + step * self.scale))

    def pieces(self, y):
        """0 and scale - scale y z."""
        return ((0.0, 0.0), (-self.scale * y, self.scale))

"""The perceptron loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import SMALLEST_CURVATURE


class Perceptron(NamedTuple):
    """The loss of Rosenblatt's perceptron: scale * max(0, -y z), y = -1 or +1.

    Conjugate: 0 for p = -u y / scale in [0, 1], infinite elsewhere.
    Subderivative: -scale * y at the kink z = 0, so that stochastic gradient descent with step 1 from zero is the
    perceptron.
    Smoothness: none, it has a kink.
    Use it to find a separating plane, with a constraint that excludes w = 0: zero weights have loss 0, and no others
    have less.
    Reference: Rosenblatt (1958).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def has_kinks(self):
        """One, at z = 0."""
        return True

    def advice(self):
        """For solvers that cannot take its kink."""
        return "er.perceptron(X, y, form='gradient') takes gradient steps on this cost"

    def value(self, z, y):
        """scale * max(0, -y z)."""
        return self.scale * max(0.0, -y * z)

    def derivative(self, z, y):
        """-scale * y for y z <= 0, else 0."""
        return -self.scale * y if y * z <= 0.0 else 0.0

    def conjugate(self, u, y):
        """0 for p = -u y / scale in [0, 1], else infinite."""
        p = -u * y / self.scale
        return math.inf if p < 0.0 or p > 1.0 else 0.0

    def dual_step(self, u, z, y, q):
        """p - m / (q scale), clipped to [0, 1]."""
        p = u * y / self.scale - float(y * z) / float(max(q * self.scale, SMALLEST_CURVATURE))
        return self.scale * y * min(1.0, max(0.0, p))

    def prox(self, z, y, step):
        """The margin moves up by step * scale, but not past 0."""
        m = y * z
        return y * (m if m >= 0.0 else min(0.0, m + step * self.scale))

    def pieces(self, y):
        """0 and -scale y z."""
        return ((0.0, 0.0), (-self.scale * y, 0.0))

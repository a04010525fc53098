"""The hinge loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class Hinge(NamedTuple):
    """The loss of the support vector machine: scale * max(0, 1 - y z), y = -1 or +1.

    The subderivative at the kink y z = 1 is 0. With p = -u y / scale the conjugate is -scale * p for 0 <= p <= 1.
    Not smooth: its certificate stores a dual point. Use it for sparse dual solutions and margins.
    Reference: Cortes and Vapnik (1995).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

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
        slack = 1.0 - y * z
        q = q * self.scale
        p = u * y / self.scale
        # A row whose feature part is (nearly) zero: the step overflows to a bound, which is the right one.
        if abs(slack) >= q:
            return self.scale * y if slack > 0.0 else 0.0
        return self.scale * y * min(1.0, max(0.0, p + slack / q))

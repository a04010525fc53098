"""The smoothed hinge loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class SmoothedHinge(NamedTuple):
    """The hinge with its kink rounded off: scale * max over p in [0, 1] of p (1 - y z) - width/2 p^2, y = -1 or +1.

    That is 0 for y z >= 1, (1 - y z)^2 / (2 width) for 1 - width <= y z <= 1, and 1 - y z - width/2 below, times
    scale: within scale * width / 2 of the hinge.
    Conjugate: scale * (width/2 p^2 - p) for p = -u y / scale in [0, 1], infinite elsewhere.
    Smoothness: scale / width; the second derivative jumps at y z = 1 and y z = 1 - width (there: 0).
    Use it for a loss like the hinge that smooth methods can take: the smaller the width, the closer and the slower.
    Reference: Rennie and Srebro (2005); Shalev-Shwartz and Zhang (2013).
    """

    scale: float = 1.0
    width: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def value(self, z, y):
        """The quadratic where 0 <= 1 - y z <= width, straight elsewhere."""
        slack = max(0.0, 1.0 - float(y * z))
        if slack >= self.width:
            return self.scale * (slack - 0.5 * self.width)
        return self.scale * (0.5 * slack * (slack / self.width))

    def derivative(self, z, y):
        """-scale * y * min(1, max(0, 1 - y z) / width)."""
        slack = max(0.0, 1.0 - float(y * z))
        return -self.scale * y * (1.0 if slack >= self.width else slack / self.width)

    def second_derivative(self, z, y):
        """scale / width between the joints, else 0."""
        return self.scale / self.width if 0.0 < 1.0 - y * z < self.width else 0.0

    def smoothness(self):
        """scale / width."""
        return self.scale / self.width

    def conjugate(self, u, y):
        """scale * (width/2 p^2 - p) for p = -u y / scale in [0, 1], else infinite."""
        p = -u * y / self.scale
        if p < 0.0 or p > 1.0:
            return math.inf
        return self.scale * (p * (0.5 * self.width * p - 1.0))

    def dual_step(self, u, z, y, q):
        """(1 - m + q scale p) / (q scale + width), clipped to [0, 1]."""
        q = q * self.scale
        p = float(1.0 - y * z + q * (u * y / self.scale)) / (q + self.width)
        return self.scale * y * min(1.0, max(0.0, p))

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

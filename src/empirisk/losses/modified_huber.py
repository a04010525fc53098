"""The modified Huber loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class ModifiedHuber(NamedTuple):
    """The squared hinge with a straight tail: scale * max(0, 1 - y z)^2, and -4 scale y z for y z < -1, y = -1 or +1.

    Conjugate: scale * (p^2 / 4 - p) for p = -u y / scale in [0, 4], infinite elsewhere.
    Smoothness: 2 scale; the second derivative jumps at y z = 1 and y z = -1 (there: 0).
    Use it for a smooth margin loss that an outlier or a wrong label pulls with a bounded force.
    Reference: Zhang (2004); scikit-learn's "modified_huber".
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def value(self, z, y):
        """scale * max(0, 1 - y z)^2 for y z >= -1, else -4 scale y z."""
        m = float(y * z)
        if m < -1.0:
            return self.scale * (-4.0 * m)
        slack = max(0.0, 1.0 - m)
        return self.scale * slack * slack

    def derivative(self, z, y):
        """-scale y times 2 max(0, 1 - y z), at most 4."""
        return -self.scale * y * min(4.0, 2.0 * max(0.0, 1.0 - y * z))

    def second_derivative(self, z, y):
        """2 scale between the joints, else 0."""
        return 2.0 * self.scale if -1.0 < y * z < 1.0 else 0.0

    def smoothness(self):
        """2 scale."""
        return 2.0 * self.scale

    def conjugate(self, u, y):
        """scale * (p^2 / 4 - p) for p = -u y / scale in [0, 4], else infinite."""
        p = -u * y / self.scale
        if p < 0.0 or p > 4.0:
            return math.inf
        return self.scale * (p * (0.25 * p - 1.0))

    def dual_step(self, u, z, y, q):
        """(1 - m + q scale p) / (q scale + 1/2), clipped to [0, 4]."""
        q = q * self.scale
        p = (1.0 - y * z + q * (u * y / self.scale)) / (q + 0.5)
        return self.scale * y * min(4.0, max(0.0, p))

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

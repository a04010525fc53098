"""Losses as a user may write them, for tests of what they are eligible for."""

from __future__ import annotations

import math
from typing import NamedTuple


class Plain(NamedTuple):
    """(z - y)^2 with value and derivative only."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * (y - z) ** 2

    def derivative(self, z, y):
        return 2.0 * self.scale * (z - y)


class Welsch(NamedTuple):
    """1 - exp(-(z - y)^2 / 2): smooth, not convex."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * (1.0 - math.exp(-0.5 * (z - y) ** 2))

    def derivative(self, z, y):
        return self.scale * (z - y) * math.exp(-0.5 * (z - y) ** 2)

    def is_convex(self):
        return False

"""The quantile loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import SMALLEST_CURVATURE


class Quantile(NamedTuple):
    """The check or pinball loss: scale * max(level (y - z), (1 - level) (z - y)), for real labels, 0 < level < 1.

    Conjugate: u y for -scale * level <= u <= scale * (1 - level), infinite elsewhere.
    Subderivative: 0 at the kink z = y.
    Smoothness: none, it has a kink; its certificate stores a dual point.
    Use it for a conditional quantile: 0.5 is the median (half the absolute loss), 0.9 lies above nine labels in ten.
    Reference: Koenker and Bassett (1978).
    """

    scale: float = 1.0
    level: float = 0.5

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def parameter_ranges(self):
        """The level is a probability."""
        return {"level": (0.0, 1.0)}

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
        """scale * level * r for r = y - z >= 0, else scale * (1 - level) * -r."""
        return self.scale * self.level * (y - z) if z <= y else self.scale * (1.0 - self.level) * (z - y)

    def derivative(self, z, y):
        """-scale * level for z < y, scale * (1 - level) for z > y."""
        if z < y:
            return -(self.scale * self.level)
        return self.scale * (1.0 - self.level) if z > y else 0.0

    def conjugate(self, u, y):
        """u y for -scale * level <= u <= scale * (1 - level), else infinite."""
        return u * y if -(self.scale * self.level) <= u <= self.scale * (1.0 - self.level) else math.inf

    def dual_step(self, u, z, y, q):
        """u + (y - z) / q, clipped to [-scale (1 - level), scale level]."""
        t = u + float(y - z) / float(max(q, SMALLEST_CURVATURE))
        return min(self.scale * self.level, max(-(self.scale * (1.0 - self.level)), t))

    def prox(self, z, y, step):
        """z moves towards y, up by step scale level or down by step scale (1 - level), but not past it."""
        if z > y:
            return max(y, z - step * self.scale * (1.0 - self.level))
        return min(y, z + step * self.scale * self.level)

    def pieces(self, y):
        """scale level (y - z) and scale (1 - level) (z - y)."""
        up, down = self.scale * self.level, self.scale * (1.0 - self.level)
        return ((-up, up * y), (down, -down * y))

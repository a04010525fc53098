"""Huber's loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class Huber(NamedTuple):
    """Squares near, lines far: scale * r^2 / 2 for |r| = |z - y| <= delta, scale * delta (|r| - delta / 2) beyond.

    For real labels; delta, 1 by default, is in the units of the labels. (The 1.35 of scikit-learn's HuberRegressor is
    in units of a standard deviation that it estimates along with the weights.)
    Conjugate: u^2 / (2 scale) + u y for |u| <= scale * delta, infinite elsewhere.
    Smoothness: scale; the second derivative jumps from scale to 0 at |r| = delta (there: scale).
    Use it for a conditional mean that outliers among the labels pull with a bounded force.
    Reference: Huber (1964).
    """

    scale: float = 1.0
    delta: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def label_degree(self):
        """Scores have the unit of the labels, and the loss its power 2."""
        return 2

    def in_label_unit(self, unit):
        """The same loss where labels are told in this unit, but for a factor unit^2."""
        return self._replace(delta=self.delta / unit)

    def value(self, z, y):
        """scale * r^2 / 2 for |r| <= delta, else scale * delta (|r| - delta / 2)."""
        r = abs(float(z - y))
        if r <= self.delta:
            return self.scale * (0.5 * r * r)
        return self.scale * (self.delta * (r - 0.5 * self.delta))

    def derivative(self, z, y):
        """scale * r, clipped to |r| <= delta."""
        return self.scale * min(max(z - y, -self.delta), self.delta)

    def second_derivative(self, z, y):
        """scale for |r| <= delta, else 0."""
        return self.scale if abs(z - y) <= self.delta else 0.0

    def smoothness(self):
        """scale."""
        return self.scale

    def conjugate(self, u, y):
        """u^2 / (2 scale) + u y for |u| <= scale * delta, else infinite."""
        if abs(u) > self.scale * self.delta:
            return math.inf
        return 0.5 * u * (u / self.scale) + u * y

    def dual_step(self, u, z, y, q):
        """(y - z + q u) / (q + 1 / scale), clipped to |t| <= scale * delta."""
        bound = self.scale * self.delta
        return min(bound, max(-bound, (y - z + q * u) / (q + 1.0 / self.scale)))

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

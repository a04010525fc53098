"""The epsilon-insensitive loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import SMALLEST_CURVATURE


class EpsilonInsensitive(NamedTuple):
    """The loss of support vector regression: scale * max(0, |z - y| - epsilon), for real labels.

    Conjugate: u y + epsilon |u| for |u| <= scale, infinite elsewhere.
    Subderivative: 0 at the kinks |z - y| = epsilon.
    Smoothness: none, it has kinks; its certificate stores a dual point.
    Use it when errors up to epsilon (0.1 by default, in the units of the labels) do not matter: rows inside the tube
    do not enter the weights.
    Reference: Vapnik (1995).
    """

    scale: float = 1.0
    epsilon: float = 0.1

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def has_kinks(self):
        """Two, at |z - y| = epsilon."""
        return True

    def label_degree(self):
        """Scores have the unit of the labels, and the loss its power 1."""
        return 1

    def in_label_unit(self, unit):
        """The same loss where labels are told in this unit, but for a factor unit^1."""
        return self._replace(epsilon=self.epsilon / unit)

    def value(self, z, y):
        """scale * max(0, |z - y| - epsilon)."""
        return self.scale * max(0.0, abs(z - y) - self.epsilon)

    def derivative(self, z, y):
        """scale * sign(z - y) outside the tube, else 0."""
        r = z - y
        return self.scale if r > self.epsilon else (-self.scale if r < -self.epsilon else 0.0)

    def conjugate(self, u, y):
        """u y + epsilon |u| for |u| <= scale, else infinite."""
        return u * y + self.epsilon * abs(u) if abs(u) <= self.scale else math.inf

    def dual_step(self, u, z, y, q):
        """(q u + y - z, moved towards 0 by epsilon) / q, clipped to [-scale, scale]."""
        t = q * u + (y - z)
        t = math.copysign(max(0.0, abs(t) - self.epsilon), t) / float(max(q, SMALLEST_CURVATURE))
        return min(self.scale, max(-self.scale, t))

    def prox(self, z, y, step):
        """z moves towards the tube by step * scale, but not into it."""
        move = step * self.scale
        if z > y + self.epsilon:
            return max(y + self.epsilon, z - move)
        return min(y - self.epsilon, z + move) if z < y - self.epsilon else z

    def pieces(self, y):
        """0, scale (z - y - epsilon) and scale (y - z - epsilon)."""
        return (
            (0.0, 0.0),
            (self.scale, -self.scale * (y + self.epsilon)),
            (-self.scale, self.scale * (y - self.epsilon)),
        )

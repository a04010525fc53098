"""The squared epsilon-insensitive loss."""

from __future__ import annotations

import math
from typing import NamedTuple


class SquaredEpsilonInsensitive(NamedTuple):
    """Support vector regression without kinks: scale * max(0, |z - y| - epsilon)^2, for real labels.

    As in liblinear there is no factor 1/2: with epsilon towards 0 it is twice the squared loss.
    Conjugate: u^2 / (4 scale) + epsilon |u| + u y.
    Smoothness: 2 scale; the second derivative jumps from 0 to 2 scale at |z - y| = epsilon (there: 0).
    Use it when errors up to epsilon (0.1 by default, in the units of the labels) do not matter and batch methods are
    to finish fast.
    Reference: Ho and Lin (2012).
    """

    scale: float = 1.0
    epsilon: float = 0.1

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def label_degree(self):
        """Scores have the unit of the labels, and the loss its power 2."""
        return 2

    def in_label_unit(self, unit):
        """The same loss where labels are told in this unit, but for a factor unit^2."""
        return self._replace(epsilon=self.epsilon / unit)

    def value(self, z, y):
        """scale * max(0, |z - y| - epsilon)^2."""
        excess = float(max(0.0, abs(z - y) - self.epsilon))  # NumPy scalars would warn of an overflow to infinity
        return (self.scale * excess) * excess

    def derivative(self, z, y):
        """2 scale (|z - y| - epsilon) sign(z - y) outside the tube, else 0."""
        r = z - y
        return math.copysign(2.0 * self.scale * max(0.0, abs(r) - self.epsilon), r)

    def second_derivative(self, z, y):
        """2 scale outside the tube, else 0."""
        return 2.0 * self.scale if abs(z - y) > self.epsilon else 0.0

    def smoothness(self):
        """2 scale."""
        return 2.0 * self.scale

    def conjugate(self, u, y):
        """u^2 / (4 scale) + epsilon |u| + u y."""
        u = float(u)
        return 0.25 * u * (u / self.scale) + (self.epsilon * abs(u) + u * y)

    def dual_step(self, u, z, y, q):
        """(q u + y - z, moved towards 0 by epsilon) / (q + 1 / (2 scale))."""
        t = q * u + (y - z)
        return math.copysign(max(0.0, abs(t) - self.epsilon), t) / (q + 0.5 / self.scale)

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

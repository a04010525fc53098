"""The squared loss."""

from __future__ import annotations

from typing import NamedTuple


class Squared(NamedTuple):
    """Least squares: scale / 2 * (z - y)^2, for real labels (or -1 and +1 as a classifier).

    Conjugate: u^2 / (2 scale) + u y.
    Smoothness: scale. Newton's method solves it in one step.
    Use it for the conditional mean; it is not robust to outliers.
    Reference: Legendre (1805).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("regression", "classification")

    def label_degree(self):
        """Scores have the unit of the labels, and the loss its power 2."""
        return 2

    def in_label_unit(self, unit):
        """The same loss where labels are told in this unit, but for a factor unit^2: it has no width."""
        return self

    def value(self, z, y):
        """scale / 2 * (z - y)^2."""
        r = float(z - y)  # NumPy scalars would warn of an overflow to infinity
        return (0.5 * self.scale * r) * r

    def derivative(self, z, y):
        """scale * (z - y)."""
        return self.scale * (z - y)

    def second_derivative(self, z, y):
        """scale."""
        return self.scale

    def smoothness(self):
        """scale."""
        return self.scale

    def conjugate(self, u, y):
        """u^2 / (2 scale) + u y."""
        u = float(u)
        return 0.5 * u * (u / self.scale) + u * y

    def dual_step(self, u, z, y, q):
        """(y - z + q u) / (q + 1 / scale)."""
        return (y - z + q * u) / (q + 1.0 / self.scale)

    def prox(self, z, y, step):
        """(z + step scale y) / (1 + step scale)."""
        return z + step * self.dual_step(0.0, z, y, step)

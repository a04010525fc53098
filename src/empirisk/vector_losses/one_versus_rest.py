"""One class against the rest, for every class."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.capabilities import has_kinks, is_convex


class OneVersusRest(NamedTuple):
    """sum_j base(z_j, +1 if j = k else -1), for any loss `base` of one score with labels -1 and +1.

    One objective that falls apart into K problems of two classes. Reference: Rifkin and Klautau (2004).
    """

    base: Any

    def splits(self):
        """Yes."""
        return True

    def has_kinks(self):
        """Whether the base has."""
        return has_kinks(self.base)

    def is_convex(self):
        """Whether the base is."""
        return is_convex(self.base)

    def smoothness(self):
        """That of the base: the Hessian is diagonal."""
        return self.base.smoothness()

    def value(self, z, k):
        """sum_j base(z_j, y_j)."""
        total = 0.0
        for j in range(z.size):
            total += self.base.value(z[j], 1.0 if j == k else -1.0)
        return total

    def gradient(self, z, k, out):
        """The base's derivative at each score."""
        total = 0.0
        for j in range(z.size):
            y = 1.0 if j == k else -1.0
            total += self.base.value(z[j], y)
            out[j] = self.base.derivative(z[j], y)
        return total

    def curvature(self, z, k, out):
        """The base's second derivatives."""
        for j in range(z.size):
            out[j] = self.base.second_derivative(z[j], 1.0 if j == k else -1.0)

    def hessian_product(self, c, a, out):
        """c_j a_j."""
        for j in range(c.size):
            out[j] = c[j] * a[j]

    def conjugate(self, u, k):
        """The sum of the base's conjugates."""
        total = 0.0
        for j in range(u.size):
            total += self.base.conjugate(u[j], 1.0 if j == k else -1.0)
        return total

    def dual_step(self, u, z, k, q):
        """The base's dual step, class by class."""
        for j in range(u.size):
            u[j] = self.base.dual_step(u[j], z[j], 1.0 if j == k else -1.0, q)

"""The mirror map of the simplex."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.compiled import kernel


class Entropic(NamedTuple):
    """psi(w) = sum_j w_j log(w_j / radius) on the simplex w >= 0, sum_j w_j = radius: its steps multiply.

    Norm: l1, dual norm: the largest entry; modulus 1 / radius. The set is the simplex, on which l1 is constant; l2 = 0.
    """

    radius: float = 1.0

    def value(self, w):
        """sum_j w_j log(w_j / radius), with 0 log 0 = 0."""
        total = 0.0
        for j in range(w.size):
            if w[j] > 0.0:
                total += w[j] * math.log(w[j] / self.radius)
        return total

    def gradient(self, w, out):
        """log(w_j / radius) + 1."""
        for j in range(w.size):
            out[j] = math.log(w[j] / self.radius) + 1.0 if w[j] > 0.0 else -math.inf

    def inverse(self, v, out):
        """radius exp(v_j - 1)."""
        for j in range(v.size):
            out[j] = self.radius * math.exp(v[j] - 1.0)

    def divergence(self, u, w):
        """sum_j u_j log(u_j / w_j) - u_j + w_j; infinite where u has what w has not."""
        total = 0.0
        for j in range(w.size):
            if u[j] > 0.0:
                total += u[j] * math.log(u[j] / w[j]) if w[j] > 0.0 else math.inf
            total += w[j] - u[j]
        return total

    def minimizer(self, v, step, omega, out):
        """radius exp(-v) / sum_j exp(-v_j): the penalty is constant on the simplex."""
        least = math.inf
        for j in range(v.size):
            least = min(least, v[j])
        total = 0.0
        for j in range(v.size):
            out[j] = math.exp(least - v[j])
            total += out[j]
        for j in range(v.size):
            out[j] *= self.radius / total

    def project(self, constraint, w, out):
        """w radius / sum_j w_j, onto the simplex of the radius: the one set that it is for."""
        total = 0.0
        for j in range(w.size):
            total += w[j]
        for j in range(w.size):
            out[j] = w[j] / total * self.radius

    def norm(self, w):
        """||w||_1."""
        total = 0.0
        for j in range(w.size):
            total += abs(w[j])
        return total

    def dual_norm(self, v):
        """The largest |v_j|."""
        return largest_entry(v)

    def dual_square(self, X, i):
        """The largest x_ij^2."""
        return largest_square(X, i)

    def farthest(self, w):
        """The largest divergence(u, w) over the simplex, which is that to a corner."""
        least = math.inf
        for j in range(w.size):
            least = min(least, w[j])
        return self.radius * math.log(self.radius / least) if least > 0.0 else math.inf

    def modulus(self):
        """1 / radius."""
        return 1.0 / self.radius


@kernel
def largest_square(X, i):
    """The largest x_ij^2."""
    largest = 0.0
    for e in range(X.row_size(i)):
        x = X.entry_at(i, e)
        largest = max(largest, x * x)
    return largest


@kernel
def largest_entry(v):
    """The largest |v_j|."""
    largest = 0.0
    for j in range(v.size):
        largest = max(largest, abs(v[j]))
    return largest

"""The mirror map of gradient descent."""

from __future__ import annotations

import math
from typing import NamedTuple


class Euclidean(NamedTuple):
    """psi(w) = ||w||^2 / 2: its steps are those of gradient descent.

    Norm and dual norm: Euclidean; modulus 1. Any penalty and set.
    """

    scale: float = 1.0  # has no meaning: a tuple must have a field

    def value(self, w):
        """||w||^2 / 2."""
        total = 0.0
        for j in range(w.size):
            total += w[j] * w[j]
        return 0.5 * total

    def gradient(self, w, out):
        """w."""
        for j in range(w.size):
            out[j] = w[j]

    def inverse(self, v, out):
        """v."""
        for j in range(v.size):
            out[j] = v[j]

    def divergence(self, u, w):
        """||u - w||^2 / 2."""
        total = 0.0
        for j in range(w.size):
            total += (u[j] - w[j]) * (u[j] - w[j])
        return 0.5 * total

    def minimizer(self, v, step, omega, out):
        """prox_{step Omega}(-v)."""
        for j in range(v.size):
            out[j] = -v[j]
        omega.prox(out, step, out)

    def project(self, constraint, w, out):
        """The point of the set closest to w."""
        constraint.prox(w, 1.0, out)

    def norm(self, w):
        """||w||."""
        return math.sqrt(2.0 * self.value(w))

    def dual_norm(self, v):
        """||v||."""
        return math.sqrt(2.0 * self.value(v))

    def dual_square(self, X, i):
        """||x_i||^2."""
        return X.squared_row_norm(i)

    def modulus(self):
        """1."""
        return 1.0

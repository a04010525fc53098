"""The mirror map of steps with a length of their own for each column."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.protocols import Vector


class DiagonalQuadratic(NamedTuple):
    """psi(w) = sum_j h_j w_j^2 / 2, h > 0: steps are as long as 1 / h_j says.

    Norm: sqrt(sum_j h_j w_j^2), dual norm: sqrt(sum_j v_j^2 / h_j); modulus 1. Any penalty and set.
    Use it where columns have units of their own that are known beforehand.
    Reference: Duchi, Hazan and Singer (2011), section 1.
    """

    diagonal: Vector  # h

    def checked(self):
        """With an array of numbers > 0; refuses others."""
        try:
            h = np.array(self.diagonal, dtype=np.float64)
        except (TypeError, ValueError):
            h = np.empty((0, 0))
        if h.ndim != 1 or h.size == 0 or not np.all((h > 0.0) & np.isfinite(h)):
            raise ValueError("the diagonal of diagonal_quadratic must be finite numbers > 0, one for each column")
        return DiagonalQuadratic(h)

    def column_count(self):
        """How many it is for."""
        return self.diagonal.size

    def value(self, w):
        """sum_j h_j w_j^2 / 2."""
        return 0.5 * self.norm(w) ** 2

    def gradient(self, w, out):
        """h_j w_j."""
        for j in range(w.size):
            out[j] = self.diagonal[j] * w[j]

    def inverse(self, v, out):
        """v_j / h_j."""
        for j in range(v.size):
            out[j] = v[j] / self.diagonal[j]

    def divergence(self, u, w):
        """sum_j h_j (u_j - w_j)^2 / 2."""
        return 0.5 * self.norm(u - w) ** 2

    def minimizer(self, v, step, omega, out):
        """The prox of Omega at -v / h in the metric h / step."""
        for j in range(v.size):
            out[j] = -v[j] / self.diagonal[j]
        omega.prox_scaled(out, self.diagonal / step, out)

    def project(self, constraint, w, out):
        """The point of the set closest to w in the norm."""
        constraint.prox_scaled(w, self.diagonal, out)

    def norm(self, w):
        """sqrt(sum_j h_j w_j^2)."""
        total = 0.0
        for j in range(w.size):
            total += self.diagonal[j] * w[j] * w[j]
        return math.sqrt(total)

    def dual_norm(self, v):
        """sqrt(sum_j v_j^2 / h_j)."""
        total = 0.0
        for j in range(v.size):
            total += v[j] * v[j] / self.diagonal[j]
        return math.sqrt(total)

    def dual_square(self, X, i):
        """sum_j x_ij^2 / h_j."""
        total = 0.0
        for e in range(X.row_size(i)):
            x = X.entry_at(i, e)
            total += x * x / self.diagonal[X.column_at(i, e)]
        return total

    def modulus(self):
        """1."""
        return 1.0

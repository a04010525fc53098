"""No mirror map at all."""

from __future__ import annotations

from typing import NamedTuple


class Flat(NamedTuple):
    """psi = 0: what is left is the leader itself, on a bounded set."""

    scale: float = 1.0  # has no meaning: a tuple must have a field

    def gradient(self, w, out):
        """0."""
        for j in range(w.size):
            out[j] = 0.0

    def divergence(self, u, w):
        """0."""
        return 0.0

    def minimizer(self, v, step, omega, out):
        """The w that minimises <v, w> + step Omega(w)."""
        for j in range(v.size):
            out[j] = -v[j] / step
        omega.maximizer(out, out)

    def dual_square(self, X, i):
        """In no norm: 0."""
        return 0.0

    def modulus(self):
        """0: it promises nothing."""
        return 0.0

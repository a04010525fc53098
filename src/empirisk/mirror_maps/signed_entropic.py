"""The mirror map of the l1 ball: the simplex of all columns and their mirror images."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.compiled import kernel
from empirisk.mirror_maps.entropic import largest_entry, largest_square

EDGE = 2.0**-40  # of the radius: closer to the edge of the ball, a point counts as on it


class SignedEntropic(NamedTuple):
    """The least entropy of pairs w = w+ - w-, w+, w- >= 0, sum_j w+_j + w-_j = radius: for the l1 ball of this radius.

    psi(w) = min sum_j w+_j log(w+_j / radius) + w-_j log(w-_j / radius), the conjugate of
    radius log sum_j 2 cosh(v_j): written with the columns and their negatives side by side it is the entropy of a
    simplex. inverse(v) = radius sinh(v_j) / sum_j cosh(v_j).
    Norm: l1, dual norm: the largest entry; modulus 1 / radius. The set is the l1 ball; no l1 and no l2.
    Reference: Kivinen and Warmuth (1997).
    """

    radius: float = 1.0

    def value(self, w):
        """<v, w> - radius log(2 C), v the gradient, C = sum_j cosh(v_j); on the edge that of the only pair."""
        if is_at_edge(self.radius, w):
            total = 0.0
            for j in range(w.size):
                if w[j] != 0.0:
                    total += abs(w[j]) * math.log(abs(w[j]) / self.radius)
            return total
        C = sum_of_cosines(self.radius, w)
        total = -self.radius * math.log(2.0 * C)
        for j in range(w.size):
            total += w[j] * math.asinh(w[j] / self.radius * C)
        return total

    def gradient(self, w, out):
        """asinh(w_j C / radius), where C = sum_j sqrt(1 + (w_j C / radius)^2); infinite on the edge."""
        C = math.inf if is_at_edge(self.radius, w) else sum_of_cosines(self.radius, w)
        for j in range(w.size):
            out[j] = math.asinh(w[j] / self.radius * C) if w[j] != 0.0 else 0.0

    def inverse(self, v, out):
        """radius sinh(v_j) / sum_j cosh(v_j)."""
        largest, total = largest_entry(v), 0.0
        for j in range(v.size):
            up, down = math.exp(v[j] - largest), math.exp(-v[j] - largest)
            out[j] = up - down
            total += up + down
        for j in range(v.size):
            out[j] *= self.radius / total

    def divergence(self, u, w):
        """psi(u) - psi(w) - <gradient of w, u - w>; from zero at most radius log(2 d)."""
        if is_at_edge(self.radius, w):
            return math.inf
        C = sum_of_cosines(self.radius, w)
        total = self.value(u) - self.value(w)
        for j in range(w.size):
            total -= math.asinh(w[j] / self.radius * C) * (u[j] - w[j])
        return max(total, 0.0)

    def minimizer(self, v, step, omega, out):
        """The inverse at -v, the other way round: there is no penalty, and every point is inside of the ball."""
        self.inverse(v, out)
        for j in range(v.size):
            out[j] = -out[j]

    def project(self, constraint, w, out):
        """w itself: its points are those of the ball."""
        for j in range(w.size):
            out[j] = w[j]

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
        """radius log(2 d), from zero, where it begins."""
        return self.radius * math.log(2.0 * w.size)

    def modulus(self):
        """1 / radius."""
        return 1.0 / self.radius


@kernel
def is_at_edge(radius, w):
    """Whether ||w||_1 is the radius, as far as can be told."""
    total = 0.0
    for j in range(w.size):
        total += abs(w[j])
    return total >= radius * (1.0 - EDGE)


@kernel
def sum_of_cosines(radius, w):
    """C with C = sum_j sqrt(1 + (w_j C / radius)^2): Newton's method, whose steps rise, as the difference is convex."""
    C = float(w.size)
    while True:
        excess, slope = -C, -1.0
        for j in range(w.size):
            share = w[j] / radius
            root = math.sqrt(1.0 + share * C * share * C)
            excess += root
            slope += share * share * C / root
        new = C - excess / slope
        if not new > C * (1.0 + 1e-15):
            return C
        C = new

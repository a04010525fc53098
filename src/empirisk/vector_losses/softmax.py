"""The softmax loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import exp_of_negative
from empirisk.compiled import kernel

MOST_STEPS = 50


class Softmax(NamedTuple):
    """The negative log-likelihood of multinomial logistic regression: scale * (log sum_j exp(z_j) - z_k).

    Adding one number to every score changes nothing.
    Conjugate: scale * sum_j p_j log p_j for p = u / scale + e_k in the simplex, infinite elsewhere.
    Smoothness: scale / 2.
    Use it for more than two classes, when probabilities are wanted.
    Reference: Bishop (2006), section 4.3.4.
    """

    scale: float = 1.0

    def splits(self):
        """No: the classes share the sum."""
        return False

    def smoothness(self):
        """scale / 2."""
        return 0.5 * self.scale

    def value(self, z, k):
        """scale * (log sum_j exp(z_j) - z_k), from the largest score."""
        top, others = _exponentials(z)
        return self.scale * (math.log1p(others) + (top - z[k]))

    def gradient(self, z, k, out):
        """scale * (p - e_k), p_j = exp(z_j) / sum_l exp(z_l); the true class's as minus the sum of the others."""
        best = _largest(z)
        behind = z[best] - z[k]
        _write_exponentials(z, z[best], out)
        # The largest term is 1: it is added last, so that small ones are not lost beside it.
        true = out[k]
        out[k] = 0.0
        rest = 0.0
        if best != k:
            out[best] = 0.0
        for j in range(z.size):
            rest += out[j]
        others = rest  # besides the largest
        wrong = rest  # besides the true class
        if best != k:
            out[best] = 1.0
            others += true
            wrong += 1.0
        factor = self.scale / (1.0 + others)
        for j in range(z.size):
            out[j] *= factor
        out[k] = -factor * wrong
        return self.scale * (math.log1p(others) + behind)

    def curvature(self, z, k, out):
        """The probabilities p_j."""
        best = _largest(z)
        _write_exponentials(z, z[best], out)
        total = 0.0
        for j in range(z.size):
            total += out[j]
        for j in range(z.size):
            out[j] /= total

    def hessian_product(self, c, a, out):
        """scale * (diag(p) - p p^T) a."""
        mean = 0.0
        for j in range(c.size):
            mean += c[j] * a[j]
        for j in range(c.size):
            out[j] = self.scale * c[j] * (a[j] - mean)

    def conjugate(self, u, k):
        """scale * sum_j p_j log p_j, p = u / scale + e_k; infinite outside the simplex (up to the rounding of u)."""
        room = 1e-15 * (u.size + 8)
        total = 0.0
        entropy = 0.0
        for j in range(u.size):
            p = u[j] / self.scale + (1.0 if j == k else 0.0)
            if p < -room:
                return math.inf
            total += p
            if p > 0.0:
                entropy += p * math.log(p)
        return self.scale * entropy if abs(total - 1.0) <= room else math.inf

    def dual_step(self, u, z, k, q):
        """With r = e_k - u / scale and q = q scale: the p in the simplex with log p_j + q p_j = z_j + q r_j - m.

        p_j(m) falls and is convex in m, so Newton's method on sum_j p_j(m) = 1 cannot fail: after one step it is on
        the left of the root and climbs. It starts at log sum exp z, where a row that is at its optimum ends.
        """
        q = q * self.scale
        if q == 0.0:
            self.gradient(z, k, u)
            for j in range(u.size):
                u[j] = -u[j]
            return
        top, others = _exponentials(z)
        m = top + math.log1p(others)
        shift = math.log(q)
        for j in range(u.size):
            u[j] = (1.0 if j == k else 0.0) - u[j] / self.scale
            u[j] = z[j] + q * u[j] + shift  # log y_j + y_j + m for y_j = q p_j
        for _ in range(MOST_STEPS):
            total = 0.0
            slope = 0.0
            for j in range(u.size):
                y = _omega(u[j] - m)
                total += y
                slope += y / (1.0 + y)
            moved = (total - q) / slope if slope > 0.0 else -1.0
            m += moved
            if abs(moved) <= 1e-10 * (1.0 + q):
                break
        total = 0.0
        for j in range(u.size):
            u[j] = _omega(u[j] - m)
            total += u[j]
        others = 0.0
        for j in range(u.size):
            u[j] = -self.scale * (u[j] / total)
            if j != k:
                others -= u[j]
        u[k] = others


@kernel
def _exponentials(z):
    """The largest score, and the sum of exp(z_j - largest) over the others."""
    best = _largest(z)
    others = 0.0
    for j in range(z.size):
        if j != best:
            others += exp_of_negative(z[j] - z[best])
    return z[best], others


@kernel(inlined=True)
def _largest(z):
    best = 0
    for j in range(z.size):
        if z[j] > z[best]:
            best = j
    return best


@kernel(inlined=True)
def _write_exponentials(z, top, out):
    for j in range(z.size):
        out[j] = exp_of_negative(z[j] - top)


@kernel
def _omega(x):
    """The y with y + log y = x, Wright's omega, to about 1e-8 (Lawrence, Corless and Jeffrey, 2012)."""
    if x < -4.0:
        e = math.exp(x)
        return e * (1.0 - e * (1.0 - e * (1.5 - e * (8.0 / 3.0 - e * (125.0 / 24.0)))))
    if x > 1e9:
        return x - math.log(x)
    e = math.exp(min(x, 1.0))
    y = x - math.log(x) if x > 2.0 else e / (1.0 + 0.6 * e)
    for _ in range(2):
        r = x - y - math.log(y)
        t = (1.0 + y) * (1.0 + y + 2.0 / 3.0 * r)
        y *= 1.0 + r / (1.0 + y) * (t - 0.5 * r) / (t - r)
    return y

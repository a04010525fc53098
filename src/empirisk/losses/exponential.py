"""The exponential loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import LARGEST_EXPONENT
from empirisk.losses.log_equation import solve_log_equation


class Exponential(NamedTuple):
    """The loss of AdaBoost: scale * exp(-y z), y = -1 or +1.

    Conjugate: scale * (p log p - p) for p = -u y / scale >= 0, infinite elsewhere.
    Smoothness: none, the second derivative grows without bound.
    Use it to compare with boosting; a wrong label pulls with exponential force, so logistic is the safer choice.
    Reference: Freund and Schapire (1997); Friedman, Hastie and Tibshirani (2000).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def recedes(self):
        """Falls forever as y z grows."""
        return True

    def value(self, z, y):
        """scale * exp(-y z), infinite where that overflows."""
        m = y * z
        return self.scale * math.exp(-m) if m >= -LARGEST_EXPONENT else math.inf

    def derivative(self, z, y):
        """-scale * y * exp(-y z)."""
        return -y * self.value(z, y)

    def second_derivative(self, z, y):
        """scale * exp(-y z)."""
        return self.value(z, y)

    def conjugate(self, u, y):
        """scale * (p log p - p) for p = -u y / scale >= 0, else infinite."""
        p = float(-u * y / self.scale)
        if p < 0.0:
            return math.inf
        return self.scale * (p * (math.log(p) - 1.0)) if p > 0.0 else 0.0

    def dual_step(self, u, z, y, q):
        """The p with log p + m + q scale (p - p_0) = 0."""
        q = q * self.scale
        return float(self.scale * y) * solve_log_equation(q * (u * y / self.scale) - y * z, q)

    def prox(self, z, y, step):
        """z + step t with the dual step t from u = 0."""
        return z + step * self.dual_step(0.0, z, y, step)

    def probability(self, z):
        """1 / (1 + exp(-2 z)): the best score of the exponential loss is half the log-odds of label +1."""
        e = math.exp(-2.0 * abs(z))
        return (1.0 if z > 0.0 else e) / (1.0 + e)

"""The Poisson loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.losses.limits import LARGEST_EXPONENT
from empirisk.losses.log_equation import exponential_remainder, solve_log_equation


class Poisson(NamedTuple):
    """Half the deviance of counts with mean exp(z): scale * (exp(z) - y - y (z - log y)), y >= 0.

    The negative log-likelihood exp(z) - y z up to a constant of the label, which makes its least value 0, at
    z = log y. Predictions are `mean(z)`, exp(z), on the scale of the labels.
    Conjugate: scale * (p log p - p - y log y + y) for p = u / scale + y >= 0, infinite elsewhere.
    Smoothness: none, the second derivative grows without bound.
    Use it for counts and other labels >= 0 whose mean is a product of factors, each with its own effect.
    Reference: Nelder and Wedderburn (1972).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("regression",)

    def accepts(self, y):
        """No negative labels."""
        return y >= 0.0

    def labels(self):
        """What `accepts` accepts."""
        return "numbers >= 0"

    def mean(self, z):
        """exp(z), the expected label at score z; infinite where that overflows."""
        return math.exp(z) if z <= LARGEST_EXPONENT else math.inf

    def value(self, z, y):
        """scale * y * (exp(t) - 1 - t) with t = z - log y; scale * exp(z) for y = 0."""
        if z > LARGEST_EXPONENT:
            return math.inf
        if y == 0.0:
            return self.scale * math.exp(z)
        t = z - math.log(y)
        if abs(t) < 0.5:
            return self.scale * y * exponential_remainder(t)
        return self.scale * (float(math.exp(z) - y) - y * t)

    def derivative(self, z, y):
        """scale * (exp(z) - y)."""
        return self.scale * (self.mean(z) - y)

    def second_derivative(self, z, y):
        """scale * exp(z)."""
        return self.scale * self.mean(z)

    def conjugate(self, u, y):
        """scale * (p log p - p - y log y + y) for p = u / scale + y >= 0, else infinite."""
        if u < -(self.scale * y):  # as derivatives round; p may be off by a unit in the last place
            return math.inf
        p = float(u / self.scale + y)
        x = float(u) / float(self.scale * y) if y > 0.0 else math.inf
        if abs(x) < 0.5:  # near the least value, where the formula cancels
            return self.scale * (p * math.log1p(x)) + u * (math.log(y) - 1.0)
        constant = y - y * math.log(y) if y > 0.0 else 0.0
        return self.scale * ((p * (math.log(p) - 1.0) if p > 0.0 else 0.0) + constant)

    def dual_step(self, u, z, y, q):
        """scale (y - p) with log p + q scale p = z + q (scale y - u)."""
        p = solve_log_equation(z + q * (self.scale * y - u), q * self.scale)
        return self.scale * float(y - p)

    def prox(self, z, y, step):
        """log p with log p + q p = z + q y, where q = scale step: of the two forms the one that does not cancel."""
        q = step * self.scale
        p = solve_log_equation(z + q * y, q)
        return float(math.log(p)) if q * p > 1.0 else float(z + q * (y - p))

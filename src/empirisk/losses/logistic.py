"""The logistic loss."""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.arithmetic import exp_of_negative, log1p_of_fraction, log_of_positive

NEAR = 0.03  # a step of Halley's method whose end four terms of sigma's series give to ten digits: they leave d^5 / 120
NOTHING = 1e-300  # p log p is less than rounding there
FLAT = 4.0  # q sigma' is at most one up to here: the equation is closer to t + m = 0 than to sigma(t) = p


class Logistic(NamedTuple):
    """The negative log-likelihood of logistic regression: scale * log(1 + exp(-y z)), y = -1 or +1.

    Conjugate: scale * (p log p + (1 - p) log(1 - p)) for p = -u y / scale in [0, 1], infinite elsewhere.
    Smoothness: scale / 4.
    Use it when probabilities are wanted: it is a likelihood. The default for classification.
    Reference: Cox (1958).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def recedes(self):
        """Falls forever as y z grows."""
        return True

    def value(self, z, y):
        """scale * log(1 + exp(-y z))."""
        m = y * z
        return self.scale * (log1p_of_fraction(exp_of_negative(-abs(m))) + max(-m, 0.0))

    def derivative(self, z, y):
        """-scale * y / (1 + exp(y z))."""
        m = y * z
        e = exp_of_negative(-abs(m))
        return -self.scale * y * ((e if m > 0.0 else 1.0) / (1.0 + e))

    def second_derivative(self, z, y):
        """scale * p (1 - p)."""
        e = exp_of_negative(-abs(z))
        return self.scale * e / ((1.0 + e) * (1.0 + e))

    def smoothness(self):
        """scale / 4."""
        return 0.25 * self.scale

    def conjugate(self, u, y):
        """scale * (p log p + (1 - p) log(1 - p)), p = -u y / scale; infinite outside [0, 1]."""
        p = -u * y / self.scale
        if p < 0.0 or p > 1.0:
            return math.inf
        less = min(p, 1.0 - p)
        odds = less / (1.0 - less)
        return self.scale * (less * log_of_positive(max(odds, NOTHING)) - log1p_of_fraction(odds))

    def dual_step(self, u, z, y, q):
        """sigma(t) with the log-odds t that solve t + m + q scale (sigma(t) - p) = 0."""
        return self.scale * y * self.log_odds(u * y / self.scale, y * z, q * self.scale)[1]

    def prox(self, z, y, step):
        """-y t with the log-odds t that solve t + m + step scale sigma(t) = 0."""
        return -y * self.log_odds(0.0, y * z, step * self.scale)[0]

    def log_odds(self, p, m, q):
        """The t with t + m + q (sigma(t) - p) = 0, and sigma(t), by Halley's method inside a bracket.

        After a step that is NEAR, sigma is its series there, of which a root takes no further exponential. It starts at
        -m where q is small, so that sigma bends the equation little, at the log-odds of p where they say enough, and
        where p is 0 or 1 at about the root of t + m + q exp(t) or its mirror image (Winitzki 2003).
        """
        low = -m - q * (1.0 - p)
        high = -m + q * p
        t = -m
        if q > FLAT:
            if p > NOTHING and 1.0 - p > NOTHING:
                t = log_of_positive(p / (1.0 - p))
            else:
                side = 1.0 if p < 0.5 else -1.0
                rise = -side * m
                small = exp_of_negative(-abs(rise))
                grown = rise + math.log(q + small) if rise > 0.0 else math.log1p(q * small)  # log(1 + q exp(rise))
                t = -m - side * grown * (1.0 - math.log1p(grown) / (2.0 + grown))
            t = min(max(t, low), high)
        last = math.inf
        sigma = p
        for _ in range(100):
            e = exp_of_negative(-abs(t))
            sigma = (1.0 if t > 0.0 else e) / (1.0 + e)
            spread = sigma * (1.0 - sigma)
            lean = 1.0 - 2.0 * sigma
            residual = t + m + q * (sigma - p)
            if residual > 0.0:
                high = t
            else:
                low = t
            slope = 1.0 + q * spread
            turn = 0.5 * residual * q * spread * lean
            square = slope * slope
            if square < math.inf:
                moved = -residual * slope / (square - turn if abs(turn) < 0.5 * square else square)
            else:
                moved = -residual / slope  # Newton's, whose numbers are no larger than those of the equation
            near = NEAR
            # The method can jump to and fro between the flat ends of sigma: then halve the bracket.
            if not low <= t + moved <= high or abs(residual) > 0.5 * last:
                moved = 0.5 * (low + high) - t
                near = 1e-12 * (1.0 + abs(t))
            last = abs(residual)
            if abs(moved) <= near:
                second, third, fourth = lean / 2.0, (1.0 - 6.0 * spread) / 6.0, lean * (1.0 - 12.0 * spread) / 24.0
                mean = 1.0 + moved * (second + moved * (third + moved * fourth))
                bend = 1.0 + moved * (2.0 * second + moved * (3.0 * third + moved * 4.0 * fourth))
                moved -= (residual + moved * (1.0 + q * spread * mean)) / (1.0 + q * spread * bend)
                sigma += spread * moved * (1.0 + moved * (second + moved * (third + moved * fourth)))
                return t + moved, min(max(sigma, 0.0), 1.0)
            t += moved
        return t, sigma

    def probability(self, z):
        """The chance of label +1 at score z."""
        e = math.exp(-abs(z))
        return (1.0 if z > 0.0 else e) / (1.0 + e)

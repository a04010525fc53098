"""Exponentials with care: the equation log p + q p = c, to which prox and dual steps come down, and exp(t) - 1 - t."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.losses.limits import LARGEST_EXPONENT


@kernel(exact=True)
def solve_log_equation(c, q):
    """The p > 0 with log p + q p = c, for q >= 0; at most exp(709).

    w = q p solves w + log w = a with a = c + log q (Wright's omega function). Newton's method on this concave
    function rises to the root from any start below it: a - log a for a > 1, and for a <= 1 a start at most exp(a),
    from which the first step stays positive and lands below. Reference: Corless and Jeffrey (2002).
    """
    a = c + math.log(q) if q > 0.0 else -math.inf
    if a < -37.0:  # then w < 1e-16 moves log p by less than rounding
        return math.exp(min(c, LARGEST_EXPONENT))
    w = a - math.log(a) if a > 1.0 else math.exp(a) / (1.0 + math.exp(a))
    for _ in range(50):
        new = w * ((1.0 + a - math.log(w)) / (1.0 + w))
        moved = abs(new - w)
        w = new
        if moved <= 4e-16 * w:
            break
    return w / q


@kernel(exact=True)
def exponential_remainder(t):
    """exp(t) - 1 - t for |t| < 1/2, by its series: the difference would cancel."""
    total = 1.0
    for k in range(18, 2, -1):
        total = 1.0 + t / k * total
    return 0.5 * t * t * total

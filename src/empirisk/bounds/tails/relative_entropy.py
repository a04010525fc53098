"""The relative entropy of two coins and its inverses.

kl(q, p) = q ln(q/p) + (1 - q) ln((1 - q)/(1 - p)) is convex in p with the derivative (p - q) / (p (1 - p)), so Newton's
method from the outer side stays there. An end is moved outward until kl, less its rounding, has reached what was asked.
Reference: Seeger (2002); Langford (2005).
"""

from __future__ import annotations

import math

from empirisk.bounds.tails.factorials import LEAST, STEP, deviance
from empirisk.compiled import kernel
from empirisk.parameters import check_positive, is_number


def kl(q: float, p: float) -> float:
    """kl(q, p) in nats; infinite where p is 0 or 1 and q is not."""
    q, p = _check_probability("q", q), _check_probability("p", p)
    if p in (0.0, 1.0):
        return 0.0 if q == p else math.inf
    return float(relative_entropy(q, p)[0])


def kl_upper(q: float, c: float) -> float:
    """The largest p with kl(q, p) <= c, rounded up."""
    return float(kl_end(_check_probability("q", q), check_positive("c", c, allows_zero=True), 1))


def kl_lower(q: float, c: float) -> float:
    """The least p with kl(q, p) <= c, rounded down."""
    return float(kl_end(_check_probability("q", q), check_positive("c", c, allows_zero=True), -1))


def _check_probability(name: str, value: object) -> float:
    said = f"{name} must be a number from 0 to 1, got {value!r}"
    if not is_number(value):
        raise TypeError(said)
    if not 0.0 <= value <= 1.0:
        raise ValueError(said)
    return float(value)


@kernel(exact=True)
def kl_end(q, c, side):
    """The largest (side 1) or least (side -1) p with kl(q, p) <= c, rounded outward: for kernels."""
    limit = 1.0 if side > 0 else 0.0
    if q == limit or c == 0.0:
        return q
    # Pinsker, and kl(q, p) >= -H(q) - (1 - q) ln(1 - p): both are outside of the end that is sought.
    entropy = -(q * math.log(q) + (1.0 - q) * math.log1p(-q)) if 0.0 < q < 1.0 else 0.0
    if side > 0:
        x = max(2.0 * LEAST, min(q + math.sqrt(0.5 * c), -math.expm1(-(c + entropy) / (1.0 - q))))
    else:
        x = max(q - math.sqrt(0.5 * c), math.exp(-(c + entropy) / q))
    x = min(x, 1.0 - 0.5 * STEP)
    found = limit
    for _ in range(100):
        if not LEAST < x < 1.0:
            break
        value, allowance = relative_entropy(q, x)
        slope = side * (x - q) / (x * (1.0 - x))
        if not slope > 0.0:
            x += side * STEP * x
            continue
        step = (value - allowance - c) / slope
        if value - allowance >= c:
            found = x
            if step <= 0.5 * allowance / slope + 4.0 * STEP * x:
                break
            x -= side * step
        else:
            x += side * (-step + STEP * x)
    return found


@kernel(exact=True)
def relative_entropy(q, p):
    """kl(q, p) for 0 < p < 1, and the most by which rounding can have changed it."""
    value = deviance(q, p) + deviance(1.0 - q, 1.0 - p)
    return value, STEP * (17.0 * value + 2.0 * abs(p - q))

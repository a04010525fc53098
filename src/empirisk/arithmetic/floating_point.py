"""Floating point with care: sums that do not drift, norms that do not overflow."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel

UNIT = 2.0**-53  # unit roundoff of float64
SMALLEST = 2.0**-1074  # the smallest number above zero: a product that underflows is off by half of it at most
TINY = 2.0**-1022  # the smallest normal number: UNIT * (|x y| + TINY) bounds the rounding of any product x y
ROUNDS = 1.5 * 2.0**52  # adding it rounds a number to an integer
HALF_ROOT = np.int64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)


@kernel(exact=True)
def add_compensated(total, rest, term):
    """One step of Neumaier's sum: the sum so far is total + rest."""
    new = total + term
    if math.isinf(new):
        return new, 0.0
    rest += (total - new) + term if abs(total) >= abs(term) else (term - new) + total
    return new, rest


def exact_sum(parts: Iterable[float]) -> float:
    """Exactly rounded; infinite or nan where a part is (fsum would raise)."""
    values = list(parts)
    if len(values) == 1:
        return float(values[0])
    return math.fsum(values) if all(map(math.isfinite, values)) else float(sum(values))


def norm(x: NDArray[np.float64]) -> float:
    """||x||, scaled so that the squares neither overflow nor vanish."""
    largest = float(np.max(np.abs(x)))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    return float(largest * np.sqrt(np.sum((x / largest) ** 2)))


@kernel(exact=True, fused=True)
def soft_threshold(x, by):
    """x moved towards zero by so much, and not beyond."""
    return math.copysign(max(0.0, abs(x) - by), x)


@kernel(exact=True, fused=True)
def exp_of_negative(x):
    """exp(x) for x <= 0 to 4 units in the last place; 0 below -708. A loop over it runs on vectors.

    x = k log 2 + r with |r| <= log(2) / 2: the series in r, by fours, so that its terms do not wait for each
    other, times a power of two made from the bits of k. Adding
    1.5 * 2^52 rounds to an integer and leaves it in the low bits. Reassociation would undo that, hence exact.
    """
    is_zero = x < -708.0
    x = -708.0 if is_zero else x
    shifted = x * 1.4426950408889634 + ROUNDS
    k = shifted - ROUNDS
    r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    s = r * r
    q = s * s
    low = (1.0 + r) + s * (1.0 / 2.0 + r * (1.0 / 6.0))
    middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + s * (1.0 / 720.0 + r * (1.0 / 5040.0))
    high = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + s * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
    total = low + q * (middle + q * (high + q * (1.0 / 479001600.0)))
    bits = np.int64(np.float64(shifted).view(np.int64) + np.int64(1023))
    power = np.int64(bits << np.int64(52)).view(np.float64)
    return 0.0 if is_zero else total * power


@kernel(exact=True, fused=True)
def log1p_of_fraction(e):
    """log(1 + e) for 0 <= e <= 1 to 6 units in the last place. A loop over it runs on vectors.

    2 artanh(r) with r = e / (2 + e) <= 1/3: the series in t = r^2.
    """
    r = e / (2.0 + e)
    t = r * r
    t2 = t * t
    t4 = t2 * t2
    t8 = t4 * t4
    first = (1.0 + t * (1.0 / 3.0)) + t2 * (1.0 / 5.0 + t * (1.0 / 7.0))
    second = (1.0 / 9.0 + t * (1.0 / 11.0)) + t2 * (1.0 / 13.0 + t * (1.0 / 15.0))
    third = (1.0 / 17.0 + t * (1.0 / 19.0)) + t2 * (1.0 / 21.0 + t * (1.0 / 23.0))
    fourth = (1.0 / 25.0 + t * (1.0 / 27.0)) + t2 * (1.0 / 29.0 + t * (1.0 / 31.0))
    return 2.0 * r * ((first + t4 * second) + t8 * ((third + t4 * fourth) + t8 * (1.0 / 33.0)))


@kernel(exact=True, fused=True)
def log_of_positive(x):
    """log(x) for a normal x > 0 to 6 units in the last place. A loop over it runs on vectors.

    x = 2^k m with sqrt(1/2) <= m < sqrt(2), by the bits of x; log(m) = 2 artanh(r) with r = (m - 1) / (m + 1) < 0.172.
    """
    bits = np.float64(x).view(np.int64)
    k = np.int64(np.int64(bits - HALF_ROOT) >> np.int64(52))
    m = np.int64(bits - np.int64(k << np.int64(52))).view(np.float64)
    r = (m - 1.0) / (m + 1.0)
    t = r * r
    t2 = t * t
    t4 = t2 * t2
    first = (1.0 + t * (1.0 / 3.0)) + t2 * (1.0 / 5.0 + t * (1.0 / 7.0))
    second = (1.0 / 9.0 + t * (1.0 / 11.0)) + t2 * (1.0 / 13.0 + t * (1.0 / 15.0))
    third = (1.0 / 17.0 + t * (1.0 / 19.0)) + t2 * (1.0 / 21.0)
    return k * 0.6931471803691238 + (2.0 * r * (first + t4 * (second + t4 * third)) + k * 1.9082149292705877e-10)

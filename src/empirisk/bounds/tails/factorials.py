"""Logarithms of factorials and of what is made of them, without the cancellation that lgamma brings at a million rows.

ln n! = (n + 1/2) ln n - n + ln(2 pi) / 2 + s(n) with s(n) = 1/(12 n) - 1/(360 n^3) + ...; in a quotient of factorials
the large parts become deviances a ln(a/b) + b - a >= 0, which are computed as such.
Reference: Loader (2000), Fast and accurate computation of binomial probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.compiled import kernel
from empirisk.parameters import check_count

STEP = 2.0**-52  # from 1.0 to the next double: twice the unit roundoff
LEAST = 2.0**-1000  # ends are looked for above it, where nothing underflows
# s(0) (of no use, 0), s(1), ..., s(15); beyond, five terms of the series leave less than a unit roundoff.
STIRLING = np.array(
    [
        0.0,
        0.08106146679532726,
        0.0413406959554093,
        0.02767792568499834,
        0.020790672103765093,
        0.016644691189821193,
        0.013876128823070748,
        0.01189670994589177,
        0.010411265261972096,
        0.009255462182712733,
        0.00833056343336287,
        0.007573675487951841,
        0.00694284010720953,
        0.006408994188004207,
        0.0059513701127588475,
        0.005554733551962801,
    ]
)
LOG_TWO_PI = 1.8378770664093453


def log_choose(n: int, k: int) -> float:
    """ln C(n, k), rounded up."""
    n, k = check_count("n", n, 0), check_count("k", k, 0)
    if k > n:
        raise ValueError(f"k must be at most n = {n}, got {k}")
    return float(log_choose_kernel(n, k))


@kernel(exact=True)
def log_choose_kernel(n, k):
    """ln C(n, k) for 0 <= k <= n, rounded up."""
    if k == 0 or k == n:
        return 0.0
    rest = n - k
    large = k * math.log(n / k) + rest * math.log1p(k / rest)
    small = log_shape(k, n)
    return large + small + STEP * (4.0 * large + 16.0)


@kernel(exact=True)
def log_shape(k, n):
    """ln of C(n, k) (k/n)^k (1 - k/n)^(n - k) for 0 < k < n, to 16 steps of 2^-52: every log in it is below 40."""
    rest = n - k
    return stirling_error(n) - stirling_error(k) - stirling_error(rest) + 0.5 * (math.log(n / k / rest) - LOG_TWO_PI)


@kernel(exact=True)
def stirling_error(n):
    """s(n) of a whole number n >= 1."""
    if n < 16:
        return STIRLING[int(n)]
    r = 1.0 / n
    s = r * r
    return r * (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0))))


@kernel(exact=True)
def deviance(a, b):
    """a ln(a/b) + b - a >= 0 for a >= 0, b > 0, to 16 steps of 2^-52, relative."""
    if a == 0.0:
        return b
    v = (a - b) / (a + b)
    if abs(v) >= 0.25:
        return a * math.log(a / b) + (b - a)
    total = (a - b) * v  # Loader's series: nothing cancels where a is near b
    term = 2.0 * a * v
    square = v * v
    for j in range(3, 60, 2):
        term *= square
        longer = total + term / j
        if longer == total:
            break
        total = longer
    return total

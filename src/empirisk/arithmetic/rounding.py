"""Outward rounding: numbers that are surely not above, or not below, the exact ones."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np

from empirisk.arithmetic.floating_point import TINY, UNIT
from empirisk.protocols import Vector

LARGEST = sys.float_info.max


def rounded_down(x: Fraction) -> float:
    """The largest double that is not above x."""
    nearest = _nearest(x)
    return nearest if nearest <= x else math.nextafter(nearest, -math.inf)


def rounded_up(x: Fraction) -> float:
    """The smallest double that is not below x; infinity above the largest."""
    return -rounded_down(-x) + 0.0  # 0.0, not -0.0


def norm_bounds(x: Vector, room: float) -> tuple[float, float]:
    """Lower and upper bound of ||x||, without overflow; `room` is a factor on what rounding may change."""
    largest = float(np.max(np.abs(x), initial=0.0))
    if largest == 0.0 or not math.isfinite(largest):
        return largest, largest
    exponent = math.frexp(largest)[1]
    scaled = np.ldexp(x, -exponent)
    size = math.sqrt(math.fsum((scaled * scaled).tolist()))  # in [1/2, sqrt(d)]
    off = room * 4.0 * UNIT + x.size * 2.0**-1000
    try:
        low, high = math.ldexp(size * (1.0 - off), exponent), math.ldexp(size * (1.0 + off), exponent)
    except OverflowError:
        return math.ldexp(0.5, exponent), math.inf
    if high >= TINY:
        return low, high
    # Among subnormal numbers the power of two rounds, and to the nearest: outwards where that is the wrong way.
    square = sum(Fraction(value) ** 2 for value in x.tolist())
    low = math.nextafter(low, 0.0) if Fraction(low) ** 2 > square else low
    return low, math.nextafter(high, math.inf) if Fraction(high) ** 2 < square else high


def _nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return LARGEST if x > 0 else -math.inf

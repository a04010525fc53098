"""Products of floats as two floats without rounding, so that a sum of them is rounded once.

References: Dekker (1971); Shewchuk (1997). What underflows is lost: less than 2^-1060 of a product.
"""

from __future__ import annotations

import numpy as np

from empirisk.protocols import Vector

SPLIT = 2.0**27 + 1.0
SAFE = 2.0**990  # beyond, a split overflows
UNDERFLOW = 2.0**-1060  # more than what is lost of a product that underflows


def exact_products(x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """x y rounded, and what rounding took; nothing of use where an entry is SAFE or more, or a product overflows."""
    with np.errstate(all="ignore"):
        high_x, low_x = _split(x)
        high_y, low_y = _split(y)
        product = x * y
        error = ((high_x * high_y - product) + high_x * low_y + low_x * high_y) + low_x * low_y
    return product, error


def _split(x: Vector) -> tuple[Vector, Vector]:
    shifted = SPLIT * x
    high = shifted - (shifted - x)
    return high, x - high

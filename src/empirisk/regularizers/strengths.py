"""The check of a strength, which the regularizers share."""

from __future__ import annotations

import math
import numbers


def strength(name: str, value: object) -> float:
    """A finite strength >= 0 as a float (an integer field would compile every kernel again)."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number >= 0, got {value!r}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r:.100}")
    return number

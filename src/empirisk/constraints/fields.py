"""The numbers among the fields of a constraint."""

from __future__ import annotations

import math
import numbers
from typing import Any

from empirisk.capabilities import name_of


def number_of(constraint: Any, key: str) -> float:
    """This field as a float: an integer would compile every kernel again."""
    value = getattr(constraint, key)
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise ValueError(f"parameter {key!r} of constraint {name_of(constraint)!r} must be a number, got {value!r}")
    return float(value)

"""Floating point with care, exact arithmetic, and outward rounding: numbers and arrays, whatever they mean."""

from __future__ import annotations

from empirisk.arithmetic.floating_point import (
    SMALLEST,
    TINY,
    UNIT,
    add_compensated,
    exact_sum,
    exp_of_negative,
    log1p_of_fraction,
    log_of_positive,
    norm,
    soft_threshold,
)
from empirisk.arithmetic.rounding import norm_bounds, rounded_down, rounded_up

__all__ = [
    "SMALLEST",
    "TINY",
    "UNIT",
    "add_compensated",
    "exact_sum",
    "exp_of_negative",
    "log1p_of_fraction",
    "log_of_positive",
    "norm",
    "norm_bounds",
    "rounded_down",
    "rounded_up",
    "soft_threshold",
]

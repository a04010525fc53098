"""Axes: from values to places, and ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from empirisk.report.markup import number

DRAWABLE = 1e150  # beyond this, and below its inverse, differences and logarithms leave the floats
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Tick(NamedTuple):
    """A value on an axis and what is written there."""

    value: float
    label: str


class Axis(NamedTuple):
    """An interval, linear or logarithmic, and its ticks."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    is_log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high end."""
        if self.is_log:
            return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear_axis(values: Sequence[float], about: int = 5, from_zero: bool = False) -> Axis:
    """An axis over all values that ends at round numbers."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if not high - low > 1e-7 * max(abs(low), abs(high)):
        room = 0.5 * abs(high) or 1.0
        low, high = (0.0, 1.0) if high == 0.0 and from_zero else (low - room, high + room)
    step = round_step((high - low) / about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(Tick(k * step, _tick_label(k * step, step)) for k in range(first, last + 1))
    return Axis(first * step, last * step, ticks)


def log_axis(values: Sequence[float], about: int = 6) -> Axis:
    """An axis over all values (positive) that ends at powers of ten."""
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    if first == last:
        first, last = first - 1, last + 1
    # No further than the floats go.
    first, last = max(first, -307), min(last, 308)
    every = math.ceil((last - first) / about)
    ticks = tuple(Tick(10.0**k, "10" + str(k).translate(SUPERSCRIPTS)) for k in range(first, last + 1, every))
    return Axis(10.0**first, 10.0**last, ticks, is_log=True)


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least this large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(f * power for f in (1.0, 2.0, 5.0, 10.0) if f * power >= least * (1.0 - 1e-9))


def _tick_label(value: float, step: float) -> str:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(value) >= 1e9 or (value != 0.0 and decimals > 8):
        return number(value, math.floor(math.log10(abs(value))) - math.floor(math.log10(step)) + 1)
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 10.0 * size or (abs(value) >= size and step >= 0.1 * size):
            return f"{value / size:.10g}{letter}".replace("-", "\u2212")
    return f"{value + 0.0:.{decimals}f}".replace("-", "\u2212")

"""A number that was measured on rows, and the interval in which the true one is likely to lie.

Every interval is for rows drawn independently from one population. None of them is given for rows of unequal weights:
what a weight means (copies, a correction of the sampling, importance) decides what would be right.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.bounds.tails import binomial_interval
from empirisk.protocols import Vector

UNEQUAL = "no interval: the rows have unequal weights"
LEVEL = 0.95


class Interval(NamedTuple):
    """From `low` to `high`; made by a method that covers the true value in a share of about `level` of all samples."""

    low: float
    high: float
    level: float
    method: str

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return self._asdict()


class Measure(NamedTuple):
    """A value, its interval (None where there is none that is right), and what a reader must know of it."""

    value: float  # nan where the rows do not determine it
    interval: Interval | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts; None for a value that is not finite, which the note explains."""
        interval = None if self.interval is None else self.interval.to_json()
        return {"value": self.value if math.isfinite(self.value) else None, "interval": interval, "note": self.note}


def unknown(note: str) -> Measure:
    """A value that these rows, or this model, do not give."""
    return Measure(math.nan, None, note)


def proportion(part: float, whole: float, level: float, counted: bool) -> Measure:
    """part / whole; where both are counts, with the interval of Clopper and Pearson (1934), which never covers less.

    low is the p at which `part` or more of `whole` have the chance (1 - level) / 2, high that for `part` or fewer:
    rounded outward, as the bounds on future errors are.
    """
    if whole <= 0.0:
        return unknown("no row to count")
    if not counted:
        return Measure(part / whole, None, UNEQUAL)
    low, high = binomial_interval(round(part), round(whole), 1.0 - level)
    return Measure(part / whole, Interval(low, high, level, "Clopper-Pearson"))


def complement(measure: Measure) -> Measure:
    """One minus it."""
    interval = measure.interval
    if interval is not None:
        interval = interval._replace(low=1.0 - interval.high, high=1.0 - interval.low)
    return Measure(1.0 - measure.value, interval, measure.note)


def f_measure(both: float, either: float, level: float, counted: bool) -> Measure:
    """F1 = 2 J / (1 + J) for J = both / either: rows that are and are called so, of those that are or are called so.

    Of `either` such rows, the number of `both` is binomial with the true J. F1 rises with J: the ends of the interval
    of J become those of F1.
    """
    share = proportion(both, either, level, counted)
    interval = share.interval
    if interval is not None:
        said = "Clopper-Pearson, of TP / (TP + FP + FN)"
        interval = Interval(_f_of(interval.low), _f_of(interval.high), level, said)
    return Measure(_f_of(share.value), interval, share.note)


def _f_of(share: float) -> float:
    return 2.0 * share / (1.0 + share)


def mean_of_independent(parts: list[Measure], level: float) -> Measure:
    """The mean of measures of different rows; low = mean - sqrt(sum (value - low)^2) / K, high likewise.

    Reference: Zou, Huang and Zhang (2009), the method of variance estimates recovery (MOVER).
    """
    mean = sum(part.value for part in parts) / len(parts)
    intervals = [part.interval for part in parts]
    if any(interval is None for interval in intervals):
        return Measure(mean, None, next(part.note for part in parts if part.interval is None))
    below = math.hypot(*(p.value - i.low for p, i in zip(parts, intervals, strict=True) if i is not None))
    above = math.hypot(*(i.high - p.value for p, i in zip(parts, intervals, strict=True) if i is not None))
    low, high = max(0.0, mean - below / len(parts)), min(1.0, mean + above / len(parts))
    return Measure(mean, Interval(low, high, level, "MOVER of Clopper-Pearson"))


def mean_of_dependent(parts: list[Measure], level: float, over: str) -> Measure:
    """The mean of measures of the same rows, from the mean of the lower ends of their intervals to that of the upper.

    The deviation of a mean is at most the mean of the deviations, however the parts depend on each other: MOVER (see
    `mean_of_independent`) with parts that move together. What is unknown of one is unknown of the mean.
    """
    mean = sum(part.value for part in parts) / len(parts)
    intervals = [part.interval for part in parts if part.interval is not None]
    if len(intervals) < len(parts):
        return Measure(mean, None, next(part.note for part in parts if part.interval is None))
    low, high = (sum(ends) / len(parts) for ends in ([i.low for i in intervals], [i.high for i in intervals]))
    return Measure(mean, Interval(low, high, level, f"mean over {over} of {intervals[0].method}"))


def mean_of(values: Vector, weights: Vector | None, level: float) -> Measure:
    """The mean, with Student's interval mean +- t s / sqrt(n): close for many rows, by the central limit theorem."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.average(values, weights=weights))
        if not math.isfinite(mean):
            return Measure(math.inf, None, "infinite: a row was given no chance, or its error overflows")
        if weights is not None:
            return Measure(mean, None, UNEQUAL)
        if values.size == 1:
            return Measure(mean, None, "no interval: one row")
        half = student(level, values.size) * float(np.std(values, ddof=1)) / math.sqrt(values.size)
    if not math.isfinite(half):
        return Measure(mean, None, "no interval: the squares overflow")
    return Measure(mean, Interval(mean - half, mean + half, level, "Student"))


def at_least_zero(measure: Measure) -> Measure:
    """The same of what cannot be negative."""
    interval = measure.interval
    return measure if interval is None else measure._replace(interval=interval._replace(low=max(0.0, interval.low)))


def student(level: float, n: int) -> float:
    """The quantile t of the middle `level` of Student's distribution with n - 1 degrees of freedom."""
    return float(special.stdtrit(n - 1, (1.0 + level) / 2.0))


def normal(level: float) -> float:
    """The quantile of the middle `level` of the normal distribution."""
    return float(special.ndtri((1.0 + level) / 2.0))


def on_logit_scale(value: float, deviation: float, level: float, method: str) -> Interval:
    """The ends of logit(value) +- z deviation / (value (1 - value)), carried back: inside (0, 1); 0 < value < 1."""
    half = normal(level) * deviation / (value * (1.0 - value))
    middle = float(special.logit(value))
    return Interval(float(special.expit(middle - half)), float(special.expit(middle + half)), level, method)


def as_counts(table: NDArray[np.float64], counted: bool) -> NDArray[Any]:
    """Whole numbers where rows were counted."""
    return np.rint(table).astype(np.int64) if counted else table

"""How well scores rank one class above the others: the ROC and the precision-recall curve, and the areas below."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.evaluation.measures import UNEQUAL, Interval, Measure, normal, on_logit_scale, unknown
from empirisk.protocols import Vector

Mask = NDArray[np.bool_]
DELONG = "DeLong, on the logit scale"
HALVINGS = 60  # of the unit interval: to the last digit


class Curve(NamedTuple):
    """What lies above each threshold, the largest score first; equal scores are passed at once."""

    hits: Vector  # the weight of the positive rows with such a score or a larger one, from 0 on
    alarms: Vector  # that of the negative ones

    @property
    def true_positive_rates(self) -> Vector:
        """Of the positive rows."""
        return self.hits / self.hits[-1]

    @property
    def false_positive_rates(self) -> Vector:
        """Of the negative rows."""
        return self.alarms / self.alarms[-1]


def curve_of(scores: Vector, is_positive: Mask, weights: Vector | None) -> Curve:
    """The counts behind both curves."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    sizes = np.ones(scores.size) if weights is None else weights[order]
    last = np.append(np.flatnonzero(np.diff(sorted_scores)), scores.size - 1)  # of each group of equal scores
    hits, alarms = (np.cumsum(np.where(rows, sizes, 0.0))[last] for rows in (is_positive[order], ~is_positive[order]))
    return Curve(np.append(0.0, hits), np.append(0.0, alarms))


def area_below_roc(scores: Vector, is_positive: Mask, weights: Vector | None, level: float) -> Measure:
    """The chance that a positive row has a larger score than a negative one, ties as a half.

    Interval: DeLong, DeLong and Clarke-Pearson (1988) on the logit scale, as Perme and Manevski (2019) advise; where
    that has no variance (all pairs are ranked right, or all wrong; one row of a class) the values theta with
    |area - theta| <= z sqrt(V(theta)), V being the variance of Hanley and McNeil (1982).
    """
    m, n = int(np.count_nonzero(is_positive)), int(np.count_nonzero(~is_positive))
    if m == 0 or n == 0:
        return unknown("the rows are of one class")
    if weights is not None:
        curve = curve_of(scores, is_positive, weights)
        return Measure(float(np.trapezoid(curve.true_positive_rates, curve.false_positive_rates)), None, UNEQUAL)
    above = placements(scores, is_positive)
    area = float(np.mean(above[is_positive]))
    variance = stratum_variance(above[is_positive] / m) + stratum_variance(above[~is_positive] / n)
    if 0.0 < area < 1.0 and variance > 0.0 and min(m, n) > 1:
        return Measure(area, on_logit_scale(area, math.sqrt(variance), level, DELONG))
    return Measure(area, _hanley_mcneil(area, m, n, level))


def placements(scores: Vector, is_positive: Mask) -> Vector:
    """For each row the share of rows of the other kind that it is ranked rightly against, ties as a half."""
    found = np.empty(scores.size)
    for rows, others in ((is_positive, ~is_positive), (~is_positive, is_positive)):
        sorted_others = np.sort(scores[others])
        below, not_above = (np.searchsorted(sorted_others, scores[rows], side) for side in ("left", "right"))
        found[rows] = 0.5 * (below + not_above) / sorted_others.size
    found[~is_positive] = 1.0 - found[~is_positive]
    return found


def stratum_variance(parts: Vector) -> float:
    """The variance of the sum of independent parts of one distribution; infinite where there is one."""
    return parts.size * float(np.var(parts, ddof=1)) if parts.size > 1 else math.inf


def mean_area(
    scores: NDArray[np.float64], numbers: NDArray[np.int64], areas: list[Measure], weights: Vector | None, level: float
) -> Measure:
    """The mean of the areas of each class against the rest, over the classes that have rows.

    Each row takes part in every area: with the number of rows of each class given, the mean is close to a sum over
    rows of h_i = (1/K) (its placement in the area of its class / n_k + sum over the others of its placement there /
    (n - n_j)), whose variance is that of DeLong for two classes.
    """
    sizes = np.bincount(numbers, minlength=len(areas))
    present = [k for k in range(len(areas)) if 0 < sizes[k] < numbers.size]
    if not present:
        return unknown("the rows are of one class")
    mean = sum(areas[k].value for k in present) / len(present)
    note = "" if len(present) == len(areas) else "mean over the classes that have rows"
    if weights is not None:
        return Measure(mean, None, UNEQUAL)
    parts = np.zeros(numbers.size)
    for k in present:
        is_class = numbers == k
        counts = np.where(is_class, sizes[k], numbers.size - sizes[k])
        parts += placements(scores[:, k], is_class) / (counts * len(present))
    variance = sum(stratum_variance(parts[numbers == k]) for k in present)
    if not (0.0 < mean < 1.0 and 0.0 < variance < math.inf):
        return Measure(mean, None, "no interval: a class has one row, or every pair of rows is ranked right")
    return Measure(mean, on_logit_scale(mean, math.sqrt(variance), level, DELONG), note)


def average_precision(scores: Vector, is_positive: Mask, weights: Vector | None, level: float) -> Measure:
    """The area below the precision-recall curve as a sum of steps: sum_t (recall_t - recall_before) precision_t.

    Interval: as Boyd, Eng and Page (2013) have it, the area is taken for a share of the m positive rows; by Clopper and
    Pearson's quantiles in place of a normal one, as these stay of use close to 1.
    """
    m = int(np.count_nonzero(is_positive))
    if m == 0:
        return unknown("no row of the class")
    curve = curve_of(scores, is_positive, weights)
    precision = curve.hits[1:] / (curve.hits[1:] + curve.alarms[1:])
    area = float(np.sum(np.diff(curve.true_positive_rates) * precision))
    if weights is not None:
        return Measure(area, None, UNEQUAL)
    area = min(area, 1.0)  # a sum of steps may round above it
    return Measure(area, _clopper_pearson(m * area, m, level))


def _clopper_pearson(part: float, whole: int, level: float) -> Interval:
    """Clopper and Pearson's quantiles of beta distributions at a `part` that need not be a whole number."""
    tail = (1.0 - level) / 2.0
    low = 0.0 if part <= 0.0 else float(special.betaincinv(part, whole - part + 1.0, tail))
    high = 1.0 if part >= whole else float(special.betaincinv(part + 1.0, whole - part, 1.0 - tail))
    return Interval(low, high, level, "Clopper-Pearson, after Boyd-Eng-Page")


def _hanley_mcneil(area: float, m: int, n: int, level: float) -> Interval:
    z = normal(level)

    def is_far(theta: float) -> bool:
        spread = 1.0 + (m - 1) * (1.0 - theta) / (2.0 - theta) + (n - 1) * theta / (1.0 + theta)
        return abs(area - theta) > z * math.sqrt(theta * (1.0 - theta) * spread / (m * n))

    def end(out: float) -> float:
        near = area
        for _ in range(HALVINGS):
            middle = 0.5 * (near + out)
            near, out = (near, middle) if is_far(middle) else (middle, out)
        return near

    return Interval(end(0.0), end(1.0), level, "Hanley-McNeil, inverted")

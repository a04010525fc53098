"""An exact line search on the scores: after two reads of the data, a trial step costs no read of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import line_slope, scores_at
from empirisk.protocols import Array

MOST_TRIALS = 60
SLOPE_LEFT = 0.01  # of the slope at the start, where the search ends
PASSES = 2.0  # what a search costs


def exact_step(problem: LinearRisk, x: Array, p: Array) -> float:
    """A t > 0 that nearly minimises P(x + t p), by bisection and secants on the slope."""
    scores, change = scores_at(problem, x), scores_at(problem, p)
    w, p_w, l2 = x[:-1], p[:-1], problem.regularizer.l2
    along, squared = float(np.vdot(w, p_w)), float(np.vdot(p_w, p_w))
    return root_of_slope(lambda t: line_slope(problem, scores, change, t) + l2 * (along + t * squared))


def best_constant(problem: EmpiricalRisk) -> float:
    """The score that, given to every row, makes the mean loss about least."""
    z, sign = problem.rows.filled(0.0), 1.0
    if line_slope(problem, z, problem.rows.filled(sign), 0.0) > 0.0:
        sign = -1.0
    falls = problem.rows.filled(sign)
    return sign * root_of_slope(lambda t: line_slope(problem, z, falls, t))


def root_of_slope(slope: Callable[[float], float]) -> float:
    """A t > 0 where a growing function, negative at 0, is near zero: by secants and bisection."""
    first = slope(0.0)
    low, low_slope, high, high_slope, t = 0.0, min(first, 0.0), math.inf, math.inf, 1.0  # above zero: by rounding
    for _ in range(MOST_TRIALS):
        here = slope(t)
        if abs(here) <= SLOPE_LEFT * abs(first):
            return t
        if here < 0.0:
            low, low_slope = t, here
        else:  # or not a number: the scores overflowed
            high, high_slope = t, here if math.isfinite(here) else math.inf
        if math.isinf(high):
            t *= 4.0
            continue
        middle = 0.5 * (low + high)
        # The secant's root, unless it crowds an end: then the middle.
        rise = high_slope - low_slope
        root = low - (high - low) * low_slope / rise if 0.0 < rise < math.inf else middle
        t = root if 0.1 * (high - low) <= root - low <= 0.9 * (high - low) else middle
    return low if low > 0.0 else t

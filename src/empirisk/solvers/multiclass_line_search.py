"""An exact line search for many classes: after two reads of the data, every trial step costs n K, not n d K."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.multiclass_passes import line_slope, scores_of
from empirisk.solvers.line_search import MOST_TRIALS, SLOPE_LEFT

Matrix = NDArray[np.float64]


def exact_step(problem: Any, x: Matrix, p: Matrix) -> float:
    """A t > 0 that nearly minimises P(x + t p)."""
    scores, change = scores_of(problem, x), scores_of(problem, p)
    l2, along, squared = problem.regularizer.l2, float(np.vdot(x[:-1], p[:-1])), float(np.vdot(p[:-1], p[:-1]))
    return root_of_slope(lambda t: line_slope(problem, scores, change, t) + l2 * (along + t * squared))


def root_of_slope(slope: Callable[[float], float]) -> float:
    """A t > 0 where a growing function, negative at 0, is near zero: by secants and bisection."""
    first = slope(0.0)
    low, low_slope, high, high_slope, t = 0.0, first, math.inf, math.inf, 1.0
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
        root = low + (high - low) * low_slope / (low_slope - high_slope) if math.isfinite(high_slope) else middle
        t = root if 0.1 * (high - low) <= root - low <= 0.9 * (high - low) else middle
    return low if low > 0.0 else t

"""An exact line search on the scores: after two reads of the data, every trial step costs n, not n d."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.compiled import kernel
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector

MOST_TRIALS = 60
SLOPE_LEFT = 0.01  # of the slope at the start, where the search ends
PASSES = 2.0  # what a search costs


def exact_step(problem: Any, w: Vector, b: float, p: Vector, p_b: float) -> float:
    """A t > 0 that nearly minimises P(w + t p, b + t p_b), by bisection and secants on the slope."""
    z = scores_of(problem.design, w, b, problem.n_threads)
    change = scores_of(problem.design, p, p_b, problem.n_threads)
    l2, along, squared = problem.regularizer.l2, float(w @ p), float(p @ p)

    parts = problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight
    return root_of_slope(lambda t: slope_along(*parts, z, change, t) + l2 * (along + t * squared))


def best_constant(problem: Any) -> float:
    """The score that, given to every row, makes the mean loss about least."""
    parts = problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight
    z, falls = np.zeros(problem.labels.size), np.ones(problem.labels.size)
    if slope_along(*parts, z, falls, 0.0) > 0.0:
        falls = -falls
    return float(falls[0]) * root_of_slope(lambda t: slope_along(*parts, z, falls, t))


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


@kernel
def slope_along(loss, y, weights, scale, z, change, t):
    """The slope of the mean loss at the scores z + t change, along the change."""
    total = 0.0
    for i in range(z.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0 and change[i] != 0.0:
            total += s * loss.derivative(z[i] + t * change[i], y[i]) * change[i]
    return total

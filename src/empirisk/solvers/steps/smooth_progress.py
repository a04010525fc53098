"""What the gradient of a smooth problem tells for free about the gap."""

from __future__ import annotations

import math

import numpy as np

from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import Gradient, mean_row_norm
from empirisk.protocols import Array, Progress


def smooth_progress(
    problem: LinearRisk, at: Gradient, x: Array, balance: float, passes: float, stalled: bool
) -> Progress:
    """Objective and gap at x; for one score without an intercept the gap is as good as the certificate's."""
    is_sure = problem.regularizer.l2 > 0.0 and not problem.fit_intercept and x.ndim == 1
    return Progress(passes, at.objective, smooth_gap(problem, at, x, balance), stalled, is_sure=is_sure)


def smooth_gap(problem: LinearRisk, at: Gradient, x: Array, balance: float = 0.0) -> float:
    """||grad||^2 / (2 l2) for the weights; without l2, for minimisers of about their size; and for the intercepts.

    Of one score, the slope is charged for an intercept of about its size. Of many classes, the certificate balances
    the intercepts by moving dual variables, which moves the weights' part by about `balance` times the slope.
    """
    l2, slope_b = problem.regularizer.l2, norm(at.slope[-1])
    size = norm(at.weights) + balance * slope_b
    gap = size**2 / (2.0 * l2) if l2 > 0.0 else size * max(1.0, 10.0 * norm(x[:-1]))
    return gap + (slope_b * max(1.0, abs(float(x[-1]))) if x.ndim == 1 else x.shape[1] * slope_b**2)


def balance_of(problem: LinearRisk, x: Array) -> float:
    """What balancing the intercepts moves: for many classes the root of the mean ||x_i||^2, which takes a pass."""
    return mean_row_norm(problem) if x.ndim > 1 else 0.0


def norm(a: Array) -> float:
    """The root of the sum of squares, over all dimensions."""
    return math.sqrt(float(np.vdot(a, a)))

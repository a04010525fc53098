"""Coordinate descent on a quadratic model with l1, a box and a free intercept.

The model at x_0 = (w_0, b_0) is  <g, x - x_0> + 1/2 (x - x_0)^T H (x - x_0) + l1 ||w||_1 + l2/2 ||w||^2 on
low <= w_j <= high, with the intercept as the last coordinate. Each weight is minimised exactly in turn, together with
the intercept, which is the same as centred columns: columns far from zero do not slow the weights down. Every few
epochs Anderson's extrapolation is tried and kept where it lowers the model. H is known either as a matrix, and the
model's gradient is kept up to date (covariance updates), or as A D A^T with the columns in the rows of A, and the
residual D A^T (x - x_0) is kept (residual updates). References: Friedman, Hastie and Tibshirani (2010); Bertrand and
Massias (2021).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.copying import copy_to, fill
from empirisk.compiled import kernel
from empirisk.protocols import Vector
from empirisk.solvers.linear_systems.cholesky import factored
from empirisk.solvers.quadratic_models.anderson import MEMORY, extrapolate
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty

LEFT = 1e-9  # of the largest slope: a tolerance for a model that is as good as solved
POLISHED = 48  # epochs, after which the linear system of the weights that are not zero is solved
FLAT = 1e-10  # of a column's square that is left of it after centring, at least: more than rounding


def descend_on_matrix(
    H: NDArray[np.float64],
    g: Vector,
    penalty: IntervalPenalty,
    has_intercept: bool,
    x: Vector,
    tol: float,
    most: int,
) -> int:
    """Move x until no weight's step times its curvature exceeds tol, for at most `most` epochs; how many it took.

    The lower triangle of H is read; l2 may be in the penalty or on the diagonal of H.
    """
    k, start = (x.size - 1 if has_intercept else x.size), x.copy()
    matrix, slope = np.tril(H[:k, :k]), g[:k]
    matrix += np.tril(matrix, -1).T
    bend = float(H[k, k]) if has_intercept else 0.0
    if bend > 0.0:  # the intercept minimises the model at every w: what is left is the Schur complement
        diagonal = np.diagonal(matrix).copy()
        slope = slope - H[k, :k] * (g[k] / bend)
        matrix -= np.outer(H[k, :k], H[k, :k] / bend)
        np.fill_diagonal(matrix, np.maximum(np.diagonal(matrix), FLAT * diagonal))
    here, slope, epochs = x[:k].copy(), slope.copy(), 0
    while epochs < most:
        took, largest = _descend(matrix, slope, penalty, here, tol, min(POLISHED, most - epochs))
        epochs += int(took)
        if not largest > tol:
            break
        _polish(matrix, slope, penalty, here)
    x[:k] = here
    if bend > 0.0:
        x[k] -= (g[k] + float(H[k, :k] @ (x[:k] - start[:k]))) / bend
    return epochs


def _polish(matrix: NDArray[np.float64], slope: Vector, penalty: IntervalPenalty, x: Vector) -> None:
    """Minimise over the weights that are not zero or at an end, while none of them changes its sign: a linear system.

    Coordinate descent finds the signs soon, but takes long where columns are much alike. `slope` is kept up to date.
    """
    free = np.flatnonzero((x != 0.0) & (x > penalty.low) & (x < penalty.high))
    part = matrix[np.ix_(free, free)]
    part[np.diag_indices(free.size)] += penalty.l2
    factors = factored(part) if free.size else None
    if factors is None:
        return
    pull = slope[free] + penalty.l2 * x[free] + penalty.l1 * np.sign(x[free])
    change = -factors.solve(pull)
    if not np.all(np.isfinite(change)):
        return
    low = np.where(x[free] > 0.0, max(0.0, penalty.low), penalty.low)
    high = np.where(x[free] > 0.0, penalty.high, min(0.0, penalty.high))
    with np.errstate(all="ignore"):
        room = np.where(change > 0.0, high - x[free], low - x[free]) / change
    t = min(1.0, float(np.min(room, where=change != 0.0, initial=math.inf)))
    x[free] = np.clip(x[free] + t * change, low, high)
    slope += matrix[:, free] @ (t * change)


@kernel
def _descend(H, slope, penalty, x, tol, most):
    """Coordinate descent on a whole matrix, without an intercept: epochs, and the largest step of the last one.

    `slope` is that of the model at x, without the penalty, and is kept up to date.
    """
    size = x.size
    start = x.copy()
    g = slope.copy()
    largest = 0.0
    points = np.empty((MEMORY + 1, size))
    trial = np.empty(size)
    trial_slope = np.empty(size)
    copy_to(x, points[0])
    epoch = 0
    while epoch < most:
        epoch += 1
        largest = 0.0
        for j in range(size):
            bend = H[j, j]
            if not bend + penalty.l2 > 0.0:
                continue
            change = penalty.least_with(bend, bend * x[j] - slope[j]) - x[j]
            if change != 0.0:
                x[j] += change
                line = H[j]
                for k in range(size):
                    slope[k] += change * line[k]
                largest = max(largest, abs(change) * (bend + penalty.l2))
        if not largest > tol:
            break
        copy_to(x, points[epoch % (MEMORY + 1)])
        if epoch % (MEMORY + 1) == MEMORY and extrapolate(points, trial):
            for j in range(size):
                trial[j] = min(max(trial[j], penalty.low), penalty.high)
                trial_slope[j] = g[j]
            for j in range(size):
                change = trial[j] - start[j]
                if change != 0.0:
                    line = H[j]
                    for k in range(size):
                        trial_slope[k] += change * line[k]
            here = penalty.sum_over(x, size)
            there = penalty.sum_over(trial, size)
            for j in range(size):
                here += 0.5 * (g[j] + slope[j]) * (x[j] - start[j])
                there += 0.5 * (g[j] + trial_slope[j]) * (trial[j] - start[j])
            if there < here:
                copy_to(trial, x)
                copy_to(trial_slope, slope)
        if epoch % (MEMORY + 1) == MEMORY:
            epoch += 1  # the extrapolation costs an epoch
            copy_to(x, points[0])
    return epoch, largest


@kernel
def _measure_columns(A, weights, total, bends, means):
    """Write the weighted square of each column and, where there is an intercept, its mean, which the square is without.

    `total` is the sum of the weights; 0 without an intercept.
    """
    for j in range(bends.size):
        square = A.weighted_square(j, weights)
        bends[j] = square
        means[j] = 0.0
        if total > 0.0:
            means[j] = A.dot_row(j, weights) / total
            bends[j] = max(square - means[j] * means[j] * total, FLAT * square)


@kernel
def descend_on_columns(A, weights, total, g, penalty, x, tol, most):
    """As `descend_on_matrix` for H = A diag(weights) A^T; epochs by visits.

    With an intercept, `total` is the sum of the weights and A has a further row of ones; without, it is 0. Between
    extrapolations only the first epoch visits the weights that are zero.
    """
    count = A.n_rows()
    start = x.copy()
    bends = np.empty(count)
    means = np.empty(count)  # of each column: how far the intercept moves against its weight
    _measure_columns(A, weights, total, bends, means)
    residual = np.zeros(weights.size)  # diag(weights) A^T (x - start) over the weights
    slope_b = g[count] if total > 0.0 else 0.0  # of the intercept where it started
    points = np.empty((MEMORY + 1, count))
    trial = np.empty(count)
    trial_residual = np.empty(weights.size)
    copy_to(x[:count], points[0])
    visited = 0.0
    place = 0  # since the last extrapolation
    is_full = True
    while visited < most:
        place += 1
        largest = 0.0
        visits = 0
        for j in range(count):
            bend = bends[j]
            if not bend + penalty.l2 > 0.0 or not (is_full or x[j] != 0.0):
                continue
            visits += 1
            slope = g[j] + A.dot_row(j, residual) - means[j] * slope_b
            change = penalty.least_with(bend, bend * x[j] - slope) - x[j]
            if change != 0.0:
                x[j] += change
                A.add_weighted_row(j, change, weights, residual)
                slope_b += change * means[j] * total
                largest = max(largest, abs(change) * (bend + penalty.l2))
        visited += visits / max(1, count)
        if not largest > tol:
            if is_full:
                break
            is_full = True  # the weights that are not zero have converged: look at all
            place = 0
            copy_to(x[:count], points[0])
            continue
        is_full = False
        copy_to(x[:count], points[place])
        if place < MEMORY:
            continue
        if extrapolate(points, trial):
            fill(trial_residual, 0.0)
            trial_slope = g[count] if total > 0.0 else 0.0
            for j in range(count):
                trial[j] = min(max(trial[j], penalty.low), penalty.high)
                if trial[j] != start[j]:
                    A.add_weighted_row(j, trial[j] - start[j], weights, trial_residual)
                    trial_slope += (trial[j] - start[j]) * means[j] * total
            here = penalty.sum_over(x, count)
            there = penalty.sum_over(trial, count)
            for i in range(weights.size):
                if weights[i] > 0.0:
                    here += 0.5 * residual[i] * (residual[i] / weights[i])
                    there += 0.5 * trial_residual[i] * (trial_residual[i] / weights[i])
            if total > 0.0:
                here -= 0.5 * slope_b * slope_b / total
                there -= 0.5 * trial_slope * trial_slope / total
            for j in range(count):
                here += g[j] * (x[j] - start[j])
                there += g[j] * (trial[j] - start[j])
            if there < here:
                copy_to(trial, x)
                copy_to(trial_residual, residual)
                slope_b = trial_slope
            visited += visits / max(1, count)
        is_full = True
        place = 0
        copy_to(x[:count], points[0])
    if total > 0.0:
        x[count] -= slope_b / total
    return visited

"""Coordinate descent on a quadratic model with l1, a box and a free intercept.

The model at x_0 = (w_0, b_0) is  <g, x - x_0> + 1/2 (x - x_0)^T H (x - x_0) + l1 ||w||_1 + l2/2 ||w||^2 on
low <= w_j <= high, with the intercept as the last coordinate. Each coordinate is minimised exactly in turn; every few
epochs Anderson's extrapolation is tried and kept where it lowers the model. H is known either as a matrix, and the
model's gradient is kept up to date (covariance updates), or as A A^T with the scaled columns in the rows of A, and
the residual A^T (x - x_0) is kept (residual updates). References: Friedman, Hastie and Tibshirani (2010); Bertrand and
Massias (2021).
"""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel
from empirisk.solvers.anderson import MEMORY, extrapolate


@kernel
def descend_on_matrix(H, g, penalty, has_intercept, x, tol, most):
    """Move x until no coordinate's step times its curvature exceeds tol, for at most `most` epochs; how many it took.

    The lower triangle of H is read and mirrored; l2 may be in the penalty or on the diagonal of H.
    """
    size = x.size
    count = size - 1 if has_intercept else size
    for j in range(size):
        for k in range(j):
            H[k, j] = H[j, k]
    start = x.copy()
    slope = g.copy()  # of the model at x, without the penalty
    points = np.empty((MEMORY + 1, size))
    trial = np.empty(size)
    trial_slope = np.empty(size)
    points[0] = x
    epoch = 0
    while epoch < most:
        epoch += 1
        largest = 0.0
        for j in range(size):
            bend = H[j, j]
            if j < count:
                if not bend + penalty.l2 > 0.0:
                    continue
                new = penalty.least_with(bend, bend * x[j] - slope[j])
                bend += penalty.l2
            else:
                new = x[j] - slope[j] / bend if bend > 0.0 else x[j]
            change = new - x[j]
            if change != 0.0:
                x[j] = new
                line = H[j]
                for k in range(size):
                    slope[k] += change * line[k]
                largest = max(largest, abs(change) * bend)
        if not largest > tol:
            break
        points[epoch % (MEMORY + 1)] = x
        if epoch % (MEMORY + 1) == MEMORY and extrapolate(points, trial):
            for j in range(count):
                trial[j] = min(max(trial[j], penalty.low), penalty.high)
            for j in range(size):
                trial_slope[j] = g[j]
            for j in range(size):
                change = trial[j] - start[j]
                if change != 0.0:
                    line = H[j]
                    for k in range(size):
                        trial_slope[k] += change * line[k]
            here = penalty.sum_over(x, count)
            there = penalty.sum_over(trial, count)
            for j in range(size):
                here += 0.5 * (g[j] + slope[j]) * (x[j] - start[j])
                there += 0.5 * (g[j] + trial_slope[j]) * (trial[j] - start[j])
            if there < here:
                x[:] = trial
                slope[:] = trial_slope
        if epoch % (MEMORY + 1) == MEMORY:
            epoch += 1  # the extrapolation costs an epoch
            points[0] = x
    return epoch


@kernel
def descend_on_columns(A, roots, g, penalty, has_intercept, x, tol, most):
    """As `descend_on_matrix` for H = A A^T, with a further row `roots` of A for the intercept; epochs by visits.

    Between extrapolations only the first epoch visits the weights that are zero.
    """
    size = x.size
    count = size - 1 if has_intercept else size
    start = x.copy()
    bends = np.empty(size)
    for j in range(count):
        bends[j] = A.squared_row_norm(j)
    if has_intercept:
        bends[count] = np.dot(roots, roots)
    residual = np.zeros(roots.size)  # A^T (x - start)
    points = np.empty((MEMORY + 1, size))
    trial = np.empty(size)
    trial_residual = np.empty(roots.size)
    points[0] = x
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
            new = penalty.least_with(bend, bend * x[j] - g[j] - A.dot_row(j, residual))
            change = new - x[j]
            if change != 0.0:
                x[j] = new
                A.add_row(j, change, residual)
                largest = max(largest, abs(change) * (bend + penalty.l2))
        if has_intercept and bends[count] > 0.0:
            slope = g[count] + np.dot(roots, residual)
            change = -slope / bends[count]
            x[count] += change
            for i in range(roots.size):
                residual[i] += change * roots[i]
            largest = max(largest, abs(slope))
        visited += visits / max(1, count)
        if not largest > tol:
            if is_full:
                break
            is_full = True  # the weights that are not zero have converged: look at all
            place = 0
            points[0] = x
            continue
        is_full = False
        points[place] = x
        if place < MEMORY:
            continue
        if extrapolate(points, trial):
            trial_residual[:] = 0.0
            for j in range(count):
                trial[j] = min(max(trial[j], penalty.low), penalty.high)
                if trial[j] != start[j]:
                    A.add_row(j, trial[j] - start[j], trial_residual)
            if has_intercept:
                for i in range(roots.size):
                    trial_residual[i] += (trial[count] - start[count]) * roots[i]
            here = penalty.sum_over(x, count) + 0.5 * np.dot(residual, residual)
            there = penalty.sum_over(trial, count) + 0.5 * np.dot(trial_residual, trial_residual)
            for j in range(size):
                here += g[j] * (x[j] - start[j])
                there += g[j] * (trial[j] - start[j])
            if there < here:
                x[:] = trial
                residual[:] = trial_residual
            visited += visits / max(1, count)
        is_full = True
        place = 0
        points[0] = x
    return visited

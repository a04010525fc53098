"""Anderson acceleration: extrapolate a linearly convergent sequence from its last few points."""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel

MEMORY = 5  # differences that an extrapolation combines
REGULARIZATION = 1e-12  # of the trace: differences become parallel


@kernel
def extrapolate(points, out):
    """Write sum_k c_k x_k to out, with sum_k c_k = 1 and ||sum_k c_k (x_k - x_{k-1})|| least; False if degenerate.

    `points` holds x_0, ..., x_K in its rows. Reference: Anderson (1965); Bertrand and Massias (2021) for coordinate
    descent.
    """
    steps, size = points.shape[0] - 1, points.shape[1]
    matrix = np.empty((steps, steps))
    trace = 0.0
    for p in range(steps):
        for q in range(p + 1):
            total = 0.0
            for j in range(size):
                total += (points[p + 1, j] - points[p, j]) * (points[q + 1, j] - points[q, j])
            matrix[p, q] = total
            matrix[q, p] = total
        trace += matrix[p, p]
    if not trace > 0.0:
        return False
    coefficients = np.ones(steps)
    for p in range(steps):
        matrix[p, p] += REGULARIZATION * trace
    for p in range(steps):  # elimination without pivots: the matrix is positive definite
        if not matrix[p, p] > 0.0:
            return False
        for q in range(p + 1, steps):
            factor = matrix[q, p] / matrix[p, p]
            for r in range(p, steps):
                matrix[q, r] -= factor * matrix[p, r]
            coefficients[q] -= factor * coefficients[p]
    total = 0.0
    for p in range(steps - 1, -1, -1):
        for q in range(p + 1, steps):
            coefficients[p] -= matrix[p, q] * coefficients[q]
        coefficients[p] /= matrix[p, p]
        total += coefficients[p]
    if not abs(total) > 0.0:
        return False
    for j in range(size):
        out[j] = 0.0
    for p in range(steps):
        share = coefficients[p] / total
        for j in range(size):
            out[j] += share * points[p + 1, j]
    return True

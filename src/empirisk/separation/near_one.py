"""Data far from one, brought near it by a power of two, so that squares neither overflow nor vanish.

Planes and balls of points that are all multiplied by one number are those of the points, multiplied: nothing else
changes, and powers of two round nothing but entries that are nothing beside the largest.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse

from empirisk.designs import CSR, Dense, as_design, matrix_of

FAR = 100  # binary exponents of the largest entry: within, squares are at ease, and nothing is copied


def power_to_one(design: Dense | CSR) -> int:
    """The power of two that brings the largest entry near one; 0 where it is not far from it."""
    values = design.values
    largest = max(float(values.max()), -float(values.min())) if values.size else 0.0
    exponent = math.frexp(largest)[1] if largest > 0.0 else 0
    return -exponent if abs(exponent) > FAR else 0


def times_power_of_two(design: Dense | CSR, power: int) -> Dense | CSR:
    """The same points, multiplied."""
    if power == 0:
        return design
    if isinstance(design, Dense):
        return as_design(np.ldexp(design.values.astype(np.float64), power))
    matrix = matrix_of(design)
    values = np.ldexp(matrix.data.astype(np.float64), power)
    return as_design(scipy.sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape))

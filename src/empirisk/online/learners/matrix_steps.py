"""What learners with a matrix of all columns share."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.compiled import kernel


class BesideFree(NamedTuple):
    """Omega of all coordinates but the last, which is free: the intercept's."""

    omega: Any

    def value(self, w):
        """That of the others."""
        return self.omega.value(w[: w.size - 1])

    def prox_scaled(self, w, h, out):
        """That of the others; the last stays."""
        last = w.size - 1
        self.omega.prox_scaled(w[:last], h[:last], out[:last])
        out[last] = w[last]


@kernel
def to_gradient(X, i, slope, has_intercept, out):
    """Write g = slope (x_i, 1)."""
    for j in range(out.size):
        out[j] = 0.0
    X.add_row(i, slope, out)
    if has_intercept:
        out[out.size - 1] = slope


@kernel
def times(matrix, x, out):
    """Write matrix x, and return <x, matrix x>."""
    total = 0.0
    for j in range(x.size):
        entry = 0.0
        for k in range(x.size):
            entry += matrix[j, k] * x[k]
        out[j] = entry
        total += x[j] * entry
    return total


@kernel
def add_to_inverse(inverse, image, square):
    """(A + x x^T)^-1 from A^-1 (Sherman and Morrison), where `image` is A^-1 x and `square` <x, A^-1 x>."""
    for j in range(image.size):
        share = image[j] / (1.0 + square)
        for k in range(image.size):
            inverse[j, k] -= share * image[k]


@kernel
def add_outer(matrix, x):
    """matrix + x x^T."""
    for j in range(x.size):
        for k in range(x.size):
            matrix[j, k] += x[j] * x[k]

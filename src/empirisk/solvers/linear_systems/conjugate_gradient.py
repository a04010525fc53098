"""Newton directions by preconditioned conjugate gradients."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from empirisk.compiled import kernel
from empirisk.problems.passes import Products
from empirisk.protocols import Array

MOST_PRODUCTS = 250
GAIN = 0.1  # stop when a product gains less than this share of the mean gain so far


class Preconditioner(Protocol):
    """About the inverse of the Hessian."""

    def apply(self, residual: Array) -> Array:
        """M^-1 residual, in an array of its own."""


def newton_direction(products: Products, slope: Array, precondition: Preconditioner) -> tuple[Array, int]:
    """An approximate solution p of H p = -slope, and the products with H that it took.

    Stops on the quadratic model: product k must lower it by more than GAIN / k of what all did (Nash and Sofer,
    1990), which solves early systems loosely and late ones well.
    """
    p, right = np.zeros(slope.shape), -slope
    residual = right.copy()
    direction = precondition.apply(residual)
    rho, model, k = float(np.vdot(residual, direction)), 0.0, 0
    for k in range(1, MOST_PRODUCTS + 1):
        image = products.apply(direction)
        curvature = float(np.vdot(direction, image))
        if not curvature > 0.0:
            break
        vectors = (array.ravel() for array in (direction, image, right, p, residual))  # p's and residual's are views
        new_model = _advance(rho / curvature, *vectors)
        solved = precondition.apply(residual)
        new_rho = float(np.vdot(residual, solved))
        if k * (new_model - model) <= GAIN * new_model or not new_rho > 0.0:
            break
        direction *= new_rho / rho
        direction += solved
        rho, model = new_rho, new_model
    return p, k


@kernel
def _advance(step, direction, image, right, p, residual):
    """Move along the direction; returns what the quadratic model has gained since p = 0."""
    gained = 0.0
    for j in range(p.size):
        p[j] += step * direction[j]
        residual[j] -= step * image[j]
        gained += 0.5 * p[j] * (right[j] + residual[j])
    return gained

"""Newton directions by preconditioned conjugate gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.compiled import kernel
from empirisk.problems.passes import Gradient, HessianProducts
from empirisk.protocols import Vector
from empirisk.solvers.linear_systems.preconditioner import preconditioner

MOST_PRODUCTS = 250
GAIN = 0.1  # stop when a product gains less than this share of the mean gain so far


def newton_direction(problem: Any, curvatures: Vector, at: Gradient) -> tuple[Vector, float, float]:
    """An approximate solution of H p = -grad, its intercept part, and the passes it took.

    Stops on the quadratic model: product k must lower it by more than GAIN / k of what all did (Nash and Sofer,
    1990), which solves early systems loosely and late ones well.
    """
    d = at.weights.size
    right = -np.append(at.weights, at.intercept)
    precondition = preconditioner(problem, curvatures)
    products = HessianProducts(problem, curvatures)
    p, residual, solved = np.zeros(d + 1), right.copy(), np.empty(d + 1)
    precondition.apply(residual, solved)
    direction = solved.copy()
    rho, model, passes = float(residual @ solved), 0.0, 1.0
    for k in range(1, MOST_PRODUCTS + 1):
        image = products.apply(direction)
        passes += products.active_share
        curvature = float(direction @ image)
        if not curvature > 0.0:
            break
        new_model = _advance(rho / curvature, direction, image, right, p, residual)
        precondition.apply(residual, solved)
        new_rho = float(residual @ solved)
        if k * (new_model - model) <= GAIN * new_model or not new_rho > 0.0:
            break
        direction *= new_rho / rho
        direction += solved
        rho, model = new_rho, new_model
    return p[:d], float(p[d]), passes


@kernel
def _advance(step, direction, image, right, p, residual):
    """Move along the direction; returns what the quadratic model has gained since p = 0."""
    gained = 0.0
    for j in range(p.size):
        p[j] += step * direction[j]
        residual[j] -= step * image[j]
        gained += 0.5 * p[j] * (right[j] + residual[j])
    return gained

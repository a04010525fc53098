"""Newton directions by preconditioned conjugate gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.compiled import kernel
from empirisk.problems.passes import Gradient, HessianProducts, squared_column_norms
from empirisk.protocols import Vector

MOST_PRODUCTS = 250
GAIN = 0.2  # stop when a product gains less than this share of the mean gain so far
DIAGONAL_SHARE = 0.01


def newton_direction(problem: Any, curvatures: Vector, at: Gradient) -> tuple[Vector, float, float]:
    """An approximate solution of H p = -grad, its intercept part, and the passes it took.

    Stops on the quadratic model: product k must lower it by more than GAIN / k of what all did (Nash and Sofer,
    1990). The preconditioner is mostly l2 with a little of H's diagonal: on text the whole diagonal slows the
    method down. Both as measured on news20 (docs/performance.md).
    """
    d = at.weights.size
    right = -np.append(at.weights, at.intercept)
    inverse = 1.0 / _preconditioner(problem, curvatures)
    products = HessianProducts(problem, curvatures)
    p, residual = np.zeros(d + 1), right.copy()
    direction = residual * inverse
    rho, model, passes = float(residual @ direction), 0.0, 1.0
    for k in range(1, MOST_PRODUCTS + 1):
        image = products.apply(direction)
        passes += products.active_share
        curvature = float(direction @ image)
        if not curvature > 0.0:
            break
        new_rho, new_model = _advance(rho / curvature, direction, image, right, inverse, p, residual)
        if k * (new_model - model) <= GAIN * new_model or not new_rho > 0.0:
            break
        _turn(new_rho / rho, inverse, residual, direction)
        rho, model = new_rho, new_model
    return p[:d], float(p[d]), passes


def _preconditioner(problem: Any, curvatures: Vector) -> Vector:
    l2 = problem.regularizer.l2
    diagonal = DIAGONAL_SHARE * squared_column_norms(problem, curvatures) + l2
    intercept = max(DIAGONAL_SHARE * float(curvatures.sum()), l2) if problem.fit_intercept else 1.0
    return np.append(diagonal, intercept)


@kernel
def _advance(step, direction, image, right, inverse, p, residual):
    """Move along the direction; returns the residual's new squared norm and what the model has gained."""
    rho = 0.0
    gained = 0.0
    for j in range(p.size):
        p[j] += step * direction[j]
        residual[j] -= step * image[j]
        rho += residual[j] * residual[j] * inverse[j]
        gained += 0.5 * p[j] * (right[j] + residual[j])
    return rho, gained


@kernel
def _turn(factor, inverse, residual, direction):
    for j in range(direction.size):
        direction[j] = residual[j] * inverse[j] + factor * direction[j]

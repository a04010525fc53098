"""Newton directions by preconditioned conjugate gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.problems.passes import Gradient, hessian_product, squared_column_norms
from empirisk.protocols import Vector

MOST_PRODUCTS = 250


def newton_direction(
    problem: Any, curvatures: Vector, at: Gradient, relative_norm: float
) -> tuple[Vector, float, float]:
    """An approximate solution of H p = -grad, its intercept part, and the passes it took.

    The residual is asked to fall below min(0.25, sqrt(relative_norm)) of the gradient: superlinear convergence
    without solving early systems too well (Eisenstat and Walker, 1996). Preconditioned by the diagonal.
    """
    d = at.weights.size
    diagonal = np.append(squared_column_norms(problem, curvatures) + problem.regularizer.l2, curvatures.sum())
    diagonal = np.maximum(diagonal, np.finfo(float).tiny)
    residual = -np.append(at.weights, at.intercept)
    if not problem.fit_intercept:
        diagonal[d] = 1.0
    p = np.zeros(d + 1)
    preconditioned = residual / diagonal
    direction = preconditioned.copy()
    rho = float(residual @ preconditioned)
    goal = min(0.25, math.sqrt(relative_norm)) ** 2 * rho
    products = 1.0
    for _ in range(MOST_PRODUCTS):
        image_w, image_b = hessian_product(problem, curvatures, direction[:d], float(direction[d]))
        image = np.append(image_w, image_b)
        products += 1.0
        curvature = float(direction @ image)
        if not curvature > 0.0:
            break
        step = rho / curvature
        p += step * direction
        residual -= step * image
        preconditioned = residual / diagonal
        new = float(residual @ preconditioned)
        if not new > goal:
            break
        direction = preconditioned + (new / rho) * direction
        rho = new
    return p[:d], float(p[d]), products

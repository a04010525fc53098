"""The fit of each class: logistic with a little l2 on its columns, or the last plane of the l1 path that is in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empirisk.bounds.structural.classes import PlaneClass
from empirisk.designs import as_design, matrix_of
from empirisk.driver import minimize
from empirisk.paths import path, strength_grid
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.separation.points import Points

L2 = 1e-4
STRENGTHS, RATIO, ROUGHLY = 30, 1e-4, 1e-4


def fit_classes(points: Points, classes: Sequence[PlaneClass]) -> list[tuple[Vector, float]]:
    """A plane of each class."""
    columns = [np.flatnonzero(c.allowed) for c in classes]
    chosen = _chosen_by_path(points, classes) if any(c.most_nonzero < c.allowed.sum() for c in classes) else columns
    return [_fit(points, some) for some in chosen]


def _fit(points: Points, columns: np.ndarray) -> tuple[Vector, float]:
    """Logistic, l2 = 1e-4, on these columns."""
    weights = np.zeros(points.n_columns)
    matrix = matrix_of(points.design)[:, columns] if columns.size else np.zeros((points.n_rows, 1))
    problem = EmpiricalRisk(as_design(matrix), points.y, "logistic", l2=L2, fit_intercept=points.fit_intercept)
    solution = minimize(problem, tol=1e-4)
    weights[columns] = solution.weights[: columns.size]
    return weights, float(solution.intercept)


def _chosen_by_path(points: Points, classes: Sequence[PlaneClass]) -> list[np.ndarray]:
    """For each class the columns of the last plane of the l1 path that has no more weights than it allows."""
    problem = EmpiricalRisk(points.design, points.y, "logistic", l2=0.0, fit_intercept=points.fit_intercept)
    try:
        strengths = strength_grid(problem, "l1", n=STRENGTHS, ratio=RATIO)
    except ValueError:  # no column changes the mean loss
        return [np.zeros(0, dtype=np.int64) for _ in classes]
    planes = path(problem, strengths, of="l1", tol=ROUGHLY).weights
    counts = np.count_nonzero(planes, axis=1)
    found = []
    for c in classes:
        if c.most_nonzero >= points.n_columns:
            found.append(np.arange(points.n_columns))
        else:
            at = np.flatnonzero(counts <= c.most_nonzero)  # the path starts without any
            found.append(np.flatnonzero(planes[at[-1]]))
    return found

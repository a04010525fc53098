"""Whether a plane is the fit of the prior's rows: a checker cannot know more of what it has seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.designs import CSR, Dense, matrix_of
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector

MOST_GAP = 1e-4  # relative


def prior_problem(design: Dense | CSR, y: Vector, settings: Any, scale: Vector) -> EmpiricalRisk:
    """The risk on the prior's rows, with each column divided by its scale; rows of the class +1 have `positive_weight`.

    `settings` has prior_loss (a text), l1, l2, positive_weight and is_affine. Rows with another label are left out.
    """
    matrix = matrix_of(design)
    known = np.flatnonzero(y != 0.0)
    matrix, y = (matrix, y) if known.size == y.size else (matrix[known], y[known])
    if not (np.all(np.isfinite(scale)) and np.all(scale > 0.0)):
        raise ValueError("the scales of the columns must be positive numbers")
    if np.any(scale != 1.0):
        matrix = matrix / scale if isinstance(matrix, np.ndarray) else (matrix * (1.0 / scale)).tocsr()
    if not y.size or y.min() == y.max():
        raise ValueError("the rows of the prior are all of one class: give more rows, or another seed")
    weight = float(settings["positive_weight"])
    weights = None if weight == 1.0 else np.where(y > 0.0, weight, 1.0)
    return EmpiricalRisk(
        matrix,
        y,
        settings["prior_loss"],
        l1=settings["l1"],
        l2=settings["l2"],
        sample_weight=weights,
        fit_intercept=settings["is_affine"],
    )


def check_prior_plane(design: Dense | CSR, y: Vector, settings: Any, evidence: Any) -> DualityGap:
    """The gap of the stored plane on these rows; ValueError where it is more than MOST_GAP."""
    scale = evidence["prior_scale"]
    problem = prior_problem(design, y, settings, scale)
    rows, values = evidence["dual_rows"], evidence["dual_values"]
    if rows.shape != values.shape or (rows.size and not (rows.min() >= 0 and rows.max() < problem.rows.n_rows)):
        raise ValueError("the dual variables are not those of the prior's rows")
    dual = None
    if rows.size:
        dual = np.full(problem.rows.n_rows, np.nan)
        dual[rows] = values
    point = LinearPoint(evidence["prior_weights"] * scale, float(evidence["prior_intercept"][0]), dual)
    if not settings["is_affine"] and point.intercept != 0.0:
        raise ValueError("a plane through the origin has no intercept")
    found = duality_gap(problem, point)
    if not found.relative_gap <= MOST_GAP:
        said = f"its relative gap there is {found.relative_gap:.3g}"
        raise ValueError(f"the plane of the prior is not the fit of its rows: {said}")
    return found

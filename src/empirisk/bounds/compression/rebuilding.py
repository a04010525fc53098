"""Planes rebuilt from the rows that they need, with their bound: what has to search or fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.bounds.compression.rules import FORMS, points_of_rows, some_points
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.certificates.duality_gap import DualityGap
from empirisk.driver import minimize
from empirisk.losses import as_loss
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.separation.perceptron import PerceptronRun
from empirisk.separation.points import Points
from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points

TOLERANCE = 1e-6


def perceptron_compression(
    rows: LabelledRows,
    run: PerceptronRun,
    delta: float = 0.05,
    *,
    order: str = "cyclic",
    seed: int = 0,
    fit_intercept: bool = True,
) -> RiskBound:
    """The bound of what `perceptron` answered on these rows, with the settings that it was run with, from zero.

    A run that was stopped before it separated can be rebuilt too, and makes errors on the other rows.
    """
    if run.form not in FORMS:
        raise ValueError(f"a perceptron of the form {run.form!r} cannot be rebuilt from rows; {', '.join(FORMS)} can")
    choices: dict[str, Any] = {
        "is_affine": fit_intercept,
        "form": run.form,
        "order": order,
        "seed": 0 if order == "cyclic" else seed,
        "visits": run.visits,
    }
    return risk_bound("compression_perceptron", rows, delta, choices, plane_evidence(run.weights, run.intercept))


def gap_compression(rows: LabelledRows, gap: WidestGap, delta: float = 0.05) -> RiskBound:
    """The bound of the plane that the support rows of a widest gap give."""
    points = points_of_rows(rows, gap.plane.fit_intercept)
    kept = np.asarray(gap.support_rows, dtype=np.int64)
    again = widest_gap_of_points(some_points(points, kept), tol=TOLERANCE)
    if not isinstance(again, WidestGap):
        raise ValueError("the support rows alone have no widest gap that could be found")
    shares = np.zeros(kept.size)
    shares[again.support_rows] = again.dual_weights
    is_rebuilt = _differ(again.weights, again.intercept, gap.weights, gap.intercept)
    choices = {"is_affine": gap.plane.fit_intercept, "is_rebuilt": is_rebuilt}
    evidence = {**plane_evidence(again.weights, again.intercept), "kept_rows": kept, "kept_duals": shares}
    return risk_bound("compression_gap", rows, delta, choices, evidence)


def support_compression(
    rows: LabelledRows,
    weights: Vector,
    intercept: float,
    certificate: DualityGap,
    delta: float = 0.05,
    *,
    loss: str = "hinge",
    l1: float = 0.0,
    l2: float = 1e-4,
    fit_intercept: bool = True,
) -> RiskBound:
    """The bound of the plane that the rows with a non-zero dual variable give; `certificate` is that of all rows.

    Where a row's dual variable is not stored it is minus the slope of the loss at its score.
    """
    points = points_of_rows(rows, fit_intercept)
    problem = EmpiricalRisk(points.design, points.y, loss, l1=l1, l2=l2, fit_intercept=fit_intercept)
    kept = np.flatnonzero(_duals(points, loss, weights, intercept, certificate)).astype(np.int64)
    if not 0 < kept.size < rows.n_rows:
        raise ValueError(
            f"{kept.size} of {rows.n_rows} rows matter to the fit: a compression bound needs some, not all"
        )
    more = rows.n_rows / kept.size
    solution = minimize(problem.with_rows(kept).with_strengths(l1 * more, l2 * more), tol=TOLERANCE)
    again: Any = solution.certificate
    dual = np.empty(0)
    if again.dual_rows.size:
        dual = _duals(some_points(points, kept), loss, solution.weights, solution.intercept, again)
    is_rebuilt = _differ(solution.weights, solution.intercept, weights, intercept)
    choices: dict[str, Any] = {"is_affine": fit_intercept, "is_rebuilt": is_rebuilt, "loss": loss, "l1": l1, "l2": l2}
    evidence = {**plane_evidence(solution.weights, solution.intercept), "kept_rows": kept, "kept_duals": dual}
    return risk_bound("compression_support", rows, delta, choices, evidence)


def _duals(points: Points, loss: str, weights: Vector, intercept: float, certificate: DualityGap) -> Vector:
    """Of all rows: as stored, else minus the slope of the loss."""
    scores, part = scores_of(points.design, weights, intercept).tolist(), as_loss(loss)
    dual = np.array([-float(part.derivative(z, y)) for z, y in zip(scores, points.y.tolist(), strict=True)])
    dual[certificate.dual_rows] = certificate.dual_values
    return dual


def _differ(w: Vector, b: float, other_w: Vector, other_b: float) -> bool:
    return not (np.array_equal(w, other_w) and b == other_b)

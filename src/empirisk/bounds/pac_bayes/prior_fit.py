"""The bound of a plane with a prior from some of the rows: the fit of these, which is what needs a solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.pac_bayes.prior_plane import MOST_GAP, prior_problem
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.certificates.duality_gap import DualityGap
from empirisk.designs import as_design, matrix_of
from empirisk.driver import minimize
from empirisk.protocols import Vector

TOLERANCE = 1e-6


def pac_bayes_bound(
    rows: LabelledRows,
    weights: Vector,
    intercept: float,
    delta: float = 0.05,
    *,
    loss: str = "logistic",
    l1: float = 0.0,
    l2: float = 1e-4,
    fit_intercept: bool = True,
    positive_weight: float = 1.0,
    scale: Vector | None = None,
    seed: int = 0,
    of_draw: bool = False,
) -> RiskBound:
    """The bound `pac_bayes` of a plane of these rows (`pac_bayes_draw` of a random draw around it).

    Loss and strengths are those of the fit on the prior's rows. What was chosen by looking at all rows would let the
    prior see the others: strengths must be fixed in advance or chosen again on `prior_rows`, and so must `scale`, which
    the prior's columns are divided by.
    """
    is_prior = prior_rows(rows.n_rows, seed)
    chosen = np.flatnonzero(is_prior)
    if not 0 < chosen.size < rows.n_rows:
        raise ValueError(f"{chosen.size} of {rows.n_rows} rows are the prior's: it needs some, and so does the bound")
    settings: dict[str, Any] = {"prior_loss": loss, "l1": float(l1), "l2": float(l2), "is_affine": fit_intercept}
    settings["positive_weight"] = float(positive_weight)
    by = np.ones(rows.n_columns) if scale is None else np.asarray(scale, dtype=np.float64)
    problem = prior_problem(as_design(matrix_of(rows.design)[chosen]), rows.labels[chosen], settings, by)
    solution = minimize(problem, tol=TOLERANCE)
    proof: Any = solution.certificate
    if not isinstance(proof, DualityGap) or not proof.relative_gap <= MOST_GAP:
        raise ValueError("the fit of the prior's rows is not certified: a convex loss and some l2 help")
    evidence = {
        **plane_evidence(weights, intercept),
        "prior_weights": np.asarray(solution.weights) / by,
        "prior_intercept": np.array([float(solution.intercept)]),
        "prior_scale": by,
        "dual_rows": np.asarray(proof.dual_rows, dtype=np.int64),
        "dual_values": np.asarray(proof.dual_values, dtype=np.float64),
    }
    choices = {**settings, "seed": seed}
    return risk_bound("pac_bayes_draw" if of_draw else "pac_bayes", rows, delta, choices, evidence)

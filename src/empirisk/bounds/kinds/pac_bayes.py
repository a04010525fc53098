"""The PAC-Bayes bounds of a plane of two classes, and of a random draw around it.

`pac_bayes` and `pac_bayes_draw` have a prior from half of the rows, `pac_bayes_zero` and `pac_bayes_zero_draw` N(0,
I).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.kinds.kind import (
    FIXED_COLUMNS,
    INDEPENDENT,
    PLANES,
    Arrays,
    Ingredients,
    Kind,
    Shape,
    Terms,
    register,
)
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.one_plane import one_plane
from empirisk.bounds.pac_bayes.gaussian_prior import gaussian_prior
from empirisk.bounds.pac_bayes.plane_bound import draw_bound, plane_bound
from empirisk.bounds.pac_bayes.prior_plane import check_prior_plane
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.bounds.pac_bayes.zero_prior import cosines, zero_prior_draw_bound, zero_prior_plane_bound
from empirisk.bounds.vc import log_of
from empirisk.designs import as_design, matrix_of

ROOM = 1e-7  # another machine inverts matrices otherwise
PLANE, DRAW = "the plane", "a random draw around the plane"
OWN_PRIOR = f"{INDEPENDENT}; the settings of the fit and the seed were fixed before the rows were drawn, no row but "
OWN_PRIOR += f"those of the prior had a part in the plane of the prior, and {FIXED_COLUMNS}"
ZERO_PRIOR = f"{INDEPENDENT}; {FIXED_COLUMNS}"
FIT = {"is_affine": bool, "seed": int, "prior_loss": str, "l1": float, "l2": float}
FIT["positive_weight"] = float
GAP = {"prior_objective": float, "prior_dual": float}
OF_DRAW = {"errors": int, "counted": int, "log_delta": float, "scale": float, "loss": float, "divergence": float}
OF_PLANE = {**OF_DRAW, "width": float, "is_split": bool}
EVIDENCE: Mapping[str, Shape] = MappingProxyType(
    {
        **PLANES,
        "prior_weights": (np.float64, ("d",)),
        "prior_intercept": (np.float64, (1,)),
        "prior_scale": (np.float64, ("d",)),
        "dual_rows": (np.int64, ("*",)),
        "dual_values": (np.float64, ("*",)),
    }
)


def _own_prior(of_draw: bool, rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    plane, settings = one_plane(rows, choices["is_affine"], evidence), dict[str, Any](choices)
    is_prior = prior_rows(rows.n_rows, settings["seed"])
    if not 0 < np.count_nonzero(is_prior) < rows.n_rows:
        raise ValueError("all rows, or none, are the prior's: a bound needs some of both")
    matrix, y, rest = matrix_of(rows.design), rows.labels, np.flatnonzero(~is_prior)
    own, others = as_design(matrix[np.flatnonzero(is_prior)]), as_design(matrix[rest])
    gap = check_prior_plane(own, y[is_prior], settings, evidence)
    middle = plane._replace(weights=evidence["prior_weights"], intercept=float(evidence["prior_intercept"][0]))
    prior = gaussian_prior(own, middle.vector(), plane.is_affine, settings["l2"])
    tested = rows._replace(design=others, numbers=rows.numbers[rest], printed="")
    # A label that is no class is wrong on either side.
    margins = np.where(y[rest] == 0.0, -np.inf, prior.margins(others, y[rest], plane.vector()))
    divergence, log_delta = prior.divergence(plane.vector()), log_of(delta)
    found: Any = (
        draw_bound(margins, divergence, log_delta)
        if of_draw
        else plane_bound(margins, divergence, middle.errors(tested), log_delta)
    )
    fitted = {"prior_objective": gap.objective, "prior_dual": gap.dual_value, **choices}
    return _terms(of_draw, found, plane.errors(tested), log_delta, fitted, OWN_PRIOR)


def _zero_prior(of_draw: bool, rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    plane = one_plane(rows, choices["is_affine"], evidence)
    if not np.any(plane.vector()):
        raise ValueError("a plane of zero weights has no direction")
    y = rows.labels
    k = np.where(y == 0.0, -1.0, cosines(rows.design, y, plane.vector(), plane.is_affine))
    log_delta = log_of(delta)
    found: Any = (zero_prior_draw_bound if of_draw else zero_prior_plane_bound)(k, log_delta)
    return _terms(of_draw, found, plane.errors(rows), log_delta, choices, ZERO_PRIOR)


def _terms(
    of_draw: bool, found: Any, is_wrong: NDArray[np.bool_], log_delta: float, others: Ingredients, assumption: str
) -> Terms:
    """Of a bound, with the errors of the plane on the rows that were counted."""
    made_of = {name: value for name, value in found._asdict().items() if name != "value"}
    errors, counted = int(np.count_nonzero(is_wrong)), is_wrong.size
    empirical, predictor = (found.loss, DRAW) if of_draw else (errors / counted, PLANE)
    parts = {"errors": errors, "counted": counted, "log_delta": log_delta, **made_of, **others}
    return Terms(found.value, empirical, parts, predictor, assumption)


for end, of_draw, parts in (("", False, OF_PLANE), ("_draw", True, OF_DRAW)):
    own, zero = functools.partial(_own_prior, of_draw), functools.partial(_zero_prior, of_draw)
    register(Kind(f"pac_bayes{end}", LabelledRows, own, {**parts, **GAP, **FIT}, tuple(FIT), EVIDENCE, ROOM))
    register(Kind(f"pac_bayes_zero{end}", LabelledRows, zero, {**parts, "is_affine": bool}, ("is_affine",), room=ROOM))

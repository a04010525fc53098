"""The compression bounds: of a perceptron, of the widest gap, and of a minimum with rows that do not matter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.compression.bound import compression_bound
from empirisk.bounds.compression.rules import (
    ends_of_minimum,
    ends_of_widest_gap,
    perceptron_again,
    points_of_rows,
    some_points,
)
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
from empirisk.bounds.mistakes import mistakes
from empirisk.bounds.vc import log_of

ASSUMPTION = f"{INDEPENDENT}; the settings of the fit were fixed before the rows were drawn, and {FIXED_COLUMNS}"
KEPT: Mapping[str, Shape] = MappingProxyType(
    {**PLANES, "kept_rows": (np.int64, ("*",)), "kept_duals": (np.float64, ("*",))}
)


def _perceptron(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    settings: Any = choices
    run = perceptron_again(
        points_of_rows(rows, settings["is_affine"]),
        settings["form"],
        settings["order"],
        settings["seed"],
        settings["visits"],
    )
    w, b = evidence["weights"], evidence["intercept"]
    if not (np.array_equal(run.weights, w[0]) and run.intercept == b[0]):
        raise ValueError("the plane is not the one that the run ends with")
    return _terms(rows, delta, run.kept, evidence, choices, "the plane", run.log_messages)


def _widest_gap(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    points, kept = points_of_rows(rows, choices["is_affine"]), evidence["kept_rows"]
    some, shares = some_points(points, kept), evidence["kept_duals"]
    if shares.shape != kept.shape:
        raise ValueError("each kept row must have a share")
    low, high = ends_of_widest_gap(some, shares, evidence["weights"][0], float(evidence["intercept"][0]))
    return _terms(rows, delta, kept, evidence, {"low": low, "high": high, **choices}, _predictor(choices))


def _support(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    settings: Any = choices
    points, kept = points_of_rows(rows, settings["is_affine"]), evidence["kept_rows"]
    some, dual = some_points(points, kept), evidence["kept_duals"]
    if dual.shape not in (kept.shape, (0,)):
        raise ValueError("each kept row must have a dual variable, or none")
    more = rows.n_rows / kept.size
    w, b = evidence["weights"][0], float(evidence["intercept"][0])
    given = dual if dual.size else None
    strengths = settings["l1"] * more, settings["l2"] * more
    low, high = ends_of_minimum(some, settings["loss"], *strengths, w, b, given)
    return _terms(rows, delta, kept, evidence, {"low": low, "high": high, **choices}, _predictor(choices))


def _predictor(choices: Ingredients) -> str:
    return "the rebuilt plane" if choices["is_rebuilt"] else "the plane"


def _terms(
    rows: LabelledRows,
    delta: float,
    kept: NDArray[np.int64],
    evidence: Arrays,
    others: Ingredients,
    predictor: str,
    log_messages: float = 0.0,
) -> Terms:
    is_wrong = mistakes(rows, evidence["weights"], evidence["intercept"])
    k, log_delta = int(np.count_nonzero(np.delete(is_wrong, kept))), log_of(delta)
    value = compression_bound(k, rows.n_rows, kept.size, log_delta, log_messages)
    found = {"errors": k, "kept": int(kept.size), "log_delta": log_delta, "log_messages": float(log_messages), **others}
    return Terms(value, k / max(1, rows.n_rows - kept.size), found, predictor, ASSUMPTION)


COUNTS = {"errors": int, "kept": int, "log_delta": float, "log_messages": float}
ENDS = {"low": float, "high": float}
RUN = {"is_affine": bool, "form": str, "order": str, "seed": int, "visits": int}
REBUILT = {"is_affine": bool, "is_rebuilt": bool}
FIT = {**REBUILT, "loss": str, "l1": float, "l2": float}
register(Kind("compression_perceptron", LabelledRows, _perceptron, {**COUNTS, **RUN}, tuple(RUN)))
register(Kind("compression_gap", LabelledRows, _widest_gap, {**COUNTS, **ENDS, **REBUILT}, tuple(REBUILT), KEPT))
register(Kind("compression_support", LabelledRows, _support, {**COUNTS, **ENDS, **FIT}, tuple(FIT), KEPT))

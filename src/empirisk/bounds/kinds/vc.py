"""The VC bounds of planes: `vapnik`, `vc_tail`, and `vc_sparse` for planes with few non-zero weights."""

from __future__ import annotations

import numpy as np

from empirisk.bounds.growth import growth_of_classes
from empirisk.bounds.kinds.kind import FIXED_COLUMNS, INDEPENDENT, Arrays, Ingredients, Kind, Terms, register
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.mistakes import mistakes
from empirisk.bounds.vc import GHOSTS, TailBound, log_of, sparse_cost, tail_bound, vapnik, vapnik_confidence

ASSUMPTION = f"{INDEPENDENT}; {FIXED_COLUMNS}"


def dimension(rows: LabelledRows, is_affine: object, weights: Arrays) -> int:
    """h of the planes: d through the origin, d + 1 affine."""
    if not isinstance(is_affine, bool):
        raise ValueError("whether the planes are affine must be said by True or False")
    if not is_affine and np.any(weights["intercept"]):
        raise ValueError("a plane through the origin has no intercept")
    return rows.n_columns + is_affine


def predictor_of(rows: LabelledRows) -> str:
    """What J is about."""
    return "the plane" if len(rows.classes) == 2 else "the planes"


def _vapnik(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    if len(rows.classes) > 2:
        raise ValueError("Vapnik's bound is for two classes; vc_tail is for more, too")
    h = dimension(rows, choices["is_affine"], evidence)
    k, n = _count(rows, evidence), rows.n_rows
    found = {"errors": k, "h": h, **choices, "confidence": vapnik_confidence(n, h, delta)}
    return Terms(vapnik(k, n, h, delta), k / n, found, predictor_of(rows), ASSUMPTION)


def _vc_tail(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    h = dimension(rows, choices["is_affine"], evidence)
    k, n = _count(rows, evidence), rows.n_rows
    bound = tail_bound(k, n, growth_of_classes(h, (1 + GHOSTS) * n, len(rows.classes)), log_of(delta))
    return _terms(rows, k, h, bound, choices)


def _vc_sparse(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    dimension(rows, choices["is_affine"], evidence)
    nonzero = int(np.count_nonzero(np.any(evidence["weights"] != 0.0, axis=0)))
    h = max(1, nonzero + bool(choices["is_affine"]))
    k, n = _count(rows, evidence), rows.n_rows
    log_growth = growth_of_classes(h, (1 + GHOSTS) * n, len(rows.classes))
    bound = tail_bound(k, n, log_growth, log_of(delta) - sparse_cost(rows.n_columns, nonzero))
    return _terms(rows, k, h, bound, {**choices, "nonzero": nonzero})


def _terms(rows: LabelledRows, k: int, h: int, bound: TailBound, others: Ingredients) -> Terms:
    found = {"errors": k, "h": h, **others, **{x: y for x, y in bound._asdict().items() if x != "value"}}
    return Terms(bound.value, k / rows.n_rows, found, predictor_of(rows), ASSUMPTION)


def _count(rows: LabelledRows, evidence: Arrays) -> int:
    return int(np.count_nonzero(mistakes(rows, evidence["weights"], evidence["intercept"])))


COUNTS = {"errors": int, "h": int, "is_affine": bool}
TAIL = {**COUNTS, "ghosts": int, "log_growth": float, "log_level": float, "marked": int}
register(Kind("vapnik", LabelledRows, _vapnik, {**COUNTS, "confidence": float}, ("is_affine",)))
register(Kind("vc_tail", LabelledRows, _vc_tail, TAIL, ("is_affine",)))
register(Kind("vc_sparse", LabelledRows, _vc_sparse, {**TAIL, "nonzero": int}, ("is_affine",)))

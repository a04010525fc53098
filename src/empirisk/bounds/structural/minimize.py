"""The plane of a nested list of classes whose guaranteed risk is least, beside what cross-validation would pick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from empirisk.bounds.kinds.structural import dimension
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.risk_bound import RiskBound, plane_evidence, risk_bound
from empirisk.bounds.structural.classes import PlaneClass
from empirisk.designs import rows_of
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points

Planes = list[tuple[Vector, float]]
FitAll = Callable[[Points], Planes]  # a plane for each class


class Judged(NamedTuple):
    """A class, the plane that was fitted in it, and what is known of its risk."""

    name: str
    h: int
    bound: RiskBound
    cv_error: float  # the share of wrong predictions on rows left out, NaN where it was not asked for


def judge_classes(
    points: Points,
    rows: LabelledRows,
    classes: Sequence[PlaneClass],
    fit_all: FitAll,
    delta: float,
    *,
    told: Sequence[int] | None = None,
    folds: int = 0,
    seed: int = 0,
) -> list[Judged]:
    """The guaranteed risk of each class, j at delta / (j (j + 1)); `told` are VC dimensions that the user tells."""
    errors = _left_out(points, fit_all, len(classes), folds, seed)
    found = []
    for place, (c, plane) in enumerate(zip(classes, fit_all(points), strict=True)):
        choices = {
            "place": place + 1,
            "most_nonzero": c.most_nonzero,
            "is_affine": points.fit_intercept,
            "told_h": told[place] if told is not None else 0,
        }
        evidence = {**plane_evidence(*plane), "allowed": c.allowed}
        bound = risk_bound("structural", rows, delta, choices, evidence)
        h = choices["told_h"] or dimension(int(c.allowed.sum()), c.most_nonzero, points.fit_intercept)
        found.append(Judged(c.name, int(h), bound, float(errors[place])))
    return found


def _left_out(points: Points, fit_all: FitAll, n_classes: int, folds: int, seed: int) -> Vector:
    """The share of rows that the planes fitted without them predict wrong; every fold is fitted on both labels."""
    if folds == 0:
        return np.full(n_classes, np.nan)
    order: Any = np.random.default_rng(seed).permutation(points.n_rows)
    order = order[np.argsort(points.y[order], kind="stable")]  # each fold has its share of both labels
    fold_of = np.empty(points.n_rows, dtype=np.int64)
    fold_of[order] = np.arange(points.n_rows) % folds
    wrong = np.zeros(n_classes)
    for fold in range(folds):
        kept, out = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        if out.size == 0:
            continue
        if np.unique(points.y[kept]).size < 2:
            return np.full(n_classes, np.nan)
        planes = fit_all(points._replace(design=rows_of(points.design, kept), y=points.y[kept]))
        design = rows_of(points.design, out)
        for place, (w, b) in enumerate(planes):
            wrong[place] += np.count_nonzero((scores_of(design, w, b) >= 0.0) != (points.y[out] > 0.0))
    return wrong / points.n_rows

"""Structural risk: class j of a nested list at delta / (j (j + 1)), each by the tail bound of its VC dimension.

Class j has the planes whose weights are zero outside of some columns, m of them, with at most s weights that are not
zero: h = s (+ 1 affine), and where s < m the C(m, s) choices of columns are paid for. The list is fixed before the rows
are drawn; sum_j 1 / (j (j + 1)) = 1. Of another list of estimators the user tells h, and the assumption says so.
Reference: Vapnik (1998), Statistical learning theory, chapter 6.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.growth import growth
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
from empirisk.bounds.kinds.vc import TAIL
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.mistakes import mistakes
from empirisk.bounds.tails import log_choose
from empirisk.bounds.tails.factorials import STEP
from empirisk.bounds.vc import GHOSTS, log_of, tail_bound
from empirisk.parameters import check_count

ASSUMPTION = f"{INDEPENDENT}; {FIXED_COLUMNS}, and so was the list of classes"


def dimension(allowed: int, most_nonzero: int, is_affine: bool) -> int:
    """h of planes with at most s weights that are not zero, among m columns."""
    return max(1, min(most_nonzero, allowed) + is_affine)


def _structural(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    if len(rows.classes) > 2:
        raise ValueError("structural risk is about two classes")
    place, told = check_count("place", choices["place"]), check_count("told_h", choices["told_h"], 0)
    most, is_affine = check_count("most_nonzero", choices["most_nonzero"], 0), choices["is_affine"]
    if not isinstance(is_affine, bool):
        raise ValueError("whether the planes are affine must be said by True or False")
    weights, allowed = evidence["weights"][0], evidence["allowed"] != 0
    n_allowed = int(np.count_nonzero(allowed))
    if np.any((evidence["allowed"] != 0) & (evidence["allowed"] != 1)):
        raise ValueError("a column is allowed, 1, or it is not, 0")
    if most > n_allowed:
        raise ValueError("there are fewer columns than weights that need not be zero")
    if np.any(weights[~allowed]) or np.count_nonzero(weights) > most or (evidence["intercept"][0] and not is_affine):
        raise ValueError("the plane is not in its class")
    h = told or dimension(n_allowed, most, is_affine)
    k, n = int(np.count_nonzero(mistakes(rows, evidence["weights"], evidence["intercept"]))), rows.n_rows
    log_delta = log_of(delta) - math.log(place * (place + 1.0)) - log_choose(n_allowed, min(most, n_allowed))
    bound = tail_bound(k, n, growth(h, (1 + GHOSTS) * n), log_delta - 4.0 * STEP * abs(log_delta))
    found = {"errors": k, "h": h, **choices, **{x: v for x, v in bound._asdict().items() if x != "value"}}
    assumption = f"{ASSUMPTION}; its VC dimensions are as the user told" if told else ASSUMPTION
    return Terms(bound.value, k / n, found, "the plane", assumption)


CHOICES = ("place", "most_nonzero", "is_affine", "told_h")
ARRAYS: dict[str, Shape] = {**PLANES, "allowed": (np.int64, ("d",))}
INGREDIENTS = {**TAIL, "place": int, "most_nonzero": int, "told_h": int}
register(Kind("structural", LabelledRows, _structural, INGREDIENTS, CHOICES, ARRAYS))

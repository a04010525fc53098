"""Occam's razor for planes with integer weights: J = B(k, n, delta exp(-length)), length of the code of the plane."""

from __future__ import annotations

import numpy as np

from empirisk.bounds.integers.code import LARGEST_EXPONENT, IntegerPlane
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
from empirisk.bounds.tails import binomial_upper
from empirisk.bounds.tails.factorials import STEP
from empirisk.bounds.vc import log_of

ASSUMPTION = f"{INDEPENDENT}; {FIXED_COLUMNS}"


def integer_evidence(plane: IntegerPlane) -> Arrays:
    """The plane as weights and intercept, and as the integers and powers of two that were coded."""
    values, exponents = np.zeros((2, plane.n_columns), dtype=np.int64)
    values[plane.columns], exponents[plane.columns] = plane.values, plane.exponents
    weights, intercept = plane.weights()[None], np.array([float(plane.intercept)])
    return {"weights": weights, "intercept": intercept, "values": values, "exponents": exponents}


def coded_plane(evidence: Arrays) -> IntegerPlane:
    """The way back; ValueError where the weights are not these integers times these powers of two."""
    values, exponents, b = evidence["values"], evidence["exponents"], float(evidence["intercept"][0])
    columns = np.flatnonzero(values)
    if not b.is_integer() or np.any(np.abs(exponents) > LARGEST_EXPONENT):
        raise ValueError("the plane is not in the code")
    plane = IntegerPlane(values.size, columns, values[columns], exponents[columns], int(b))
    length = plane.length()  # refuses values that are too large, before they are weights
    if not (length >= 0.0 and all(map(np.array_equal, integer_evidence(plane).values(), evidence.values()))):
        raise ValueError("the weights are not the integers that are coded")
    return plane


def _integers(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    if len(rows.classes) > 2:
        raise ValueError("planes with integer weights are between two classes")
    plane = coded_plane({name: evidence[name] for name in ARRAYS})
    k, n = int(np.count_nonzero(mistakes(rows, evidence["weights"], evidence["intercept"]))), rows.n_rows
    length = plane.length()
    log_level = (log_of(delta) - length) * (1.0 + 2.0 * STEP)  # the level itself may be below the smallest float
    found = {"errors": k, "nonzero": int(plane.columns.size), "code_length": length, "log_level": log_level}
    return Terms(binomial_upper(k, n, log_level), k / n, found, "the plane", ASSUMPTION)


ARRAYS: dict[str, Shape] = {**PLANES, "values": (np.int64, ("d",)), "exponents": (np.int64, ("d",))}
INGREDIENTS = {"errors": int, "nonzero": int, "code_length": float, "log_level": float}
register(Kind("integers", LabelledRows, _integers, INGREDIENTS, arrays=ARRAYS))

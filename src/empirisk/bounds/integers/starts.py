"""Where the search for a plane with integer weights starts: planes of the l1 path, rounded at many scales.

Column j is taken times 2^e_j, with e_j such that its values spread over one to two units: l1 then weighs columns alike,
whatever they are measured in. Starts are no part of the proof, so that some of the rows are enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.integers.code import LARGEST_EXPONENT
from empirisk.designs import CSR, Dense
from empirisk.designs.transposed import scaled_rows
from empirisk.paths import path, strength_grid
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.separation.points import Points

STRENGTHS, RATIO = 12, 1e-3  # of the l1 path
ROUGHLY = 1e-2  # the tolerance of its certificates
SIZES = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83)  # of the largest weight, in units of the limit; beyond 1 it is cut
FINER = (0, 1, 2)  # powers of two by which the steps of the intercept are finer than those of the weights
WIDEST = 64  # powers of two that the scales of columns may span


class Start(NamedTuple):
    """Integer weights for all columns, their exponents, and the intercept."""

    limit: int
    values: NDArray[np.int64]
    exponents: NDArray[np.int64]
    intercept: int


def spreads(columns: Dense | CSR, n_rows: int) -> Vector:
    """Largest less least value of each column, each a row of `columns`; zero where it is constant."""
    if isinstance(columns, Dense):
        with np.errstate(over="ignore"):
            return np.asarray(columns.values.max(axis=1) - columns.values.min(axis=1), dtype=np.float64)
    found = np.zeros(columns.n_rows())
    for j in range(found.size):
        values = columns.values[columns.starts[j] : columns.starts[j + 1]]
        if values.size:
            zero = 0.0 if values.size < n_rows else float(values[0])
            found[j] = max(float(values.max()), zero) - min(float(values.min()), zero)
    return found


def scales_for(spread: Vector) -> NDArray[np.int64]:
    """An exponent for each column, within `WIDEST` of each other: the column times 2^e spreads over 1 to 2."""
    is_used = (spread > 0.0) & np.isfinite(spread)
    exponents = np.zeros(spread.size, dtype=np.int64)
    exponents[is_used] = 1 - np.frexp(spread[is_used])[1]
    if np.any(is_used):
        middle = int(np.median(exponents[is_used]))
        exponents = np.clip(exponents, middle - WIDEST // 2, middle + WIDEST // 2 - 1)
    return np.clip(exponents, -LARGEST_EXPONENT, LARGEST_EXPONENT)


def l1_planes(
    points: Points, rows: NDArray[np.int64], usable: NDArray[np.int64], exponents: NDArray[np.int64]
) -> list[tuple[Vector, float]]:
    """For each strength the weights of columns times 2^exponents, and the intercept; none where no column matters."""
    y = points.y[rows]
    if usable.size == 0 or np.all(y == y[0]):
        return []
    factors = np.zeros(exponents.size)  # a constant column would be a second intercept
    factors[usable] = np.ldexp(1.0, exponents[usable])
    scaled = scaled_rows(points.design, rows, factors)
    problem = EmpiricalRisk(scaled, y, "logistic", l2=0.0, fit_intercept=points.fit_intercept)
    try:
        strengths = strength_grid(problem, "l1", n=STRENGTHS, ratio=RATIO)
    except ValueError:  # no column changes the mean loss
        return []
    found = path(problem, strengths, of="l1", tol=ROUGHLY)
    return list(zip(found.weights, found.intercepts.tolist(), strict=True))


def rounded(w: Vector, b: float, limit: int, given: NDArray[np.int64], exponents: NDArray[np.int64]) -> Iterator[Start]:
    """The plane (w, b) of columns times 2^given as integers times 2^exponents, at many scales."""
    weights = np.ldexp(w, given - exponents)
    top = float(np.abs(weights).max(initial=0.0))
    if not 0.0 < top < math.inf:
        return
    for size in SIZES:
        factor = size * limit / top
        values = np.clip(np.rint(weights * factor), -limit, limit).astype(np.int64)
        for finer in FINER:
            c = math.ldexp(b * factor, finer)
            if np.any(values) and abs(c) < 2.0**50:
                yield Start(limit, values, exponents + finer, round(c))

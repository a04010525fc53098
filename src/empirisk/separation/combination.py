"""Convex combinations of rows, in exact terms: their weights are multiples of 2^-52 that sum to 1, and products of
floats are split into two floats without rounding, so that a sum is rounded once (Dekker 1971; Shewchuk 1997)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.designs import CSR, matrix_of
from empirisk.protocols import Vector

GRID = 2.0**52
SPLIT = 2.0**27 + 1.0
SAFE = 2.0**990  # beyond, a split overflows
TINY = 2.0**-1060  # more than what is lost of a product that underflows


def shares_of(weights: Vector) -> Vector:
    """Weights divided by their sum, as multiples of 2^-52 whose exact sum is 1; small ones become zero."""
    shares = np.floor(weights / weights.max() / np.sum(weights / weights.max()) * GRID)
    largest = int(np.argmax(shares))
    shares[largest] = 0.0
    shares[largest] = float(int(GRID) - sum(map(int, shares)))  # each is an integer below 2^53
    return shares / GRID


def is_convex_combination(shares: Any) -> bool:
    """Whether these are numbers >= 0 that sum to exactly 1."""
    return all(math.isfinite(x) and x >= 0.0 for x in shares) and sum(map(Fraction, shares)) == 1


def largest_coordinates(design: Any, rows: NDArray[np.int64], factors: Vector, minus: Vector | None = None) -> Vector:
    """Upper bounds of the coordinates of |sum_i factors_i x_i - minus|; infinite where numbers are too large."""
    d = design.n_columns()
    chosen = matrix_of(design)[rows]
    if isinstance(design, CSR):
        columns = chosen.tocsc()
        values, starts = columns.data.astype(np.float64), columns.indptr
        products, errors = _products(values, factors[columns.indices])
    else:
        values = np.ascontiguousarray(chosen.T, dtype=np.float64).reshape(-1)
        starts = np.arange(d + 1) * rows.size
        products, errors = _products(values, np.tile(factors, d))
    if not (np.all(np.abs(values) < SAFE) and np.all(np.isfinite(products))):
        return np.full(d, np.inf)
    sums = np.zeros(d) if minus is None else -minus
    terms = np.stack([products, errors], axis=1).reshape(-1).tolist()
    for j in np.flatnonzero(np.diff(starts)):  # of wide data few columns are met
        sums[j] = math.fsum((*terms[2 * starts[j] : 2 * starts[j + 1]], sums[j]))
    return np.abs(sums) * (1.0 + 2.0 * UNIT) + rows.size * TINY


def _products(x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """x y rounded, and what rounding took."""
    with np.errstate(all="ignore"):  # large numbers are refused above
        high_x, low_x = _split(x)
        high_y, low_y = _split(y)
        product = x * y
        error = ((high_x * high_y - product) + high_x * low_y + low_x * high_y) + low_x * low_y
    return product, error


def _split(x: Vector) -> tuple[Vector, Vector]:
    shifted = SPLIT * x
    high = shifted - (shifted - x)
    return high, x - high

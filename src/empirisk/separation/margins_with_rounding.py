"""Margins and norms with a bound on their rounding: floating point first, exact integers where it cannot decide.

A dot product of k terms, in whatever order it is summed, is off by at most gamma_k sum_j |x_j w_j| with
gamma_k = k u / (1 - k u), u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), and by 2^-1074 for
each product that underflows. `room` is a factor on bounds: with 3 they hold on every machine that computes with 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from empirisk.arithmetic import SMALLEST, UNIT, norm_bounds, rounded_down
from empirisk.arithmetic.exact_products import SAFE, UNDERFLOW, exact_products
from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, as_design, matrix_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import exact_margins

SHARP = 1e-10  # rounding relative to the margin, above which the least margins are computed exactly
SHRINK = -100  # the power of two by which numbers are multiplied that are too large for exact products
HIDDEN, BLURRED = 1, 2


def least_margin(points: Points, w: Vector, b: float, least: float = 0.0) -> float | None:
    """A lower bound of min_i y_i (<w, x_i> + b); None where a margin is < `least`, or not > 0, which is exact.

    The bound is at least 1 - 3 SHARP of the minimum, on any machine.
    """
    plane = np.asarray(w, dtype=np.float64)
    lows, doubts = np.empty(points.n_rows), np.zeros(points.n_rows, dtype=np.int8)
    with np.errstate(all="ignore"):  # what overflows is doubtful; only the interpreter would warn
        low, high = _least_margin(points.design, points.y, plane, float(b), least, lows, doubts)
    if math.isnan(low):
        return None
    is_asked = (doubts == HIDDEN) | ((doubts == BLURRED) & (lows < high))
    for margin in exact_margins(points, np.flatnonzero(is_asked).tolist(), w, b):
        if margin < least or margin <= 0:
            return None
        low = min(low, rounded_down(margin))
    low = min(low, np.min(lows, where=(doubts == BLURRED) & ~is_asked, initial=math.inf))
    return float(low) if 0.0 < low < math.inf else None


def largest_and_nearest(points: Points, room: float) -> tuple[float, int]:
    """An upper bound of max_i ||z_i||, and the row whose z_i has about the least norm."""
    values = points.design.values
    size = max(float(values.max()), -float(values.min())) if values.size else 0.0
    size = max(size, 1.0 if points.fit_intercept else 0.0)
    exponent = max(math.frexp(size)[1], -1000)
    one = math.ldexp(1.0, -exponent) if points.fit_intercept else 0.0
    square, row, count = _norms(points.design, math.ldexp(1.0, -exponent), one)
    off = room * 1.01 * (count + 6) * UNIT
    try:
        return math.ldexp(math.sqrt(square) * (1.0 + off) + room * count * 2.0**-500, exponent), int(row)
    except OverflowError:
        return math.inf, int(row)


def combination_norm(points: Points, rows: ArrayLike, weights: ArrayLike, room: float) -> float:
    """An upper bound of ||sum_i weights_i z_i||, weights >= 0, sharp even where the points nearly cancel."""
    chosen, design = np.asarray(rows, dtype=np.int64), points.design
    factors = points.y[chosen] * np.asarray(weights, dtype=np.float64)
    if isinstance(design, CSR):  # of wide data the rows meet few columns
        matrix = matrix_of(design)[chosen]
        met, places = np.unique(matrix.indices, return_inverse=True)
        parts = (matrix.data, places.ravel(), matrix.indptr)
        design, chosen = as_design(csr_array(parts, shape=(chosen.size, met.size))), np.arange(chosen.size)
    sizes = largest_coordinates(design, chosen, factors)
    one = abs(math.fsum(factors.tolist())) * (1.0 + 2.0 * UNIT) if points.fit_intercept else 0.0
    return norm_bounds(np.append(sizes, one), room)[1]


def largest_coordinates(
    design: Dense | CSR, rows: NDArray[np.int64], factors: Vector, minus: Vector | None = None
) -> Vector:
    """Upper bounds of the coordinates of |sum_i factors_i x_i - minus|; infinite where they overflow."""
    d = design.n_columns()
    chosen = matrix_of(design)[rows]
    if isinstance(design, CSR):
        columns = chosen.tocsc()
        values, starts = columns.data.astype(np.float64), columns.indptr
        along = factors[columns.indices]
    else:
        values = np.ascontiguousarray(chosen.T, dtype=np.float64).reshape(-1)
        starts = np.arange(d + 1) * rows.size
        along = np.tile(factors, d)
    power = 0 if np.all(np.abs(values) < SAFE) else SHRINK
    values = np.ldexp(values, power)
    products, errors = exact_products(values, along)
    if not np.all(np.isfinite(products)):
        return np.full(d, np.inf)
    sums = np.zeros(d) if minus is None else -np.ldexp(minus, power)
    terms = np.stack([products, errors], axis=1).reshape(-1).tolist()
    for j in np.flatnonzero(np.diff(starts)):  # of wide data few columns are met
        sums[j] = math.fsum((*terms[2 * starts[j] : 2 * starts[j + 1]], sums[j]))
    with np.errstate(over="ignore"):
        return np.ldexp(np.abs(sums) * (1.0 + 2.0 * UNIT) + (rows.size + 1) * UNDERFLOW, -power)


@kernel
def _least_margin(X, y, w, b, least, lows, doubts):
    """The least of margin - rounding where that is sharp, and the least of margin + rounding.

    Rows that rounding may put on another side are marked HIDDEN, those that are not sharp and may be the least BLURRED,
    with their margin - rounding in lows. The first is nan where a margin is surely too small.
    """
    low = math.inf
    high = math.inf
    for i in range(y.size):
        score, sizes, _ = X.measure_row(i, w)
        margin = y[i] * (score + b)
        count = X.row_size(i) + 3
        off = 1.01 * count * UNIT * (sizes + abs(b)) + count * SMALLEST
        if margin + off < least or margin + off < 0.0:
            return math.nan, high
        if margin + off < high:  # not where it is nan
            high = margin + off
        if margin - off >= least and margin - off > 0.0:
            if off <= SHARP * margin:
                low = min(low, margin - off)
            elif margin - off < high:
                doubts[i] = BLURRED
                lows[i] = margin - off
        else:
            doubts[i] = HIDDEN  # or a number overflowed
    return low, high


@kernel
def _norms(X, scale, one):
    """The largest ||z_i||^2 after scaling, the row of the least, and the most entries of a row."""
    largest = 0.0
    least = math.inf
    nearest = 0
    count = 0
    for i in range(X.n_rows()):
        square = one * one
        for k in range(X.row_size(i)):
            x = np.float64(X.entry_at(i, k)) * scale
            square += x * x
        largest = max(largest, square)
        count = max(count, X.row_size(i))
        if square < least:
            least = square
            nearest = i
    return largest, nearest, count

"""From noisy multipliers to few points: Caratheodory's steps in floating point, before exact arithmetic.

sum_i lambda_i z_i = 0 with lambda > 0 on m points of rank r < m - 1 leaves some v != 0 with sum_i v_i z_i = 0 that is
no multiple of lambda; lambda - t v, with the largest t that keeps it >= 0, has one point less. Repeated, a set is left
that depends on itself in one way only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from empirisk.arithmetic.integer_null_space import dependence
from empirisk.arithmetic.integer_points import IntegerPoints
from empirisk.designs import matrix_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points

ZERO = 1e-9  # of the largest entry of v: smaller ones decide nothing
MOST_COLUMNS = 1000  # coordinates for which points are reduced by counting alone: a factorisation of twice as many

Rows = NDArray[np.int64]


class Few(NamedTuple):
    """Points and weights, heaviest first, after scaling coordinates by powers of two and then points to norm 1."""

    rows: Rows
    weights: Vector
    residual: float  # the norm of the weighted sum of all points that were given, weights summing to 1


def few_points(points: Points, rows: Rows, multipliers: Vector) -> Few:
    """At most one point more than there are coordinates, with the same sum; all, where these are too many.

    Rows of weight zero only take part in the scaling of the coordinates.
    """
    is_used = multipliers > 0.0
    units, norms = _unit_points(points, rows, is_used)
    rows, width = rows[is_used], units.shape[1]
    weights = multipliers[is_used] / multipliers.max() * norms
    weights /= weights.sum()
    residual = float(np.linalg.norm(units.T @ weights))
    order = np.argsort(-weights, kind="stable")
    if width > MOST_COLUMNS or rows.size <= width + 1:
        return Few(rows[order], weights[order], residual)
    kept, left = order[: width + 1], weights[order[: width + 1]]
    for first in range(width + 1, rows.size, width + 1):
        more = order[first : first + width + 1]
        kept, left = np.concatenate([kept, more]), np.concatenate([left, weights[more]])
        # More points than coordinates: what the factor Q has beyond those sums the points to zero, whatever their rank.
        used, left = _peeled(scipy.linalg.qr(_dense(units[kept]))[0][:, width:], left)
        kept = kept[used]
    heaviest = np.argsort(-left, kind="stable")
    return Few(rows[kept[heaviest]], left[heaviest], residual)


def dependent_in_one_way(points: IntegerPoints, weights: Vector) -> list[int] | None:
    """Points of rank one less than their number, with positive weights as far as floating point tells; None if none.

    Which points depend on which is decided modulo a prime, how they do by least squares.
    """
    found = dependence(points)
    if found.others.size == 0:
        return None
    if found.others.size == 1:
        return list(range(len(points.values)))
    units = _as_floats(points)
    null = np.zeros((len(units), found.others.size))
    null[found.others, np.arange(found.others.size)] = 1.0
    null[found.pivots] = -np.linalg.lstsq(units[found.pivots].T, units[found.others].T, rcond=None)[0]
    return _peeled(null, weights)[0].tolist()


def refined(points: Points, rows: Rows, weights: Vector) -> Vector:
    """Weights of the points themselves, from those of `few_points`, that sum to zero as nearly as floats can.

    One correction of least size; where it makes a weight negative the weights stay as they are.
    """
    units, norms = _unit_points(points, rows, np.ones(rows.size, dtype=np.bool_))
    residual = units.T @ weights
    change = scipy.sparse.linalg.lsmr(units.T, -residual, atol=1e-15, btol=1e-15)[0]
    better = weights + change
    return (better if np.all(better > 0.0) else weights) / norms


def _peeled(null: NDArray[np.float64], weights: Vector) -> tuple[Rows, Vector]:
    """Take away points until one column of `null`, whose columns sum the points to zero, is left."""
    null, weights = null.copy(), weights.copy()
    is_left = np.ones(weights.size, dtype=np.bool_)
    for last in range(null.shape[1] - 1, 0, -1):
        v = null[:, last]
        v = v if v.max() >= -v.min() else -v
        falls = np.flatnonzero(v > ZERO * v.max())
        gone = falls[np.argmin(weights[falls] / v[falls])]
        weights = np.maximum(weights - weights[gone] / v[gone] * v, 0.0)
        null[:, :last] -= np.outer(v, null[gone, :last] / v[gone])
        is_left[gone], weights[gone], null[gone] = False, 0.0, 0.0
    return np.flatnonzero(is_left), weights[is_left]


def _unit_points(points: Points, rows: Rows, is_used: NDArray[np.bool_]) -> tuple[Any, Vector]:
    """The z_i of the rows that are used, and their norms, by which they were divided.

    Each coordinate is first scaled by a power of two to at most 1 in size in all of the rows.
    """
    matrix = matrix_of(points.design)[rows].astype(np.float64)
    is_sparse = scipy.sparse.issparse(matrix)
    sizes = np.asarray(abs(matrix).max(axis=0).todense()).ravel() if is_sparse else np.abs(matrix).max(axis=0)
    met = np.flatnonzero(sizes)
    scales = np.ldexp(1.0, np.clip(-np.frexp(sizes[met])[1], -1000, 1000))
    matrix, signs = matrix[is_used], points.y[rows[is_used]]
    if is_sparse:
        matrix = scipy.sparse.diags_array(signs) @ matrix[:, met] @ scipy.sparse.diags_array(scales)
        parts = [matrix, scipy.sparse.csr_array(signs[:, None])] if points.fit_intercept else [matrix]
        matrix = scipy.sparse.hstack(parts, format="csr")
        tops = _row_powers(np.asarray(abs(matrix).max(axis=1).todense()).ravel())
        matrix.data = np.ldexp(matrix.data, -np.repeat(tops, np.diff(matrix.indptr)))
        norms = _norms(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        return scipy.sparse.diags_array(1.0 / norms) @ matrix, np.ldexp(norms, tops)
    matrix = signs[:, None] * (matrix[:, met] * scales)
    matrix = np.column_stack([matrix, signs]) if points.fit_intercept else matrix
    tops = _row_powers(np.abs(matrix).max(axis=1, initial=0.0))
    matrix = np.ldexp(matrix, -tops[:, None])
    norms = _norms(np.sum(matrix * matrix, axis=1))
    return matrix / norms[:, None], np.ldexp(norms, tops)


def _row_powers(largest: Vector) -> NDArray[np.int64]:
    """Of two, by which rows are divided before they are squared: squares of rows far smaller than others vanish."""
    return np.frexp(np.where(largest > 0.0, largest, 0.5))[1].astype(np.int64)


def _norms(squares: Vector) -> Vector:
    """1 for a row whose entries all vanish beside those of others."""
    return np.sqrt(np.where(squares > 0.0, squares, 1.0))


def _dense(matrix: Any) -> NDArray[np.float64]:
    return matrix.toarray() if scipy.sparse.issparse(matrix) else matrix


def _as_floats(points: IntegerPoints) -> NDArray[np.float64]:
    """The points, each coordinate divided by its largest size, and each to norm 1."""
    largest = [1] * points.n_coordinates
    for coordinates, values in zip(points.coordinates, points.values, strict=True):
        for c, value in zip(coordinates, values, strict=True):
            largest[c] = max(largest[c], abs(value))
    matrix = np.zeros((len(points.values), points.n_coordinates))
    for row, coordinates, values in zip(matrix, points.coordinates, points.values, strict=True):
        row[list(coordinates)] = [value / largest[c] for c, value in zip(coordinates, values, strict=True)]
    return matrix / np.sqrt(np.sum(matrix * matrix, axis=1))[:, None]

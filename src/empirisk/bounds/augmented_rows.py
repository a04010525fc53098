"""Rows z~ = (x, 1), or x alone without an intercept, and how far on which side of a plane they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from empirisk.arithmetic import TINY, UNIT
from empirisk.designs import CSR, Dense, matrix_of
from empirisk.protocols import Vector

CHUNK = 1 << 22  # numbers of z~ at hand at once
MOST_COMPRESSED = 0.1  # share of entries above which products of matrices are faster with all of them


def joined(w: Vector, b: float | None) -> Vector:
    """A plane as one vector, the intercept last where there is one."""
    return np.append(np.asarray(w, dtype=np.float64), [] if b is None else [b])


def with_one(rows: Any, has_intercept: bool) -> Any:
    """z~ of rows, in float64 and an array of their own; compressed where the rows are and have few entries."""
    n, d = rows.shape
    if isinstance(rows, np.ndarray):
        found = np.ones((n, d + has_intercept))
        found[:, :d] = rows
        return found
    rows = rows.astype(np.float64)
    if rows.nnz > MOST_COMPRESSED * n * d:
        found = scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(n, d + has_intercept)).toarray()
        if has_intercept:
            found[:, d] = 1.0
        return found
    return scipy.sparse.hstack([rows, scipy.sparse.csr_array(np.ones((n, 1)))], format="csr") if has_intercept else rows


def lengths_of(rows: Any) -> Vector:
    """The norm of each row."""
    if isinstance(rows, np.ndarray):
        return np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.sqrt(np.asarray((rows * rows).sum(axis=1)).reshape(-1))


def product_rounding(terms: int) -> float:
    """What rounding can change in a sum of so many products, relative to that of their sizes, with some room."""
    return 1.01 * (terms + 8) * UNIT


def chunks(design: Dense | CSR) -> list[slice]:
    """Rows, few enough at a time."""
    size = max(1, CHUNK // (design.n_columns() + 1))
    return [slice(first, first + size) for first in range(0, design.n_rows(), size)]


@np.errstate(all="ignore")  # what overflows is not sure
def distances_and_lengths(design: Dense | CSR, y: Vector, plane: Vector, has_intercept: bool) -> tuple[Vector, Vector]:
    """Lower bounds of y_i <v, z~_i> / ||v|| for the plane v, and upper bounds of the ||z~_i||.

    Minus infinity where nothing is sure.
    """
    matrix, off, size = matrix_of(design), product_rounding(plane.size), float(np.linalg.norm(plane))
    distances, lengths = np.empty(y.size), np.empty(y.size)
    for some in chunks(design):
        rows = with_one(matrix[some], has_intercept)
        lengths[some] = lengths_of(rows) * (1.0 + off) + TINY
        distances[some] = y[some] * np.asarray(rows @ plane) / size - 3.0 * off * lengths[some] - TINY / size
    return np.where(np.isfinite(distances), distances, -np.inf), lengths

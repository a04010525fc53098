"""Columns of X behind the protocol of rows: column j is row j of the design of X^T."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.designs.as_design import as_design
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense

ROWS_AT_A_TIME = 256  # of a dense design: what is read stays in the cache until it is written


def columns_given(X: Any) -> Dense | CSR | None:
    """The design of X^T where X is stored by columns (CSC, or Fortran order), which costs nothing; else None."""
    if scipy.sparse.issparse(X):
        return as_design(X.T) if X.format == "csc" else None
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.f_contiguous and not X.flags.c_contiguous:
        return as_design(X.T)
    return None


def column_sizes(design: Dense | CSR) -> NDArray[np.int64]:
    """The number of stored values of each column."""
    if isinstance(design, Dense):
        return np.full(design.n_columns(), design.n_rows(), dtype=np.int64)
    sizes = np.zeros(design.columns, dtype=np.int64)
    _count(design.indices[design.starts[0] : design.starts[-1]], sizes)
    return sizes


def columns_of(design: Dense | CSR, numbers: NDArray[np.int64], sizes: NDArray[np.int64]) -> Dense | CSR:
    """A copy of these columns alone, each a row of the result, in one read of X; `sizes` are those of all columns."""
    if isinstance(design, Dense):
        values = np.empty((numbers.size, design.n_rows()), design.values.dtype)
        for row in range(0, design.n_rows(), ROWS_AT_A_TIME):
            some = slice(row, row + ROWS_AT_A_TIME)
            values[:, some] = design.values[some, numbers].T
        return Dense(_read_only(values))
    places = np.full(design.columns, numbers.size, dtype=np.uint32)
    places[numbers] = np.arange(numbers.size, dtype=np.uint32)
    starts = np.zeros(numbers.size + 1, dtype=np.int64)
    np.cumsum(sizes[numbers], out=starts[1:])
    values, indices = np.empty(starts[-1], design.values.dtype), np.empty(starts[-1], design.indices.dtype)
    found = np.empty(int(np.diff(design.starts).max(initial=0)) + 1, dtype=np.uint32)
    at = starts[:-1].astype(np.uint64)
    _collect(design.values, design.indices, design.starts, places, at, found, values, indices)
    return CSR(_read_only(values), _read_only(indices), _read_only(starts), design.n_rows())


def scaled_rows(design: Dense | CSR, rows: NDArray[np.int64], factors: NDArray[np.float64]) -> Dense | CSR:
    """These rows of X diag(factors), in float64."""
    if isinstance(design, Dense):
        values = np.empty((rows.size, factors.size))
        np.multiply(design.values[rows], factors, out=values)
        return Dense(_read_only(values))
    starts = np.zeros(rows.size + 1, dtype=np.int64)
    np.cumsum(design.starts[rows + 1] - design.starts[rows], out=starts[1:])
    values, indices = np.empty(starts[-1]), np.empty(starts[-1], design.indices.dtype)
    _scale(design.values, design.indices, design.starts, rows, factors, values, indices)
    return CSR(_read_only(values), _read_only(indices), _read_only(starts), design.columns)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


@kernel
def _scale(values, indices, starts, rows, factors, out_values, out_indices):
    at = 0
    for i in rows:
        for k in range(starts[i], starts[i + 1]):
            out_values[at] = values[k] * factors[indices[k]]
            out_indices[at] = indices[k]
            at += 1


@kernel
def _count(indices, sizes):
    for k in range(indices.size):
        sizes[indices[k]] += 1


@kernel
def _collect(values, indices, starts, places, at, found, out_values, out_rows):
    """Write the entries of the columns with a place, and their rows, from at[place] on; at.size or more is no place.

    `found` has room for a row. What is wanted of a row is listed first, without branches that could be mispredicted.
    """
    size = np.uint32(at.size)
    for i in range(starts.size - 1):
        row_values = values[starts[i] : starts[i + 1]]
        row_indices = indices[starts[i] : starts[i + 1]]
        count = 0
        for k in range(row_values.size):
            found[count] = k
            count += places[row_indices[k]] < size
        for m in range(count):
            k = found[m]
            place = places[row_indices[k]]
            to = at[place]
            out_values[to] = row_values[k]
            out_rows[to] = i
            at[place] = to + np.uint64(1)

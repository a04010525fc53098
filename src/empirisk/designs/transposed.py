"""Columns of X behind the protocol of rows: column j is row j of the design of X^T."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.designs.as_design import as_design, matrix_of
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense


def transposed(design: Dense | CSR) -> Dense | CSR:
    """The design of X^T: a C-ordered copy, or compressed rows made by one counting sort."""
    return as_design(matrix_of(design).T)


def columns_given(X: Any) -> Dense | CSR | None:
    """The design of X^T where X is stored by columns (CSC, or Fortran order), which costs nothing; else None."""
    if scipy.sparse.issparse(X):
        return as_design(X.T) if X.format == "csc" else None
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.f_contiguous and not X.flags.c_contiguous:
        return as_design(X.T)
    return None


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

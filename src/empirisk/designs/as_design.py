"""From what users have to a design: one conversion at the boundary, never a copy of what already fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import as_exact_array, check_exact, exact_floats, first_inexact, inexact
from empirisk.compiled import adopt, kernel
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def as_design(X: Any) -> Dense | CSR:
    """Wrap X: arrays, memory maps and CSR matrices of float32 or float64 as they are, others converted once.

    A number that float64 does not hold, such as 2^53 + 1, is a ValueError: rounded, the answer would be about others.
    """
    if isinstance(X, (Dense, CSR)):
        return X
    design = _from_sparse(X) if scipy.sparse.issparse(X) else _from_array(X)
    adopt(design, inline=True)
    return design


def check_exact_matrix(X: Any) -> None:
    """ValueError for what `as_design` would not hold, for those who convert X before it comes there."""
    if not scipy.sparse.issparse(X):
        check_exact(X, "X")
    elif X.dtype not in FLOATS and X.dtype.kind in "biuf":
        _exact_entries(X.tocsr())


def matrix_of(design: Dense | CSR) -> Any:
    """The NumPy array or SciPy matrix behind a design, without a copy of its values or columns."""
    if isinstance(design, Dense):
        return design.values
    shape = (design.n_rows(), design.columns)
    # SciPy would copy the indices if the row starts were wider.
    signed = design.indices.view(np.int32 if design.indices.dtype == np.uint32 else np.int64)
    starts = design.starts.astype(signed.dtype) if design.values.size < 2**31 else design.starts
    return scipy.sparse.csr_array((design.values, signed, starts), shape=shape, copy=False)


def n_entries(design: Dense | CSR) -> int:
    """The number of stored values."""
    return int(design.values.size)


def check_finite(design: Dense | CSR) -> None:
    """Raise ValueError with row and column of the first NaN or infinity."""
    flat = design.values.reshape(-1)
    at = int(_first_not_finite(flat))
    if at < 0:
        return
    if isinstance(design, Dense):
        row, column = divmod(at, design.n_columns())
    else:
        row, column = int(np.searchsorted(design.starts, at, side="right")) - 1, int(design.indices[at])
    kind = "NaN" if np.isnan(flat[at]) else "infinity"
    raise ValueError(f"X contains {kind} (row {row}, column {column}, counted from 0); remove or impute such values")


def _from_array(X: Any) -> Dense:
    values = as_exact_array(X)
    if values.ndim != 2:
        raise ValueError(f"X must be a two-dimensional array, got {values.ndim} dimension(s)")
    if values.dtype not in FLOATS:
        if values.dtype.kind not in "biufO":
            raise TypeError(f"X must hold real numbers, got dtype {values.dtype}")
        values = exact_floats(values, "X")
    return Dense(_read_only(np.ascontiguousarray(values)))


def _from_sparse(X: Any) -> CSR:
    if X.ndim != 2:
        raise ValueError(f"X must be a two-dimensional matrix, got {X.ndim} dimension(s)")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"X must hold real numbers, got dtype {X.dtype}")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    values = rows.data if rows.data.dtype in FLOATS else _exact_entries(rows)
    unsigned = {np.dtype(np.int32): np.uint32, np.dtype(np.int64): np.uint64}
    indices = rows.indices.view(unsigned[rows.indices.dtype])
    starts = rows.indptr.astype(np.int64, copy=False)
    values, indices, starts = (_read_only(np.ascontiguousarray(a)) for a in (values, indices, starts))
    if indices.size and int(indices.max()) >= rows.shape[1]:
        raise ValueError("X is not a valid CSR matrix: a column index lies outside the matrix")
    if starts[0] != 0 or starts[-1] != values.size or bool(np.any(starts[1:] < starts[:-1])):
        raise ValueError(
            "X is not a valid CSR matrix: its index pointer does not increase from 0 to the number of values"
        )
    return CSR(values, indices, starts, int(rows.shape[1]))


def _exact_entries(rows: Any) -> NDArray[np.float64]:
    at = first_inexact(rows.data)
    if at >= 0:
        row, column = int(np.searchsorted(rows.indptr, at, side="right")) - 1, int(rows.indices[at])
        where = f" (row {row}, column {column}, counted from 0)"
        raise ValueError(inexact("X holds", rows.data[at], where))
    return np.asarray(rows.data, dtype=np.float64)


def _read_only(array: Any) -> Any:
    """A plain read-only view: memory maps and arrays then share one compiled version."""
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


@kernel
def _first_not_finite(values):
    step = 4096
    for first in range(0, values.size, step):
        last = min(first + step, values.size)
        total = 0.0
        for k in range(first, last):
            total += values[k] * 0.0  # NaN for NaN and infinity, zero for all else
        if total != 0.0:
            for k in range(first, last):
                if not np.isfinite(values[k]):
                    return k
    return -1

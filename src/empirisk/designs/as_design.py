"""From what users have to a design: one conversion at the boundary, never a copy of what already fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import as_exact_array, check_exact, exact_floats, first_inexact, inexact
from empirisk.compiled import adopt
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense
from empirisk.designs.indicators import Indicators

FINITE_AT_A_TIME = 1 << 16
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


def matrix_of(design: Dense | CSR | Indicators) -> Any:
    """The NumPy array or SciPy matrix behind a design, without a copy of its values or columns (ones are written)."""
    if isinstance(design, Dense):
        return design.values
    if isinstance(design, Indicators):
        return matrix_of(CSR(np.ones(design.indices.size), *design))
    shape = (design.n_rows(), design.columns)
    # SciPy would copy the indices if the row starts were wider.
    if design.starts[0] != 0 or design.starts[-1] != design.values.size:  # a view of some rows
        part = slice(int(design.starts[0]), int(design.starts[-1]))
        starts = design.starts - design.starts[0]
        design = design._replace(values=design.values[part], indices=design.indices[part], starts=starts)
    signed = design.indices.view(np.int32 if design.indices.dtype == np.uint32 else np.int64)
    starts = design.starts.astype(signed.dtype) if design.values.size < 2**31 else design.starts
    return scipy.sparse.csr_array((design.values, signed, starts), shape=shape, copy=False)


def n_entries(design: Dense | CSR | Indicators) -> int:
    """The number of stored entries."""
    return int(design.values.size) if isinstance(design, Dense) else int(design.starts[-1] - design.starts[0])


def largest_entry(design: Dense | CSR | Indicators) -> float:
    """The size of the largest stored value; 0 where there is none."""
    if isinstance(design, Indicators):
        return 1.0 if n_entries(design) else 0.0
    values = stored_values(design)
    return max(float(values.max()), -float(values.min())) if values.size else 0.0


def row_sizes(design: Dense | CSR | Indicators) -> NDArray[np.int64]:
    """The number of stored entries of each row."""
    if isinstance(design, Dense):
        return np.full(design.n_rows(), design.n_columns(), dtype=np.int64)
    return np.diff(design.starts)


@overload
def rows_between(design: Indicators, first: int, last: int) -> Indicators: ...
@overload
def rows_between(design: CSR, first: int, last: int) -> CSR: ...
@overload
def rows_between(design: Dense | CSR, first: int, last: int) -> Dense | CSR: ...
def rows_between(design: Dense | CSR | Indicators, first: int, last: int) -> Dense | CSR | Indicators:
    """A view of neighbouring rows; of sparse ones the same values and columns, and a part of `starts`."""
    if isinstance(design, Dense):
        return Dense(design.values[first:last])
    return design._replace(starts=design.starts[first : last + 1])


def rows_of(design: Dense | CSR, numbers: Any) -> Dense | CSR:
    """A copy of these rows."""
    return as_design(matrix_of(design)[numbers])


def stored_values(design: Dense | CSR) -> NDArray[Any]:
    """The entries that it stores, row by row, as one vector."""
    return design.values[design.starts[0] : design.starts[-1]] if isinstance(design, CSR) else design.values.reshape(-1)


def check_finite(design: Dense | CSR, first: int = 0) -> None:
    """Raise ValueError with row, counted on from `first`, and column of the first NaN or infinity."""
    flat = stored_values(design)
    with np.errstate(all="ignore"):
        if np.isfinite(flat.sum()):  # of finite values it may overflow; of others it is never finite
            return
    at = next((k + int(np.argmin(some)) for k, some in _finite_parts(flat) if not some.all()), -1)
    if at < 0:
        return
    if isinstance(design, Dense):
        row, column = divmod(at, design.n_columns())
    else:
        entry = at + int(design.starts[0])
        row, column = int(np.searchsorted(design.starts, entry, side="right")) - 1, int(design.indices[entry])
    kind = "NaN" if np.isnan(flat[at]) else "infinity"
    place = f"row {first + row}, column {column}, counted from 0"
    raise ValueError(f"X contains {kind} ({place}); remove or impute such values")


def _finite_parts(flat: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Places, and what is finite from there on: a part at a time."""
    for k in range(0, flat.size, FINITE_AT_A_TIME):
        yield k, np.isfinite(flat[k : k + FINITE_AT_A_TIME])


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

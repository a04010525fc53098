"""The planes of a voted perceptron as JSON and arrays, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse

from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.model_file.checks import Arrays, check, check_fields, check_floats
from empirisk.separation.perceptron_runs.voted import VotedPlanes

PREFIX = "voted_"


def voted_to_parts(voted: VotedPlanes | None) -> tuple[dict[str, Any] | None, Arrays]:
    """What is no array, and the arrays; the rows stay dense or sparse as they are, so that votes round alike."""
    if voted is None:
        return None, {}
    rows = matrix_of(voted.updates)
    is_sparse = scipy.sparse.issparse(rows)
    stored = {"values": rows.data, "indices": rows.indices, "starts": rows.indptr} if is_sparse else {"rows": rows}
    names = ("start_weights", "signs", "sequence", "survivals")
    arrays = {PREFIX + name: np.asarray(array) for name, array in stored.items()}
    arrays |= {PREFIX + name: getattr(voted, name) for name in names}
    fields = {"start_intercept": float(voted.start_intercept), "has_intercept": bool(voted.has_intercept)}
    return {**fields, "is_sparse": is_sparse, "n_rows": int(voted.signs.size)}, arrays


def voted_from_parts(data: dict[str, Any] | None, arrays: Arrays, n_columns: int) -> VotedPlanes | None:
    """What `voted_to_parts` gave, checked; its arrays are taken out of `arrays`."""
    if data is None:
        return None
    check_fields(data, ("start_intercept", "has_intercept", "is_sparse", "n_rows"), "voted")
    own = {name.removeprefix(PREFIX): arrays.pop(name) for name in sorted(arrays) if name.startswith(PREFIX)}
    n, start, is_sparse, has_intercept = (
        data[name] for name in ("n_rows", "start_intercept", "is_sparse", "has_intercept")
    )
    check(type(n) is int and n >= 0 and type(is_sparse) is type(has_intercept) is bool, "bad fields of a vote")
    check(type(start) is float and math.isfinite(start), "start_intercept must be a finite number")
    weights, survivals = check_floats(own, "start_weights", (n_columns,)), own["survivals"]
    empty = {"signs": np.empty(0), "sequence": np.empty(0, np.int64)}  # arrays without entries are not written
    signs, sequence = (own.get(name, empty[name]) for name in empty)
    check_floats({"signs": signs}, "signs", (n,))
    check(bool(np.all(np.abs(signs) == 1.0)), "signs must be -1 or 1")
    check(sequence.dtype == survivals.dtype == np.int64 and sequence.ndim == 1, "sequence must be whole numbers")
    check(survivals.shape == (sequence.size + 1,), "survivals must be one more than the mistakes")
    check(bool(np.all((sequence >= 0) & (sequence < n))) and bool(np.all(survivals >= 0)), "bad sequence or survivals")
    check(int(survivals.sum(dtype=np.float64)) < 2**62, "too many visits")
    updates = as_design(_rows(own, n, n_columns, is_sparse))
    check_finite(updates)
    known = {"start_weights", "survivals", *empty, *(("values", "indices", "starts") if is_sparse else ("rows",))}
    check(set(own) <= known, f"unexpected arrays {sorted(set(own) - known)}")
    return VotedPlanes(weights, start, has_intercept, updates, signs, sequence, survivals)


def _rows(own: Arrays, n: int, d: int, is_sparse: bool) -> Any:
    """The matrix of the rows that were ever wrong."""
    if not is_sparse:
        rows = own.get("rows", np.empty((0, d)))
        check(rows.shape == (n, d) and rows.dtype in (np.float64, np.float32), "bad rows of a vote")
        return rows
    starts = own["starts"]
    values, indices = own.get("values", np.empty(0)), own.get("indices", np.empty(0, starts.dtype))
    check(values.dtype in (np.float64, np.float32) and starts.dtype.kind == indices.dtype.kind == "i", "bad rows")
    matrix = scipy.sparse.csr_array((values, indices, starts), shape=(n, d))
    matrix.check_format(full_check=True)
    return matrix

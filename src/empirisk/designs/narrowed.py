"""Rows with some of their columns alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.designs.csr import CSR
from empirisk.designs.dense import Dense


def narrowed(design: Dense | CSR, numbers: NDArray[np.int64], entries: int) -> Dense | CSR:
    """A copy of every row with these columns, in their order, numbered from 0; `entries` is how many they have."""
    if isinstance(design, Dense):
        some = design.values[:, numbers]
        some.flags.writeable = False
        return Dense(some)
    places = np.full(design.columns, numbers.size, dtype=np.uint32)
    places[numbers] = np.arange(numbers.size, dtype=np.uint32)
    # Every entry is written, and the next one over it unless its column is wanted: hence one more.
    values, indices = np.empty(entries + 1, design.values.dtype), np.empty(entries + 1, design.indices.dtype)
    starts = np.zeros(design.n_rows() + 1, dtype=np.int64)
    _narrow(design.values, design.indices, design.starts, places, numbers.size, values, indices, starts)
    values, indices = values[:entries], indices[:entries]
    for array in (values, indices, starts):
        array.flags.writeable = False
    return CSR(values, indices, starts, numbers.size)


@kernel
def _narrow(values, indices, starts, places, size, out_values, out_indices, out_starts):
    limit = np.uint32(size)
    at = np.uint64(0)
    for i in range(starts.size - 1):
        row_values = values[starts[i] : starts[i + 1]]
        row_indices = indices[starts[i] : starts[i + 1]]
        for k in range(row_values.size):
            place = places[row_indices[k]]
            out_values[at] = row_values[k]
            out_indices[at] = place
            at += np.uint64(place < limit)
        out_starts[i + 1] = at

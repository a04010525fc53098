"""Working sets of columns: those in use, and those nearest to their dual constraint |v_j| <= l1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector

Columns = NDArray[np.int64]


def closest(columns: Columns, w: Vector, g: Vector, norms: Vector, l1: float, size: int) -> Columns:
    """The columns with a weight, and others up to `size` by (l1 - |g_j|) / ||x_j||, in their order.

    Reference: Massias, Gramfort and Salmon (2018).
    """
    if size >= columns.size:
        return columns
    distances = np.empty(columns.size)
    _distances(columns, w, g, norms, l1, distances)
    chosen = np.empty(size, dtype=np.int64)
    _take(columns, distances, np.partition(distances, size - 1)[size - 1], chosen)
    return chosen


@kernel
def _distances(columns, w, g, norms, l1, out):
    for k in range(columns.size):
        j = columns[k]
        if w[j] != 0.0:
            out[k] = -np.inf
        elif norms[j] > 0.0:
            out[k] = (l1 - abs(g[k])) / norms[j]
        else:
            out[k] = np.inf


@kernel
def _take(columns, distances, limit, chosen):
    """The columns below the limit, and the first of those at it."""
    ties = chosen.size
    for k in range(columns.size):
        ties -= distances[k] < limit
    at = 0
    for k in range(columns.size):
        if distances[k] < limit or (distances[k] == limit and ties > 0):
            ties -= distances[k] == limit
            chosen[at] = columns[k]
            at += 1

"""Working sets of columns: those in use, and those nearest to their dual constraint |v_j| <= l1, or furthest beyond."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector

Columns = NDArray[np.int64]

GROWTH = 1.5  # the working set, in numbers of weights that are not zero
ALL = 1.25  # times as many as are wanted may join, where that is all of them: then none has to be looked at again
FIRST_SHARE = 1 / 64  # of the columns without a weight that violate their constraint, which join the first set


def working_set(
    columns: Columns, last: Columns, w: Vector, g: Vector, norms: Vector, l1: float, least: int, most: float
) -> Columns:
    """The next columns to work on, of those that may have a weight, where the mean loss has the gradient g.

    They are at least `least`. The larger the share of the last set that got a weight, the more of those join that
    violate their constraint, at most `most` times as many as were in it. Where all that do or have a weight were in the
    last set, so is all of this one: nothing has to be copied.
    """
    is_last = np.zeros(w.size, dtype=np.bool_)
    is_last[last] = True
    distances = np.empty(columns.size)
    used, beyond, others = _look(columns, is_last, w, g, norms, l1, distances)
    inside = is_last[columns]
    if others == 0 and np.any(inside):
        columns, distances = columns[inside], distances[inside]
    joining = FIRST_SHARE * beyond
    if last.size:
        joining = min((used / last.size) ** 2 * beyond, most * last.size)
    return _nearest(columns, distances, max(least, int(GROWTH * used), used + int(joining)))


def _nearest(columns: Columns, distances: Vector, size: int) -> Columns:
    """So many columns of the least distance, in their order; all where there are few more."""
    if ALL * size >= columns.size:
        return columns
    beyond = distances < 0.0
    if size <= np.count_nonzero(beyond):  # nearly always, and they are few
        columns, distances = columns[beyond], distances[beyond]
    limit = np.partition(distances, size - 1)[size - 1]
    chosen = distances < limit
    chosen[np.flatnonzero(distances == limit)[: size - np.count_nonzero(chosen)]] = True
    return columns[chosen]


@kernel
def _look(columns, is_last, w, g, norms, l1, distances):
    """Write (l1 - |g_j|) / ||x_j||, and -inf for the columns with a weight.

    Returns how many have one, how many others violate their constraint, and how many of both were not in the last set.
    Reference: Massias, Gramfort and Salmon (2018).
    """
    used = 0
    beyond = 0
    others = 0
    for k in range(columns.size):
        j = columns[k]
        room = l1 - abs(g[k])
        if w[j] != 0.0:
            used += 1
            distances[k] = -np.inf
        elif norms[j] > 0.0:
            beyond += room < 0.0
            distances[k] = room / norms[j]
        else:
            distances[k] = np.inf
        others += not is_last[j] and (w[j] != 0.0 or room < 0.0)
    return used, beyond, others

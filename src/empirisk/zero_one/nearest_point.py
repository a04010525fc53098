"""A direction with all given points on its right side, or points whose positive multiples sum to about zero.

Wolfe's method: the point x of least norm in the convex hull of the points, each divided by its norm. Either x separates
(<x, a_i> > 0 for all i), or x is zero up to rounding and the points of its combination are in conflict. Reference:
Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector

SEPARATED, CONFLICT, UNCLEAR = 0, 1, 2
ZERO = 1e-20  # a squared norm that is rounding
DROPPED = 1e-12  # a share that is


class Hull(NamedTuple):
    """Work space, and the answer: x, or the first filled[0] of `members` with `shares`."""

    members: NDArray[np.int64]
    shares: Vector
    trial: Vector
    gram: NDArray[np.float64]
    x: Vector
    filled: NDArray[np.int64]


def empty_hull(k: int, n: int) -> Hull:
    """Work space for n points of k coordinates."""
    size = min(k, n) + 3
    return Hull(
        members=np.zeros(size, np.int64),
        shares=np.zeros(size),
        trial=np.zeros(size),
        gram=np.zeros((size, size)),
        x=np.zeros(k),
        filled=np.zeros(1, np.int64),
    )


@kernel
def nearest_point(a, norms, slack, subset, n_subset, hull, steps):
    """SEPARATED (by hull.x), CONFLICT (hull.members) or UNCLEAR for the points subset[:n_subset]."""
    x = hull.x
    k = x.size
    if n_subset == 0:
        return UNCLEAR
    first = subset[0]
    for j in range(k):
        x[j] = a[first, j] / norms[first]
    hull.members[0] = first
    hull.shares[0] = 1.0
    hull.filled[0] = 1
    for _ in range(steps):
        square = 0.0
        for j in range(k):
            square += x[j] * x[j]
        if square <= ZERO:
            return CONFLICT
        length = np.sqrt(square)
        worst, least, is_apart = -1, np.inf, True
        for q in range(n_subset):
            i = subset[q]
            value = 0.0
            for j in range(k):
                value += a[i, j] * x[j]
            if value <= 2.0 * slack[i] * length:
                is_apart = False
            value /= norms[i]
            if value < least:
                worst, least = i, value
        if is_apart:
            return SEPARATED
        count = hull.filled[0]
        if not least < square * (1.0 - 1e-12) or count == hull.members.size - 1:
            return UNCLEAR
        for m in range(count):
            if hull.members[m] == worst:
                return UNCLEAR
        hull.members[count] = worst
        hull.shares[count] = 0.0
        hull.filled[0] = count + 1
        if not _settle(a, norms, hull):
            return UNCLEAR
    return UNCLEAR


@kernel
def _settle(a, norms, hull):
    """Move to the nearest point of the members' affine hull; members whose share reaches zero on the way leave."""
    x, members, shares, trial = hull.x, hull.members, hull.shares, hull.trial
    for _ in range(2 * members.size):
        count = hull.filled[0]
        if not _affine_shares(a, norms, members, count, hull.gram, trial):
            return False
        step = 1.0
        for m in range(count):
            if trial[m] <= DROPPED:
                step = min(step, shares[m] / (shares[m] - trial[m]) if shares[m] > trial[m] else 0.0)
        kept = 0
        is_inside = True
        for m in range(count):
            share = shares[m] + step * (trial[m] - shares[m])
            if trial[m] <= DROPPED:
                is_inside = False
            if share > DROPPED or trial[m] > DROPPED:
                members[kept] = members[m]
                shares[kept] = share
                kept += 1
        if kept == 0:
            return False
        is_stuck = kept == count and not is_inside
        hull.filled[0] = kept
        if is_inside or is_stuck:
            for j in range(x.size):
                total = 0.0
                for m in range(kept):
                    total += shares[m] * a[members[m], j] / norms[members[m]]
                x[j] = total
            return not is_stuck
    return False


@kernel
def _affine_shares(a, norms, members, count, gram, out):
    """Shares that sum to one, of the least norm: (G + 1 1^T) s = 1, scaled; False where that is singular."""
    for m in range(count):
        for q in range(m + 1):
            total = 0.0
            for j in range(a.shape[1]):
                total += a[members[m], j] * a[members[q], j]
            gram[m, q] = 1.0 + total / (norms[members[m]] * norms[members[q]])
        out[m] = 1.0
    for m in range(count):  # Cholesky, in place
        for q in range(m + 1):
            total = gram[m, q]
            for p in range(q):
                total -= gram[m, p] * gram[q, p]
            if q < m:
                gram[m, q] = total / gram[q, q]
            elif total > 1e-14:
                gram[m, m] = np.sqrt(total)
            else:
                return False
    for m in range(count):
        for p in range(m):
            out[m] -= gram[m, p] * out[p]
        out[m] /= gram[m, m]
    for m in range(count - 1, -1, -1):
        for p in range(m + 1, count):
            out[m] -= gram[p, m] * out[p]
        out[m] /= gram[m, m]
    total = 0.0
    for m in range(count):
        total += out[m]
    for m in range(count):
        out[m] /= total
    return total > 0.0

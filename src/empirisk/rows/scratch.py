"""Memory that tasks use again and again: fresh pages cost as much as the arithmetic on them."""

from __future__ import annotations

import threading

import numpy as np

from empirisk.protocols import Matrix

MOST_KEPT = 1 << 18  # floats that a thread keeps: 2 MiB

_own = threading.local()


def scratch(count: int, size: int) -> Matrix:
    """`count` vectors of this size, with anything in them: the caller's until the next call in the same thread.

    For the task itself, which asks once: what it calls, and what outlives it, takes arrays of its own.
    """
    wanted = count * size
    if wanted > MOST_KEPT:
        return np.empty((count, size))
    known = getattr(_own, "floats", None)
    if known is None:
        known = _own.floats = np.empty(MOST_KEPT)
    found: Matrix = known[:wanted].reshape(count, size)
    return found

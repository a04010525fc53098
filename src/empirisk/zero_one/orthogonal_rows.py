"""Rows of a matrix made orthogonal one after the other, by Gram and Schmidt: each twice, as once leaves rounding."""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel


@kernel
def make_orthogonal(rows, size, least):
    """Make row `size` orthogonal to those before, of norm one; False where the square that is left is at most `least`.

    The rows before are orthogonal and of norm one.
    """
    k = rows.shape[1]
    for _ in range(2):
        for p in range(size):
            dot = 0.0
            for j in range(k):
                dot += rows[p, j] * rows[size, j]
            for j in range(k):
                rows[size, j] -= dot * rows[p, j]
    square = 0.0
    for j in range(k):
        square += rows[size, j] ** 2
    if square <= least:
        return False
    for j in range(k):
        rows[size, j] /= np.sqrt(square)
    return True

"""The norm of a row whose squares may overflow or vanish."""

from __future__ import annotations

import math

import numpy as np

from empirisk.compiled import kernel

LEAST, MOST = 2.0**-900, 2.0**900  # of a sum of squares that is sure to have lost nothing


@kernel
def row_norm(X, i, square):
    """||x_i||, given the sum of its squares: summed anew, in units of the largest entry, where that may be off."""
    if LEAST <= square <= MOST:
        return math.sqrt(square)
    largest = 0.0
    for k in range(X.row_size(i)):
        largest = max(largest, abs(np.float64(X.entry_at(i, k))))
    if largest == 0.0:
        return 0.0
    total = 0.0
    for k in range(X.row_size(i)):
        share = np.float64(X.entry_at(i, k)) / largest
        total += share * share
    return largest * math.sqrt(total)

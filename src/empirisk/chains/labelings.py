"""Labelings of sequences with weights: a dual point of the margin, kept as what differs from the true labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector


class Labelings(NamedTuple):
    """For sequence j the labelings starts[j], ..., starts[j + 1] - 1, with weights alpha >= 0 whose sum is at most 1.

    Labelling k differs from the true one at positions[change_starts[k]], ..., positions[change_starts[k + 1] - 1] of
    its sequence, where it has these labels. What is missing from the sum 1 lies on the true labelling.
    """

    starts: NDArray[np.int64]  # (n + 1,)
    weights: Vector  # (m,)
    change_starts: NDArray[np.int64]  # (m + 1,)
    positions: NDArray[np.int32]
    labels: NDArray[np.int32]


def no_labelings(n_sequences: int) -> Labelings:
    """All weight on the true labelings."""
    nothing = np.empty(0, np.int32)
    return Labelings(np.zeros(n_sequences + 1, np.int64), np.empty(0), np.zeros(1, np.int64), nothing, nothing)

"""Labelings of sequences with weights: a dual point of the margin, kept as what differs from the true labels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.compiled import kernel
from empirisk.protocols import Vector

TYPES = (np.int64, np.float64, np.int64, np.int32, np.int32)


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


def checked_labelings(data: ChainData, given: Any) -> Labelings:
    """These weights of labelings where they are feasible for these sequences, in arrays of their own types.

    ValueError with a sentence for anything else: weights below 0, or whose exact sum is above 1 for a sequence, places
    that do not increase or are beyond its end, labels that are not others than the true ones, or are not allowed.
    """
    for array, dtype in zip(given, TYPES, strict=True):
        kinds = "f" if np.dtype(dtype).kind == "f" else "iu"
        is_list = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in kinds
        _expect(is_list, "an array of the dual point is no list of numbers of its kind")
    starts, weights, change_starts, positions, labels = (
        np.ascontiguousarray(array, dtype=dtype) for array, dtype in zip(given, TYPES, strict=True)
    )
    n, m = data.n_sequences, weights.size
    _expect(_cuts(starts, n, m), f"dual_starts does not cut {m} labelings into those of {n} sequences")
    _expect(bool(np.all(weights >= 0.0)), "dual_weights has weights that are not at least 0")
    _expect(_cuts(change_starts, m, positions.size), "dual_change_starts does not cut the changed places by labelings")
    _expect(labels.size == positions.size, "dual_labels does not have a label for each changed place")
    for j in np.flatnonzero(np.diff(starts)):
        own = weights[starts[j] : starts[j + 1]]
        if float(np.sum(own)) > 1.0 - 1e-9:  # the sign of a sum of `fsum`, which is rounded once, is exact
            _expect(math.fsum([*own.tolist(), -1.0]) <= 0.0, f"dual_weights of sequence {j} sum to more than 1")
    places = Labelings(starts, weights, change_starts, positions, labels)
    wrong = first_wrong(
        data.sequences.starts, data.gold, *places, data.masks.between, data.masks.first, data.masks.last
    )
    _expect(wrong < 0, f"dual_positions and dual_labels of labelling {wrong} are no changes of its sequence")
    return places


def _expect(holds: bool, said: str) -> None:
    if not holds:
        raise ValueError(said)


def _cuts(starts: NDArray[np.int64], count: int, total: int) -> bool:
    """Whether these are the edges of so many runs of so many things."""
    if starts.shape != (count + 1,):
        return False
    return bool(starts[0] == 0 and starts[-1] == total and np.all(starts[1:] >= starts[:-1]))


@kernel(exact=True)
def first_wrong(starts, gold, own, weights, change_starts, positions, labels, between, first, last):
    """The first labelling whose places do not increase within its sequence, or have the true label or one forbidden."""
    n_labels = first.size
    for j in range(starts.size - 1):
        true = gold[starts[j] : starts[j + 1]]
        for k in range(own[j], own[j + 1]):
            begin, end = change_starts[k], change_starts[k + 1]
            if begin == end:
                return k
            for c in range(begin, end):
                t, label = positions[c], labels[c]
                if t < 0 or t >= true.size or (c > begin and t <= positions[c - 1]):
                    return k
                if label < 0 or label >= n_labels or label == true[t]:
                    return k
                allowed = 0.0
                if t == 0:
                    allowed += first[label]
                else:
                    before = labels[c - 1] if c > begin and positions[c - 1] == t - 1 else true[t - 1]
                    allowed += between[before, label]
                if t + 1 == true.size:
                    allowed += last[label]
                elif not (c + 1 < end and positions[c + 1] == t + 1):
                    allowed += between[label, true[t + 1]]
                if allowed < 0.0:
                    return k
    return -1

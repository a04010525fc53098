"""Where each weight of a chain stands in the one vector u."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.sequences import Sequences
from empirisk.compiled import kernel
from empirisk.protocols import Array, Matrix, Vector

MOST_LABELS = 2**16 - 1


class Weights(NamedTuple):
    """The parts of u, as views: what is written to them is written to u."""

    states: Vector  # for each attribute its labels side by side
    dense: Matrix  # (D, K)
    transitions: Matrix  # (K, K), [from, to]
    first: Vector  # of the label that a sequence starts with
    last: Vector  # of the label that it ends with


class Layout(NamedTuple):
    """u = (states, dense block, transitions, start, end).

    Weight k with state_starts[a] <= k < state_starts[a + 1] is that of attribute a with label state_labels[k].
    """

    state_starts: NDArray[np.int64]
    state_labels: NDArray[np.uint16]
    n_labels: int
    n_dense: int
    has_ends: bool  # whether there are weights of the start and the end
    is_free: NDArray[np.bool_]  # (K, K): which transitions have a weight; the others have none, which is zero

    @property
    def n_attributes(self) -> int:
        """How many attributes have weights."""
        return int(self.state_starts.size - 1)

    @property
    def size(self) -> int:
        """The length of u."""
        ends = 2 if self.has_ends else 0
        return int(self.state_labels.size + (self.n_dense + self.n_labels + ends) * self.n_labels)

    def parts(self, u: Array) -> Weights:
        """The parts of u; without weights of start and end there are zeros in their place, which nobody keeps."""
        K, D = self.n_labels, self.n_dense
        edges = np.cumsum([self.state_labels.size, D * K, K * K]).tolist()
        states, dense, transitions, ends = np.split(u, edges)
        if not self.has_ends:
            ends = np.zeros(2 * K)
        return Weights(states, dense.reshape(D, K), transitions.reshape(K, K), ends[:K], ends[K:])

    def mask(self, u: Array) -> None:
        """Set the places of transitions without a weight to zero."""
        self.parts(u).transitions[~self.is_free] = 0.0


def layout_of(
    sequences: Sequences, gold: NDArray[np.int32], n_labels: int, *, states: str, transitions: str, has_ends: bool
) -> Layout:
    """The weights that these sequences ask for: "observed" ones occur in them, "all" are all there are."""
    if n_labels > MOST_LABELS:
        raise ValueError(f"a model of sequences has at most {MOST_LABELS} labels, and there are {n_labels}")
    n_attributes, K = sequences.attributes.n_columns(), n_labels
    if states == "all":
        starts = np.arange(n_attributes + 1, dtype=np.int64) * K
        labels = np.tile(np.arange(K, dtype=np.uint16), n_attributes)
    else:
        starts, labels = _observed(sequences, gold, n_attributes, K)
    is_free = np.ones((K, K), np.bool_)
    if transitions == "observed":
        is_free[:] = False
        inner = np.ones(sequences.n_tokens, np.bool_)
        inner[sequences.starts[:-1]] = False
        to = np.flatnonzero(inner)
        is_free[gold[to - 1], gold[to]] = True
    for array in (starts, labels, is_free):
        array.flags.writeable = False
    return Layout(starts, labels, K, sequences.dense.shape[1], has_ends, is_free)


def _observed(
    sequences: Sequences, gold: NDArray[np.int32], n_attributes: int, n_labels: int
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """The pairs of attribute and label that occur."""
    words = (n_labels + 7) // 8
    seen = np.zeros((n_attributes, words), np.uint8)
    _mark(sequences.attributes, gold, seen)
    counts = np.zeros(n_attributes, np.int64)
    starts = np.zeros(n_attributes + 1, np.int64)
    _count(seen, n_labels, counts)
    np.cumsum(counts, out=starts[1:])
    labels = np.empty(int(starts[-1]), np.uint16)
    _list(seen, n_labels, starts, labels)
    return starts, labels


@kernel(borrows=True)
def _mark(X, gold, seen):
    for t in range(X.n_rows()):
        label = gold[t]
        for k in range(X.row_size(t)):
            seen[X.column_at(t, k), label >> 3] |= np.uint8(1 << (label & 7))


@kernel
def _count(seen, n_labels, counts):
    for a in range(seen.shape[0]):
        total = 0
        for j in range(n_labels):
            total += (seen[a, j >> 3] >> (j & 7)) & 1
        counts[a] = total


@kernel
def _list(seen, n_labels, starts, labels):
    for a in range(seen.shape[0]):
        k = starts[a]
        for j in range(n_labels):
            if (seen[a, j >> 3] >> (j & 7)) & 1:
                labels[k] = j
                k += 1

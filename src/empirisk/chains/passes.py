"""Passes over sequences: tiles of scores, and sums over the tree of sequences by threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData, Masks
from empirisk.chains.layout import Layout, Weights
from empirisk.chains.score_kernels import add_end_counts, add_ends, add_state_counts, add_state_scores
from empirisk.chains.sequences import Sequences
from empirisk.compiled import quiet
from empirisk.protocols import Array, Matrix
from empirisk.rows.summed import summed
from empirisk.rows.threads import in_threads

TILE_SCORES = 1 << 15  # scores that are written, used and forgotten: 256 KiB
WORK = 8.0  # of an entry, in those of a plain pass: an attribute has many labels, and inference follows


class Tile(NamedTuple):
    """Some neighbouring sequences, their tokens counted from 0."""

    sequences: Sequences
    at: slice  # among all sequences
    tokens: slice  # among all tokens


def tiles(sequences: Sequences, n_labels: int, first: int, last: int) -> Iterator[Tile]:
    """The sequences first, ..., last - 1, so many at a time that their scores stay in the cache."""
    starts, most = sequences.starts, max(1, TILE_SCORES // n_labels)
    while first < last:
        end = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        end = min(max(end, first + 1), last)
        yield Tile(sequences.between(first, end), slice(first, end), slice(int(starts[first]), int(starts[end])))
        first = end


class Room:
    """Memory for tiles, used again and again: fresh pages cost as much as the arithmetic on them."""

    def __init__(self, n_labels: int, count: int = 1) -> None:
        self._arrays, self._count = np.empty((count, 0, n_labels)), count

    def take(self, n_tokens: int) -> list[Matrix]:
        """Arrays of a row a token, with anything in them, the caller's until the next call."""
        if self._arrays.shape[1] < n_tokens:
            self._arrays = np.empty((self._count, n_tokens, self._arrays.shape[2]))
        return [array[:n_tokens] for array in self._arrays]


def scores_of(
    layout: Layout, masks: Masks, weights: Weights, sequences: Sequences, out: Matrix | None = None
) -> Matrix:
    """The score of each label at each token, start and end included."""
    scores = np.empty((sequences.n_tokens, layout.n_labels)) if out is None else out
    scores[...] = 0.0
    with quiet():
        add_state_scores(sequences.attributes, layout.state_starts, layout.state_labels, weights.states, scores)
        if layout.n_dense:
            scores += sequences.dense @ weights.dense
        add_ends(sequences.starts, weights.first + masks.first, weights.last + masks.last, scores)
    return scores


def add_counts(layout: Layout, sequences: Sequences, coefficients: Matrix, out: Weights) -> None:
    """Add what the tokens' labels are charged, times the features, to the weights of states, start and end."""
    add_state_counts(sequences.attributes, layout.state_starts, layout.state_labels, coefficients, out.states)
    if layout.n_dense:
        out.dense[...] += sequences.dense.T @ coefficients
    if layout.has_ends:
        add_end_counts(sequences.starts, coefficients, out.first, out.last)


class Passes:
    """Sums over the sequences of some data, on some threads: the same bytes for any number of them."""

    def __init__(self, data: ChainData, n_threads: int) -> None:
        self.data, self.n_threads, self._tree = data, n_threads, data.tree()

    def with_threads(self, n_threads: int) -> Passes:
        """The same, on so many threads."""
        return Passes(self.data, n_threads)

    def total(self, task: Callable[..., Any], width: int) -> tuple[Array, list[Any]]:
        """The sum of what task(first, last, out) adds for its range of sequences, and what it returns."""
        leaves = self._tree.leaves(width, WORK)

        def add(leaf: tuple[int, int], out: NDArray[np.float64]) -> Any:
            return task(*leaf, out)

        return summed(add, leaves, (width,), self.n_threads)

    def each(self, task: Callable[..., Any]) -> list[Any]:
        """What task(first, last) returns for each range of sequences, in their order."""
        return in_threads(lambda leaf: task(*leaf), self._tree.leaves(1, WORK), self.n_threads)

    def tiles(self, first: int, last: int) -> Iterator[Tile]:
        """The sequences of a range, some at a time."""
        return tiles(self.data.sequences, self.data.n_labels, first, last)

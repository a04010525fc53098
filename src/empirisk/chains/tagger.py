"""Weights that answer: the best labelling of new sequences, marginals, probabilities, the k best ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import Masks
from empirisk.chains.layout import Layout
from empirisk.chains.passes import Tile, scores_of, tiles
from empirisk.chains.sequences import Sequences
from empirisk.compiled import kernel, quiet
from empirisk.inference.forward_backward import forward_backward, log_partition
from empirisk.inference.k_best import k_best
from empirisk.inference.masks import force_labels
from empirisk.inference.transition_factors import transition_factors
from empirisk.inference.viterbi import best_path, score_of
from empirisk.protocols import Matrix, Vector
from empirisk.rows.threads import in_threads

RANGE_SCORES = 1 << 19  # scores of a range of sequences, which a thread takes at a time
FREE = -1  # a token whose label is not known


class Tagger(NamedTuple):
    """Scores of labelings, and what is allowed."""

    layout: Layout
    masks: Masks
    weights: Vector

    def predict(
        self, sequences: Sequences, known: NDArray[np.int32] | None = None, n_threads: int = 1
    ) -> NDArray[np.int32]:
        """The best labelling of each sequence, one label a token; those that are `known` (not -1) are kept.

        ValueError where known labels leave no labelling that is allowed.
        """
        paths, values = np.empty(sequences.n_tokens, np.int32), np.empty(sequences.n_sequences)
        transitions = self._transitions()

        def answer(tile: Tile, scores: Matrix) -> None:
            forward = np.empty((tile.sequences.longest, self.layout.n_labels))
            decode(tile.sequences.starts, scores, transitions, forward, paths[tile.tokens], values[tile.at])

        self._each(sequences, known, n_threads, answer)
        refuse_impossible(values)
        return paths

    def marginals(
        self, sequences: Sequences, known: NDArray[np.int32] | None = None, n_threads: int = 1
    ) -> tuple[Matrix, Vector]:
        """The probability of each label at each token, (n_tokens, K), and log Z of each sequence."""
        found, values = np.empty((sequences.n_tokens, self.layout.n_labels)), np.empty(sequences.n_sequences)
        steps = transition_factors(self._transitions())

        def answer(tile: Tile, scores: Matrix) -> None:
            tables = np.empty((2, tile.sequences.longest, self.layout.n_labels))
            _write_marginals(tile.sequences.starts, scores, steps, *tables, found[tile.tokens], values[tile.at])

        self._each(sequences, known, n_threads, answer)
        refuse_impossible(values)
        return found, values

    def log_probabilities(self, sequences: Sequences, labels: NDArray[np.int32], n_threads: int = 1) -> Vector:
        """The log-probability of a labelling of each sequence; -inf where it is not allowed."""
        values, logs = np.empty(sequences.n_sequences), np.empty(sequences.n_sequences)
        transitions = self._transitions()
        steps = transition_factors(transitions)

        def answer(tile: Tile, scores: Matrix) -> None:
            buffers = np.empty((2, tile.sequences.longest, self.layout.n_labels))
            _write_log_probabilities(
                tile.sequences.starts, scores, steps, *buffers, labels[tile.tokens], values[tile.at], logs[tile.at]
            )

        self._each(sequences, None, n_threads, answer)
        refuse_impossible(logs)
        return values

    def k_best(self, sequences: Sequences, k: int, n_threads: int = 1) -> list[list[tuple[float, NDArray[np.int32]]]]:
        """For each sequence its k best labelings with their scores, the best first; fewer where there are fewer."""
        found: list[list[tuple[float, NDArray[np.int32]]]] = [[] for _ in range(sequences.n_sequences)]
        transitions, K = self._transitions(), self.layout.n_labels

        def answer(tile: Tile, scores: Matrix) -> None:
            starts = tile.sequences.starts.tolist()
            for j, (begin, end) in enumerate(itertools.pairwise(starts)):
                values, paths = np.empty(k), np.empty((k, end - begin), np.int32)
                tables = np.empty((end - begin, K, k)), np.empty((end - begin, K, k), np.int64), np.empty(K, np.int64)
                count = k_best(scores[begin:end], transitions, values, paths, *tables)
                found[tile.at.start + j] = [(float(values[r]), paths[r]) for r in range(count)]

        self._each(sequences, None, n_threads, answer)
        return found

    def _each(
        self,
        sequences: Sequences,
        known: NDArray[np.int32] | None,
        n_threads: int,
        answer: Callable[[Tile, Matrix], Any],
    ) -> None:
        parts = self.layout.parts(self.weights)

        def run(some: tuple[int, int]) -> None:
            for tile in tiles(sequences, self.layout.n_labels, *some):
                scores = scores_of(self.layout, self.masks, parts, tile.sequences)
                if known is not None:
                    force_labels(scores, known[tile.tokens])
                with quiet():
                    answer(tile, scores)

        in_threads(run, ranges(sequences, self.layout.n_labels), n_threads)

    def _transitions(self) -> Matrix:
        found: Matrix = self.layout.parts(self.weights).transitions + self.masks.between
        return found


def ranges(sequences: Sequences, n_labels: int) -> list[tuple[int, int]]:
    """Runs of sequences for threads, by the number of tokens."""
    most = max(1, RANGE_SCORES // n_labels)
    cuts = np.searchsorted(sequences.starts, np.arange(0, sequences.n_tokens, most)).tolist()
    edges = sorted({0, *cuts, sequences.n_sequences})
    return [(a, b) for a, b in itertools.pairwise(edges) if a < b]


def refuse_impossible(values: Vector) -> None:
    """Refuse sequences without a labelling that is allowed."""
    bad = np.flatnonzero(values == -math.inf)
    if bad.size:
        raise ValueError(f"sequence {bad[0]}, counted from 0, has no labelling that is allowed: its known labels clash")


@kernel(exact=True)
def decode(starts, scores, transitions, forward, paths, values):
    """The best labelling of each sequence, and its score."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        values[j] = best_path(scores[begin:end], transitions, forward[: end - begin], paths[begin:end])


@kernel
def _write_marginals(starts, scores, steps, forward, ratios, marginals, values):
    nothing = np.zeros((scores.shape[1], scores.shape[1]))
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        size = end - begin
        own = marginals[begin:end]
        values[j] = forward_backward(scores[begin:end], steps, 0.0, own, nothing, forward[:size], ratios[:size])


@kernel
def _write_log_probabilities(starts, scores, steps, forward, reached, labels, values, logs):
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        size = end - begin
        logs[j] = log_partition(scores[begin:end], steps, forward[:size], reached[:size])
        values[j] = score_of(scores[begin:end], steps.logs, labels[begin:end]) - logs[j]

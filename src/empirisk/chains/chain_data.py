"""Sequences with their labels, and the weights that a model of them has: what every problem on chains is about."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.layout import Layout
from empirisk.chains.sequences import Sequences
from empirisk.designs import as_design
from empirisk.protocols import Matrix, Vector
from empirisk.rows.fingerprint import MASK, Sums, digits_of, fingerprint_sums
from empirisk.rows.tree import Tree, sparse_tree

KEY_STARTS, KEY_WEIGHTS = 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7  # odd: what is mixed with them stays apart from tokens
SUM_SHARE = 0.5  # sums of 8 bytes beside numbers of attributes of 4: together at most as large as these
LEAST_LEAVES = 7  # that a sum may have: four at least, as leaves are runs of 2^k cells


class Masks(NamedTuple):
    """0 where labels may follow each other, start a sequence or end it; -inf where not."""

    between: Matrix  # (K, K), [from, to]
    first: Vector
    last: Vector

    @property
    def are_empty(self) -> bool:
        """Whether everything is allowed."""
        return not any(bool(np.any(array)) for array in self)


def no_masks(n_labels: int) -> Masks:
    """Everything is allowed."""
    return Masks(np.zeros((n_labels, n_labels)), np.zeros(n_labels), np.zeros(n_labels))


class ChainData(NamedTuple):
    """n sequences with labels. It never changes; arrays are read-only."""

    sequences: Sequences
    gold: NDArray[np.int32]  # of every token
    classes: NDArray[Any]  # the users' labels, sorted
    weights: Vector  # of the sequences; empty where all are one
    layout: Layout
    masks: Masks

    @property
    def n_labels(self) -> int:
        """K."""
        return self.layout.n_labels

    @property
    def n_sequences(self) -> int:
        """n."""
        return self.sequences.n_sequences

    def lengths(self) -> Vector:
        """T_j."""
        return np.diff(self.sequences.starts).astype(np.float64)

    def total_weight(self) -> float:
        """S."""
        return math.fsum(self.weights.tolist()) if self.weights.size else float(self.n_sequences)

    def shares(self) -> Vector:
        """w_j / S."""
        weights = self.weights if self.weights.size else np.ones(self.n_sequences)
        return weights / self.total_weight()

    def tree(self) -> Tree:
        """How sequences are added up: they alone decide."""
        sequences = self.sequences
        entries = sequences.attributes.starts[sequences.starts] + self.n_labels * sequences.starts
        return sparse_tree(entries)._replace(sum_share=SUM_SHARE, least_leaves=LEAST_LEAVES)

    def fingerprint(self) -> str:
        """Of attributes, dense features, labels, weights, and where sequences start."""
        sequences, nothing = self.sequences, np.empty(0)
        gold = np.ascontiguousarray(self.gold, dtype=np.float64)
        sums = [fingerprint_sums(sequences.attributes, gold, nothing)]
        if sequences.dense.shape[1]:
            sums.append(fingerprint_sums(as_design(sequences.dense), np.zeros(gold.size), nothing))
        starts = sequences.starts.astype(np.float64).reshape(-1, 1)
        sums.append(_times(KEY_STARTS, fingerprint_sums(as_design(starts), np.zeros(starts.size), nothing)))
        if self.weights.size:
            weights = self.weights.reshape(-1, 1)
            sums.append(_times(KEY_WEIGHTS, fingerprint_sums(as_design(weights), np.zeros(weights.size), nothing)))
        total = (sum(a for a, _ in sums) & MASK, sum(b for _, b in sums) & MASK)
        return digits_of(total, self.n_sequences, self.layout.n_attributes)


def _times(factor: int, sums: Sums) -> Sums:
    return factor * sums[0], factor * sums[1]

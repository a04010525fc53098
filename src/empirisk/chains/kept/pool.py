"""Labelings of sequences with their weights, while a solver adds some and drops others."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.chains.labelings import Labelings
from empirisk.compiled import kernel, quiet
from empirisk.protocols import Vector

GOLD = -1  # in the place of a number of a labelling: the true one


class Pool(NamedTuple):
    """Labelings as changes of the true ones. Arrays are updated in place; the first `numbers` entries count."""

    head: NDArray[np.int64]  # of each sequence: its first labelling; GOLD where there is none
    follow: NDArray[np.int64]  # of each labelling: the next one of its sequence; GOLD behind the last
    weights: Vector  # of each labelling
    begin: NDArray[np.int64]  # of each labelling: where its changes start
    size: NDArray[np.int64]
    idle: NDArray[np.int64]  # of each labelling: for how many rounds its weight has been zero
    positions: NDArray[np.int32]
    labels: NDArray[np.int32]
    gold_weights: Vector  # of each sequence: what lies on the true labelling
    numbers: NDArray[np.int64]  # of labelings, of changes

    def grown(self, labelings: int, changes: int) -> Pool:
        """With room for so many more, in arrays at least twice as large where they are too small."""
        kept, places = self.numbers.tolist()
        pool = self
        if kept + labelings > self.weights.size:
            more = max(labelings, self.weights.size)
            names = ("follow", "weights", "begin", "size", "idle")
            pool = pool._replace(**{name: np.pad(getattr(pool, name), (0, more)) for name in names})
        if places + changes > self.positions.size:
            more = max(changes, self.positions.size)
            pool = pool._replace(positions=np.pad(pool.positions, (0, more)), labels=np.pad(pool.labels, (0, more)))
        return pool

    def compacted(self, patience: int) -> Pool:
        """Sequence after sequence, without the labelings whose weight has been zero for more than so many rounds."""
        n = self.head.size
        order, counts = np.empty(int(self.numbers[0]), np.int64), np.zeros(n, np.int64)
        kept = order[: in_order(self.head, self.follow, self.weights, self.idle, patience, order, counts)]
        ends = np.cumsum(counts)
        sizes = self.size[kept]
        places = np.repeat(self.begin[kept] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        follow = np.arange(1, kept.size + 1)
        follow[ends[counts > 0] - 1] = GOLD
        head = np.where(counts > 0, ends - counts, GOLD)
        return Pool(
            head, follow, self.weights[kept], np.cumsum(sizes) - sizes, sizes, self.idle[kept], self.positions[places],
            self.labels[places], self.gold_weights, np.array([kept.size, places.size]),
        )  # fmt: skip

    def labelings(self) -> Labelings:
        """Those with weight, feasible: the exact sum of the weights of each sequence is at most 1."""
        pool = self._replace(idle=np.where(self.weights > 0.0, 0, 1)).compacted(-1)
        counts = np.zeros(self.head.size, np.int64)
        has_any = pool.head != GOLD
        heads = pool.head[has_any]
        counts[has_any] = np.diff(np.append(heads, pool.weights.size))
        starts = np.concatenate(([0], np.cumsum(counts)))
        weights = pool.weights.copy()
        for j in np.flatnonzero(counts):
            own = weights[starts[j] : starts[j + 1]]
            while math.fsum([*own.tolist(), -1.0]) > 0.0:
                own *= (1.0 - 2.0**-52) / max(1.0, float(np.sum(own)))
        return Labelings(starts, weights, np.append(pool.begin, pool.positions.size), pool.positions, pool.labels)


def empty_pool(n_sequences: int) -> Pool:
    """All weight on the true labelings."""
    ints, places = np.empty(0, np.int64), np.empty(0, np.int32)
    return Pool(
        np.full(n_sequences, GOLD), ints, np.empty(0), ints.copy(), ints.copy(), ints.copy(), places, places.copy(),
        np.ones(n_sequences), np.zeros(2, np.int64),
    )  # fmt: skip


def pool_of(labelings: Labelings) -> Pool:
    """The pool with these labelings."""
    counts = np.diff(labelings.starts)
    follow = np.arange(1, labelings.weights.size + 1)
    follow[labelings.starts[1:][counts > 0] - 1] = GOLD
    edges = np.concatenate(([0.0], np.cumsum(labelings.weights)))
    gold = np.maximum(0.0, 1.0 - (edges[labelings.starts[1:]] - edges[labelings.starts[:-1]]))
    return Pool(
        np.where(counts > 0, labelings.starts[:-1], GOLD), follow, labelings.weights.copy(),
        labelings.change_starts[:-1].copy(), np.diff(labelings.change_starts), np.zeros(follow.size, np.int64),
        labelings.positions.copy(), labelings.labels.copy(), gold,
        np.array([labelings.weights.size, labelings.positions.size]),
    )  # fmt: skip


def with_labels(pool: Pool, data: ChainData, labels: NDArray[np.int32], by: float) -> Pool:
    """With more weight on the labelings that these labels of all tokens are; what lies on the true one is not told."""
    at, n = 0, data.n_sequences
    with quiet():
        while at < n:
            pool = pool.grown(n, int(np.count_nonzero(labels != data.gold)) + data.sequences.longest)
            at = keep_labels(data.sequences.starts, data.gold, labels, by, at, pool)
    return pool


@kernel
def in_order(head, follow, weights, idle, patience, order, counts):
    """The numbers of the labelings that stay, sequence after sequence; how many there are."""
    total = 0
    for j in range(head.size):
        k = head[j]
        while k != GOLD:
            idle[k] = 0 if weights[k] > 0.0 else idle[k] + 1
            if idle[k] == 0 or idle[k] <= patience:
                order[total] = k
                total += 1
                counts[j] += 1
            k = follow[k]
    return total


@kernel(borrows=True)
def kept_number(pool, j, gold, path):
    """The number of the labelling `path` of sequence j, which joins the pool where it is not in it."""
    changes, last = 0, GOLD
    for t in range(gold.size):
        changes += path[t] != gold[t]
    if changes == 0:
        return GOLD
    k = pool.head[j]
    while k != GOLD:
        if pool.size[k] == changes:
            begin, same = pool.begin[k], 0
            while same < changes and path[pool.positions[begin + same]] == pool.labels[begin + same]:
                same += 1
            if same == changes:
                return k
        last = k
        k = pool.follow[k]
    k, place = pool.numbers[0], pool.numbers[1]
    if last == GOLD:
        pool.head[j] = k
    else:
        pool.follow[last] = k
    pool.follow[k] = GOLD
    pool.weights[k] = 0.0
    pool.idle[k] = 0
    pool.begin[k] = place
    pool.size[k] = changes
    for t in range(gold.size):
        if path[t] != gold[t]:
            pool.positions[place] = t
            pool.labels[place] = path[t]
            place += 1
    pool.numbers[0] = k + 1
    pool.numbers[1] = place
    return k


@kernel(borrows=True)
def keep_labels(starts, gold, labels, by, at, pool):
    """Add weight to the labelling that the labels of all tokens are of each sequence, from sequence `at`.

    The sequence for which the pool has no room is returned.
    """
    for j in range(at, starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        if pool.numbers[0] == pool.weights.size or pool.numbers[1] + end - begin > pool.positions.size:
            return j
        k = kept_number(pool, j, gold[begin:end], labels[begin:end])
        if k != GOLD:
            pool.weights[k] += by
    return starts.size - 1

"""Differences of the features of two labelings: gathered token by token, with their norm, and added to the weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Vector

TOKENS, PAIRS = range(2)  # places of the counts of a workspace


class Workspace(NamedTuple):
    """Arrays that steps on one sequence write and leave behind; `of_...` are zero between steps."""

    scores: Matrix  # (longest, K)
    forward: Matrix  # (longest, K)
    gold_forward: Vector
    path: NDArray[np.int32]
    steps: Matrix  # (K, K)
    of_labels: Matrix  # (longest, K): how often each label is gained at each token, less how often it is lost
    of_pairs: Vector  # (K K,): the same of transitions
    pairs: NDArray[np.int64]  # transitions that a step may change, some of them twice
    is_marked: NDArray[np.bool_]  # (longest,) tokens
    tokens: NDArray[np.int64]  # which are
    of_weights: Vector  # the direction, as long as u
    is_touched: NDArray[np.bool_]
    touched: NDArray[np.int64]  # which weights
    counts: NDArray[np.int64]  # of tokens, of pairs
    sums: Vector  # gain of D, work, steps


def workspace(longest: int, n_labels: int, n_weights: int) -> Workspace:
    """Zeros."""
    K = n_labels
    return Workspace(
        np.zeros((longest, K)), np.zeros((longest, K)), np.zeros(longest), np.zeros(longest, np.int32),
        np.zeros((K, K)), np.zeros((longest, K)), np.zeros(K * K), np.zeros(8 * longest, np.int64),
        np.zeros(longest, np.bool_),
        np.zeros(longest, np.int64), np.zeros(n_weights), np.zeros(n_weights, np.bool_), np.zeros(n_weights, np.int64),
        np.zeros(2, np.int64), np.zeros(3),
    )  # fmt: skip


@kernel(borrows=True)
def add_labelling(A, pool, work, j, k, by):
    """Add `by` times what labelling k of sequence j has and the true one has not; what changes is listed."""
    begin, end = pool.begin[k], pool.begin[k] + pool.size[k]
    at, length = A.starts[j], A.starts[j + 1] - A.starts[j]
    for c in range(begin, end):
        t, label = pool.positions[c], pool.labels[c]
        true = A.gold[at + t]
        work.of_labels[t, label] += by
        work.of_labels[t, true] -= by
        if not work.is_marked[t]:
            work.is_marked[t] = True
            work.tokens[work.counts[TOKENS]] = t
            work.counts[TOKENS] += 1
        if t > 0:
            true_before = A.gold[at + t - 1]
            before = pool.labels[c - 1] if c > begin and pool.positions[c - 1] == t - 1 else true_before
            add_pair(work, before, label, by)
            add_pair(work, true_before, true, -by)
        if t + 1 < length and not (c + 1 < end and pool.positions[c + 1] == t + 1):
            behind = A.gold[at + t + 1]
            add_pair(work, label, behind, by)
            add_pair(work, true, behind, -by)


@kernel(borrows=True)
def add_pair(work, i, k, by):
    """Count a transition."""
    pair = i * work.steps.shape[0] + k
    work.of_pairs[pair] += by
    work.pairs[work.counts[PAIRS]] = pair
    work.counts[PAIRS] += 1


@kernel(borrows=True)
def gather(A, work, j):
    """The direction of the labels and pairs at hand, to `of_weights`; these are zero again. How many weights it has."""
    X, n_labels = A.attributes, work.steps.shape[0]
    dense_at = A.state_labels.size
    pairs_at = dense_at + A.dense.shape[1] * n_labels
    ends_at = pairs_at + n_labels * n_labels
    n = 0
    for c in range(work.counts[TOKENS]):
        t = work.tokens[c]
        work.is_marked[t] = False
        row, at = work.of_labels[t], A.starts[j] + t
        for k in range(n_labels):
            by = row[k]
            if by == 0.0:
                continue
            for d in range(A.dense.shape[1]):
                x = A.dense[at, d]
                if x != 0.0:
                    n = touch(work, dense_at + d * n_labels + k, x * by, n)
            if A.has_ends and t == 0:
                n = touch(work, ends_at + k, by, n)
            if A.has_ends and at + 1 == A.starts[j + 1]:
                n = touch(work, ends_at + n_labels + k, by, n)
        for e in range(X.row_size(at)):
            a = X.column_at(at, e)
            x = X.entry_at(at, e)
            for m in range(A.state_starts[a], A.state_starts[a + 1]):
                by = row[A.state_labels[m]]
                if by != 0.0:
                    n = touch(work, m, x * by, n)
        for k in range(n_labels):
            row[k] = 0.0
    for c in range(work.counts[PAIRS]):
        pair = work.pairs[c]
        if work.of_pairs[pair] != 0.0:
            if A.is_free[pair // n_labels, pair % n_labels]:
                n = touch(work, pairs_at + pair, work.of_pairs[pair], n)
            work.of_pairs[pair] = 0.0
    work.counts[TOKENS] = work.counts[PAIRS] = 0
    return n


@kernel(borrows=True, inlined=True)
def touch(work, m, value, n):
    """Add to weight m of the direction, which has n so far; how many it has then."""
    work.of_weights[m] += value
    if not work.is_touched[m]:
        work.is_touched[m] = True
        work.touched[n] = m
        n += 1
    return n


@kernel(borrows=True)
def squared_norm(work, n):
    """Of the direction."""
    total = 0.0
    for c in range(n):
        total += work.of_weights[work.touched[c]] ** 2
    return total


@kernel(borrows=True)
def move(work, u, by, n):
    """Add `by` times the direction to u; the direction is zero again."""
    for c in range(n):
        m = work.touched[c]
        u[m] += by * work.of_weights[m]
        work.of_weights[m] = 0.0
        work.is_touched[m] = False

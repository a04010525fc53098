"""Scores of the tokens of one sequence, read again after each step: few tokens of few sequences change at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.losses import Margin
from empirisk.chains.margin import cost_scales
from empirisk.chains.risk import ChainRisk
from empirisk.compiled import kernel
from empirisk.inference.augmentation import add_costs
from empirisk.protocols import Matrix, Vector


class MarginArrays(NamedTuple):
    """What kernels read of a problem with margins."""

    attributes: Any
    dense: Matrix
    starts: NDArray[np.int64]
    gold: NDArray[np.int32]
    shares: Vector
    scales: Vector  # of the costs of each sequence
    matrix: Matrix  # of costs
    is_whole: bool
    l2: float
    state_starts: NDArray[np.int64]
    state_labels: NDArray[np.uint16]
    is_free: NDArray[np.bool_]
    has_ends: bool
    between: Matrix  # the masks
    at_first: Vector
    at_last: Vector


def margin_arrays(problem: ChainRisk, loss: Margin) -> MarginArrays:
    """Those of a problem."""
    data = problem.data
    sequences, layout, masks = data.sequences, data.layout, data.masks
    return MarginArrays(
        sequences.attributes, sequences.dense, sequences.starts, data.gold, problem.shares, cost_scales(data, loss),
        loss.matrix, loss.is_whole, problem.regularizer.l2, layout.state_starts, layout.state_labels, layout.is_free,
        layout.has_ends, masks.between, masks.first, masks.last,
    )  # fmt: skip


@kernel(borrows=True)
def read_token(A, u, j, t, scores):
    """scores[t] becomes those of token t of sequence j, with start and end and, where costs are sums, the costs."""
    row, X, n_labels = scores[t], A.attributes, scores.shape[1]
    at = A.starts[j] + t
    dense_at = A.state_labels.size
    ends_at = dense_at + (A.dense.shape[1] + n_labels) * n_labels
    for k in range(n_labels):
        row[k] = 0.0
    if not A.is_whole:
        add_costs(scores[t : t + 1], A.gold[at : at + 1], A.matrix, A.scales[j])
    for c in range(X.row_size(at)):
        a = X.column_at(at, c)
        x = X.entry_at(at, c)
        begin, end = A.state_starts[a], A.state_starts[a + 1]
        if end - begin == n_labels:
            for k in range(n_labels):
                row[k] += x * u[begin + k]
        else:
            for m in range(begin, end):
                row[A.state_labels[m]] += x * u[m]
    for d in range(A.dense.shape[1]):
        x = A.dense[at, d]
        if x != 0.0:
            begin = dense_at + d * n_labels
            for k in range(n_labels):
                row[k] += x * u[begin + k]
    if t == 0:
        for k in range(n_labels):
            row[k] += A.at_first[k] + (u[ends_at + k] if A.has_ends else 0.0)
    if at + 1 == A.starts[j + 1]:
        for k in range(n_labels):
            row[k] += A.at_last[k] + (u[ends_at + n_labels + k] if A.has_ends else 0.0)


@kernel(borrows=True)
def read_steps(A, u, steps):
    """The scores of transitions, forbidden ones included."""
    n_labels = steps.shape[0]
    begin = A.state_labels.size + A.dense.shape[1] * n_labels
    for i in range(n_labels):
        for k in range(n_labels):
            steps[i, k] = u[begin + i * n_labels + k] + A.between[i, k]


@kernel(borrows=True)
def step_score(A, u, i, k):
    """The score of a transition that is allowed."""
    n_labels = A.between.shape[0]
    return u[A.state_labels.size + (A.dense.shape[1] + i) * n_labels + k]


@kernel(borrows=True)
def reading_work(A, j, t, n_labels):
    """What it costs to read a token: entries, of which dense ones run on vectors."""
    return A.attributes.row_size(A.starts[j] + t) * 2.0 + (A.dense.shape[1] / 4.0 + 1.0) * n_labels

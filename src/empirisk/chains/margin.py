"""The margin of labelings: max_s [C(s_j, s) + <phi(x_j, s) - phi(x_j, s_j), u>], and a subgradient over all sequences.

The labelling that reaches the maximum is found by decoding scores to which the costs are added; where the cost is that
of the whole labelling it is the best one that differs from the true one, or that itself. Tsochantaridis and others
(2005), section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.chains.losses import Margin
from empirisk.chains.passes import Passes, add_counts, scores_of
from empirisk.compiled import kernel, quiet
from empirisk.inference.augmentation import add_costs, best_with_sequence_cost
from empirisk.inference.viterbi import best_path, score_of
from empirisk.protocols import Vector


class MeanMargin(NamedTuple):
    """A mean over the sequences, each with its share w_j / S, and the labelings that reach the maxima."""

    value: float
    gradient: Vector  # a subgradient of the mean, in u
    losses: Vector  # of each sequence
    costs: Vector  # C(s_j, s) of each sequence's labelling
    labels: NDArray[np.int32]  # of every token


def mean_margin(passes: Passes, loss: Margin, u: Vector) -> MeanMargin:
    """The mean loss at u, a subgradient and the labelings that it comes from, in one pass of decoding."""
    data = passes.data
    layout, weights, shares, scales = data.layout, data.layout.parts(u), data.shares(), cost_scales(data, loss)
    steps = weights.transitions + data.masks.between
    losses, costs = np.zeros(data.n_sequences), np.zeros(data.n_sequences)
    labels = data.gold.copy()

    def add(first: int, last: int, out: Vector) -> None:
        sums = layout.parts(out)
        for tile in passes.tiles(first, last):
            sequences = tile.sequences
            scores = scores_of(layout, data.masks, weights, sequences)
            charges = np.zeros_like(scores)
            with quiet():
                charge_margin(
                    sequences.starts, data.gold[tile.tokens], scores, steps, loss.matrix, loss.is_whole,
                    scales[tile.at], shares[tile.at], charges, sums.transitions, losses[tile.at], costs[tile.at],
                    labels[tile.tokens], np.empty((sequences.longest, layout.n_labels)), np.empty(sequences.longest),
                )  # fmt: skip
            add_counts(layout, sequences, charges, sums)

    gradient, _ = passes.total(add, layout.size)
    layout.mask(gradient)
    return MeanMargin(float(np.sum(shares * losses)), gradient, losses, costs, labels)


def cost_scales(data: ChainData, loss: Margin) -> Vector:
    """What the costs of each sequence are multiplied by."""
    return 1.0 / data.lengths() if loss.is_mean else np.ones(data.n_sequences)


@kernel
def charge_margin(
    starts, gold, scores, steps, matrix, is_whole, scales, shares, charges, transitions, losses, costs, labels,
    forward, gold_forward,
):  # fmt: skip
    """The loss of each sequence with its labelling and cost, and its slopes, as `charge_likelihood` gives them."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        share = shares[j]
        if share == 0.0:
            continue
        true, path = gold[begin:end], labels[begin:end]
        if not is_whole:
            add_costs(scores[begin:end], true, matrix, scales[j])
        losses[j] = worst_labelling(scores[begin:end], steps, true, is_whole, path, forward, gold_forward)
        costs[j] = cost_of(true, path, matrix, is_whole, scales[j])
        own = charges[begin:end]
        for t in range(end - begin):
            own[t, path[t]] += share
            own[t, true[t]] -= share
            if t > 0:
                transitions[path[t - 1], path[t]] += share
                transitions[true[t - 1], true[t]] -= share


@kernel(exact=True, borrows=True)
def worst_labelling(scores, steps, gold, is_whole, path, forward, gold_forward):
    """The loss of one sequence, and in `path` the labelling that reaches it; costs that are sums are in `scores`.

    It is the true labelling where that is as bad as any other. `forward` and `gold_forward` are overwritten.
    """
    n = gold.size
    if is_whole:
        value = best_with_sequence_cost(scores, steps, gold, 1.0, forward[:n], gold_forward[:n], path)
    else:
        value = best_path(scores, steps, forward[:n], path)
    value -= score_of(scores, steps, gold)
    if value <= 0.0:
        for t in range(n):
            path[t] = gold[t]
    return value


@kernel(exact=True)
def cost_of(gold, path, matrix, is_whole, scale):
    """C(gold, path)."""
    total = 0.0
    for t in range(gold.size):
        if path[t] != gold[t]:
            if is_whole:
                return 1.0
            total += scale * matrix[gold[t], path[t]]
    return total

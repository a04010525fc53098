"""Means over sequences and the weights of their labelings: of costs, and v, of differences of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.labelings import Labelings
from empirisk.chains.losses import Margin
from empirisk.chains.margin import cost_scales
from empirisk.chains.passes import add_counts
from empirisk.chains.risk import ChainRisk
from empirisk.compiled import kernel, quiet
from empirisk.protocols import Vector

MOST_OF_CHANGE = 8.0  # transitions and ends that a changed token adds to the features or takes from them


class LabelingMeans(NamedTuple):
    """Means over the sequences and the weights of their labelings."""

    cost: float
    features: Vector  # v
    cost_rounding: float
    rounding: float  # the norm of what v is off by


def labeling_means(problem: ChainRisk, loss: Margin, labelings: Labelings, norms: Vector) -> LabelingMeans:
    """The mean cost and v; `norms` bounds the features of each token."""
    passes, data, shares = problem.passes, problem.data, problem.shares
    layout, scales = data.layout, cost_scales(data, loss)
    costs, sizes = np.zeros(data.n_sequences), np.zeros(data.n_sequences)

    def add(first: int, last: int, out: Vector) -> None:
        sums = layout.parts(out)
        for tile in passes.tiles(first, last):
            part, at = tile.sequences, tile.at
            charges = np.zeros((part.n_tokens, layout.n_labels))
            with quiet():
                charge_labelings(
                    part.starts, data.gold[tile.tokens], labelings.starts[at.start : at.stop + 1], labelings.weights,
                    labelings.change_starts, labelings.positions, labelings.labels, loss.matrix, loss.is_whole,
                    scales[at], shares[at], norms[tile.tokens], charges, sums.transitions, costs[at], sizes[at],
                )  # fmt: skip
            add_counts(layout, part, charges, sums)

    v, _ = passes.total(add, layout.size)
    layout.mask(v)
    cost, roundings = float(np.sum(costs)), float(labelings.positions.size + 64)
    return LabelingMeans(cost, v, roundings * UNIT * cost, 4.0 * roundings * UNIT * float(np.sum(sizes)))


@kernel(exact=True)
def charge_labelings(
    starts, gold, labeling_starts, weights, change_starts, positions, labels, matrix, is_whole, scales, shares, norms,
    charges, transitions, costs, sizes,
):  # fmt: skip
    """What v is made of: counts of labels to `charges` and of transitions to those; mean costs, sizes of the terms."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        true = gold[begin:end]
        for k in range(labeling_starts[j], labeling_starts[j + 1]):
            share = shares[j] * weights[k]
            first, last = change_starts[k], change_starts[k + 1]
            cost, size = 0.0, 0.0
            for c in range(first, last):
                t, label = positions[c], labels[c]
                charges[begin + t, true[t]] += share
                charges[begin + t, label] -= share
                cost += scales[j] * matrix[true[t], label]
                size += 2.0 * norms[begin + t] + MOST_OF_CHANGE
                if t > 0:
                    before = labels[c - 1] if c > first and positions[c - 1] == t - 1 else true[t - 1]
                    transitions[true[t - 1], true[t]] += share
                    transitions[before, label] -= share
                if t + 1 < true.size and not (c + 1 < last and positions[c + 1] == t + 1):
                    transitions[true[t], true[t + 1]] += share
                    transitions[label, true[t + 1]] -= share
            costs[j] += share * (1.0 if is_whole else cost)
            sizes[j] += share * size

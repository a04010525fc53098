"""The likelihood of labelings: log Z(x) - <phi(x, s), u>, and its gradient over all sequences.

v = (1/S) sum_j w_j (phi(x_j, s_j) - E phi(x_j, s)) with E over p(s | x_j) is what the gradient of the mean loss is but
for the sign. Lafferty, McCallum and Pereira (2001).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.chains.passes import Passes, Room, add_counts, scores_of
from empirisk.compiled import kernel, quiet
from empirisk.inference.forward_backward import forward_backward
from empirisk.inference.transition_factors import transition_factors
from empirisk.inference.viterbi import score_of
from empirisk.protocols import Vector


class MeanLoss(NamedTuple):
    """A mean over the sequences, each with its share w_j / S."""

    value: float
    gradient: Vector  # of the mean, in u
    losses: Vector  # of each sequence


def mean_likelihood(passes: Passes, u: Vector) -> MeanLoss:
    """The mean loss at u, its gradient, and the losses, in one pass of forward-backward runs."""
    data = passes.data
    layout, weights, shares = data.layout, data.layout.parts(u), data.shares()
    steps = transition_factors(weights.transitions + data.masks.between)
    losses = np.zeros(data.n_sequences)

    def add(first: int, last: int, out: Vector) -> None:
        sums = layout.parts(out)
        room, steps_room = Room(layout.n_labels, 2), Room(layout.n_labels, 2)
        for tile in passes.tiles(first, last):
            sequences = tile.sequences
            out_scores, charges = room.take(sequences.n_tokens)
            tables = steps_room.take(sequences.longest)
            scores = scores_of(layout, data.masks, weights, sequences, out_scores)
            with quiet():
                charge_likelihood(
                    sequences.starts, data.gold[tile.tokens], scores, steps, shares[tile.at], charges,
                    sums.transitions, *tables, losses[tile.at],
                )  # fmt: skip
            add_counts(layout, sequences, charges, sums)

    gradient, _ = passes.total(add, layout.size)
    layout.mask(gradient)
    value = float(np.sum(shares * losses))
    return MeanLoss(value if math.isfinite(value) else math.inf, gradient, losses)  # else scores overflow


@kernel
def charge_likelihood(starts, gold, scores, steps, shares, charges, transitions, forward, ratios, losses):
    """The loss of each sequence, and its slopes: in the scores, to `charges`; in the transitions, added to those."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        share = shares[j]
        own = charges[begin:end]
        if share == 0.0:
            own[:] = 0.0
            continue
        path = gold[begin:end]
        size = end - begin
        z = forward_backward(scores[begin:end], steps, share, own, transitions, forward[:size], ratios[:size])
        losses[j] = z - score_of(scores[begin:end], steps.logs, path)
        for t in range(size):
            for k in range(own.shape[1]):
                own[t, k] *= share
            own[t, path[t]] -= share
            if t > 0:
                transitions[path[t - 1], path[t]] -= share

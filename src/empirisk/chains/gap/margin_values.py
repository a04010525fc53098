"""The values of the margin, from u and from weights alpha of labelings.

P takes the largest score with costs of each sequence. The dual of P asks for weights alpha_j >= 0 of the labelings of
each sequence, which sum to 1:

    D(alpha) = (1/S) sum_j w_j sum_s alpha_j(s) C(s_j, s) - ||v||^2 / (2 l2),
    v = (1/S) sum_j w_j sum_s alpha_j(s) (phi(x_j, s_j) - phi(x_j, s)).

What is missing from the sum 1 lies on s_j, which adds nothing to either term: weights whose exact sum is at most 1 are
feasible whatever their rounding. Both are computed again from alpha and the sequences.

Rounding. A score of T tokens is off by what the scores of its tokens are, and by an addition of numbers no larger than
all of them together for each token, cost and transition; rounding is monotone, so that the maximum over labelings is
off by no more than one of them. Each term of v is rounded once for each other term that it is added to, and their sizes
at a changed token are at most those of the attributes, twice, of four transitions, and of the ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.gap.margin_recursion import largest_margins
from empirisk.chains.gap.values import ChainValues, values_of
from empirisk.chains.labeling_means import labeling_means
from empirisk.chains.labelings import checked_labelings, no_labelings
from empirisk.chains.losses import Margin
from empirisk.chains.margin import cost_scales
from empirisk.chains.passes import scores_of
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.chains.score_sizes import ScoreSizes, score_sizes
from empirisk.compiled import quiet
from empirisk.protocols import Vector


@values_of.register
def _(loss: Margin, problem: ChainRisk, point: ChainPoint) -> ChainValues:
    given = no_labelings(problem.data.n_sequences) if point.evidence is None else point.evidence
    labelings = checked_labelings(problem.data, given)
    sizes = score_sizes(problem.passes, point.weights)
    primal = _primal(loss, problem, point.weights, sizes)
    mean = labeling_means(problem, loss, labelings, sizes.norms)
    l2 = problem.regularizer.l2
    square = float(np.sum(mean.features * mean.features))
    dual = mean.cost - square / (2.0 * l2)
    off = mean.rounding
    off_square = (math.sqrt(square) * off + 0.5 * off * off) / l2 + 32 * UNIT * square / l2
    rounding = primal.rounding + mean.cost_rounding + off_square + 4.0 * UNIT * (abs(primal.value) + abs(dual))
    return ChainValues(primal.value, dual, 1.01 * rounding, primal.at_zero, labelings)


class _Primal(NamedTuple):
    value: float
    rounding: float
    at_zero: float


def _primal(loss: Margin, problem: ChainRisk, u: Vector, sizes: ScoreSizes) -> _Primal:
    """P(u), and what it is off by."""
    passes, data, shares = problem.passes, problem.data, problem.shares
    layout, weights, scales = data.layout, data.layout.parts(u), cost_scales(data, loss)
    steps = weights.transitions + data.masks.between
    losses = np.zeros(data.n_sequences)

    def add(first: int, last: int) -> None:
        for tile in passes.tiles(first, last):
            sequences = tile.sequences
            scores = scores_of(layout, data.masks, weights, sequences)
            with quiet():
                largest_margins(
                    sequences.starts, data.gold[tile.tokens], scores, steps, loss.matrix, loss.is_whole,
                    scales[tile.at], losses[tile.at],
                )  # fmt: skip

    passes.each(add)
    starts, lengths = data.sequences.starts[:-1], data.lengths()
    token_costs = 1.0 if loss.is_whole else scales * float(np.max(loss.matrix))
    largest = float(np.max(np.abs(weights.transitions), initial=0.0))
    whole = np.add.reduceat(sizes.tokens, starts) + lengths * (largest + token_costs)
    scored = np.add.reduceat((sizes.roundings + 4) * sizes.tokens, starts)
    off = 2.0 * scored + (6.0 * lengths + 6.0) * whole
    value = float(np.sum(shares * losses))
    penalty = 0.5 * problem.regularizer.l2 * float(np.sum(u * u))
    rounding = 1.1 * UNIT * float(np.sum(shares * off)) + 64 * UNIT * (value + penalty)
    at_zero = np.ones(data.n_sequences) if loss.is_whole else lengths * token_costs
    return _Primal(value + penalty, rounding, float(np.sum(shares * at_zero)))

"""The values of the likelihood, from u alone.

The dual point is the distribution p(s | x_j) of the model itself: its entropy less Omega*(v), with
v = (1/S) sum_j w_j (phi(x_j, s_j) - E phi), is a lower bound of P, and P less that is

    gap = Omega(u) + Omega*(v) - <u, v>,      for l2 alone ||grad P||^2 / (2 l2).

For l2 = 0 < l1 the distribution is drawn towards s_j by the c that makes ||c v||_inf <= l1: entropy is concave, so that
it keeps c times its entropy at least, and the gap is P less c times the mean entropy.

Rounding. Let e_t bound the relative error of one step of the sums at token t: of its scores, of the exponentials, and
of a sum of K positive terms. The probabilities of labels given those before come from sums whose errors add up over the
tokens, and the marginals from products of as many: both are off by 3 T sum_t e_t at most, relatively.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.gap.values import ChainValues, values_of
from empirisk.chains.likelihood import mean_likelihood
from empirisk.chains.losses import Likelihood
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.chains.score_sizes import ScoreSizes, score_sizes
from empirisk.inference.transition_factors import transition_factors
from empirisk.protocols import Vector


@values_of.register
def _(loss: Likelihood, problem: ChainRisk, point: ChainPoint) -> ChainValues:
    data, u = problem.data, point.weights
    l1, l2 = problem.regularizer
    found = mean_likelihood(problem.passes, u)
    v = -found.gradient
    sizes = score_sizes(problem.passes, u)
    off, roughly = _errors(problem, sizes, u)
    shares = problem.shares
    charged = float(np.sum(shares * (off + (data.sequences.n_tokens + 64) * UNIT) * sizes.feature_norms))
    penalty = problem.penalty(u)
    primal = found.value + penalty
    rounding = float(np.sum(shares * roughly)) + 64 * UNIT * (float(np.sum(shares * found.losses)) + penalty)
    at_zero = float(np.sum(shares * data.lengths())) * math.log(max(2, data.n_labels))
    if l2 > 0.0:
        best = _shrunk(v, l1) / l2  # the slope of Omega* at v
        size = float(np.sum(l1 * np.abs(u) + l2 * (u * u + best * best) + np.abs(u * v)))
        slope = float(np.linalg.norm(best - u))
        rounding += slope * charged + charged * charged / (2.0 * l2) + 64 * UNIT * size + 4.0 * UNIT * abs(primal)
        return ChainValues(primal, primal - gap_at(problem, u, found.value, v), 1.01 * rounding, at_zero)
    shrunk = _scale_to(l1, v, charged)
    off_entropy = float(np.linalg.norm(u)) * charged + 64 * UNIT * float(np.sum(np.abs(u * v)))
    rounding += shrunk * (rounding + off_entropy)
    return ChainValues(primal, primal - gap_at(problem, u, found.value, v, charged), 1.01 * rounding, at_zero)


def gap_at(problem: ChainRisk, u: Vector, loss: float, v: Vector, error: float = 0.0) -> float:
    """P - D where the mean loss is this, but for rounding; v may be off by `error`."""
    l1, l2 = problem.regularizer
    if l2 > 0.0 and l1 == 0.0:
        return float(np.sum((v - l2 * u) ** 2)) / (2.0 * l2)
    if l2 > 0.0:
        excess = _shrunk(v, l1)
        return max(0.0, float(np.sum(l1 * np.abs(u) + 0.5 * (l2 * u * u + excess * excess / l2) - u * v)))
    entropy = loss + float(np.vdot(u, v))
    return loss + problem.penalty(u) - max(0.0, _scale_to(l1, v, error) * entropy)


def _shrunk(v: Vector, l1: float) -> Vector:
    found: Vector = np.sign(v) * np.maximum(0.0, np.abs(v) - l1)
    return found


def _scale_to(l1: float, v: Vector, error: float) -> float:
    """The c <= 1 for which c times anything within `error` of v is at most l1 everywhere."""
    reach = (float(np.max(np.abs(v), initial=0.0)) + error) * (1.0 + 8.0 * UNIT)
    return min(1.0, l1 / reach) if reach > 0.0 else 1.0


def _errors(problem: ChainRisk, sizes: ScoreSizes, u: Vector) -> tuple[Vector, Vector]:
    """Of each sequence: the relative error of its marginals, and the absolute one of its log Z."""
    data = problem.data
    weights, K = data.layout.parts(u), data.n_labels
    steps = transition_factors(weights.transitions + data.masks.between)
    largest = float(np.max(np.abs(weights.transitions), initial=0.0))
    starts, lengths = data.sequences.starts[:-1], data.lengths()
    step = (sizes.roundings + 4) * sizes.tokens + 2.0 * sizes.tokens + 2.0 * largest + K + 12
    whole = np.add.reduceat(sizes.tokens, starts) + lengths * largest
    is_wide = np.maximum.reduceat(2.0 * sizes.tokens, starts) > steps.room
    wide = 8.0 * whole * lengths  # in log space each step rounds numbers as large as the scores so far
    off = 1.1 * UNIT * (np.add.reduceat(step, starts) + np.where(is_wide, wide, 0.0))
    return 3.0 * lengths * off, 2.0 * off + 8.0 * UNIT * lengths * whole

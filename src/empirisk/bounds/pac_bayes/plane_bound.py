"""What a prior over planes proves of a random draw around a plane, and of the plane itself.

The n rows here are not the prior's; m_i are the margins of the plane in standard deviations at c = 1 and KL is its
divergence (`gaussian_prior`). By Maurer's theorem, for a loss in [0, 1] with the mean q over draws and rows and the
expectation p, kl(q, p) <= (KL / c + ln(xi(n) / delta)) / n with probability 1 - delta, for all posteriors at once.

Random draw. Its loss is 1 where the draw is wrong: q = mean Phi(-m_i / sqrt c).

The plane. The loss of a draw v is 1 where y <v, z~> <= t s, s = sqrt(c z~^T Sigma z~): wrong, or within t standard
deviations of it. Its mean over draws is Phi(t - m), which is >= Phi(t) where the plane is wrong (m <= 0). So

    R(w) <= p / Phi(t),         kl(mean Phi(t - m_i), p) <= (KL / c + ln(G xi(n) / delta)) / n

without the factor 2 of Gibbs and majority votes, which is t = 0. The pair (c, t) is one of a grid of G, fixed here.

Split. With l0 the 0-1 loss of the prior's plane w0, loss = l0 + loss (1 - l0) - (1 - loss) l0, and the three parts are
bounded apart: l0 is that of one fixed plane, the other two are small where w is near w0:

    R(w) <= (B(sum l0, n, delta) + upper(mean Phi(t - m)(1 - l0)) - lower(mean (1 - Phi(t - m)) l0)) / Phi(t)

`plane_bound` is the least of both ways and of all pairs. Of delta, the way without a split has 0.3, the fixed plane
0.5 and the last two parts 0.1 each: where KL is large a smaller delta costs these little, and the fixed plane much.
References: Maurer (2004); Langford and Shawe-Taylor (2003) for planes; Wu and Seldin (2022) for the split.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from empirisk.arithmetic import UNIT
from empirisk.bounds.tails import binomial_upper, kl_lower, kl_upper, log_xi
from empirisk.protocols import Vector

DRAW_SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # c for the random draw
SCALES = (0.0625, 0.125, 0.25, 0.5, 1.0)  # c for the plane
WIDTHS = (1.0, 1.5, 2.0, 2.5, 3.0)  # t
PAIRS = tuple(itertools.product(SCALES, WIDTHS))
WHOLE, FIXED, PART = 0.3, 0.5, 0.1  # of delta; the last one twice
NDTR = 64.0 * UNIT  # error of SciPy's Phi, with room


class DrawBound(NamedTuple):
    """At most `value` of future rows are predicted wrong by a random draw from N(w, c Sigma)."""

    value: float
    scale: float  # c
    loss: float  # mean Phi(-m)
    divergence: float  # KL / c


class PlaneBound(NamedTuple):
    """At most `value` of future rows are predicted wrong by the plane."""

    value: float
    scale: float  # c
    width: float  # t
    loss: float  # mean Phi(t - m)
    divergence: float  # KL / c
    is_split: bool


def draw_bound(margins: Vector, divergence: float, log_delta: float) -> DrawBound:
    """The least over c; `margins` are lower bounds, `divergence` an upper one, both at c = 1."""
    n = margins.size
    room = log_xi(n) + math.log(len(DRAW_SCALES)) - log_delta
    bounds = []
    for c in DRAW_SCALES:
        loss = mean_probability(ndtr(-margins / math.sqrt(c)), n)
        bounds.append(DrawBound(kl_upper(loss, per_row(divergence / c, room, n)), c, loss, divergence / c))
    return min(bounds)


def plane_bound(margins: Vector, divergence: float, is_wrong: NDArray[np.bool_], log_delta: float) -> PlaneBound:
    """The least over (c, t), with and without the split; `is_wrong` are the rows on the wrong side of w0, or on it."""
    n, log_n_pairs = margins.size, log_xi(margins.size) + math.log(len(PAIRS))
    n_wrong = int(np.count_nonzero(is_wrong))
    margins = np.concatenate([margins[is_wrong], margins[~is_wrong]])  # so that each part is a view
    whole, part = (log_n_pairs - (log_delta + math.log(share)) for share in (WHOLE, PART))
    fixed = binomial_upper(n_wrong, n, log_delta + math.log(FIXED) - 8.0 * UNIT)
    bounds = []
    for c, t in PAIRS:
        losses = ndtr(t - margins / math.sqrt(c))
        loss, kl, least = mean_probability(losses, n), divergence / c, float(ndtr(t)) * (1.0 - NDTR)
        direct = kl_upper(loss, per_row(kl, whole, n)) / least
        gained = kl_upper(mean_probability(losses[n_wrong:], n), per_row(kl, part, n))
        saved = kl_lower(mean_probability(1.0 - losses[:n_wrong], n, -1.0), per_row(kl, part, n))
        split = (fixed + gained - saved) / least
        value = min(1.0, min(direct, split) * (1.0 + 8.0 * UNIT))
        bounds.append(PlaneBound(value, c, t, loss, kl, split < direct))
    return min(bounds)


def per_row(divergence: float, room: float, n: int) -> float:
    """(KL + ln(G xi(n) / delta)) / n, rounded up."""
    return (divergence + room) / n * (1.0 + 16.0 * UNIT)


def mean_probability(probabilities: Vector, n: int, side: float = 1.0) -> float:
    """Their sum by n, each off by a few roundings of one, rounded up (side 1) or down (-1)."""
    total = float(np.sum(probabilities)) * (1.0 + side * n * UNIT) + side * NDTR * probabilities.size
    return min(1.0, max(0.0, total / n * (1.0 + side * 4.0 * UNIT)))

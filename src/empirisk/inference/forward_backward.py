"""Sums over all labelings: log Z, marginals of labels and expected transitions, the probability of a labelling.

As scaled products where the scores allow it, in log space where they do not; `steps` are the `TransitionFactors` of the
matrix of transitions, made once for many sequences. `forward` and `ratios` (T, K) are room to work in.
"""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.log_space import log_backward, log_forward
from empirisk.inference.scaled_products import scaled_backward, scaled_forward
from empirisk.inference.viterbi import score_of


@kernel(borrows=True)
def log_partition(scores, steps, forward, ratios):
    """log Z = log sum_s exp(score(s)), -inf where no labelling is allowed."""
    log_z = scaled_forward(scores, steps, forward, ratios)
    return log_forward(scores, steps, forward, ratios) if math.isnan(log_z) else log_z


@kernel(borrows=True)
def log_probability(scores, steps, path, forward, ratios):
    """score(path) - log Z, -inf where the labelling is not allowed."""
    score = score_of(scores, steps.logs, path)
    return score - log_partition(scores, steps, forward, ratios) if score > -math.inf else score


@kernel(borrows=True, inlined=True)
def forward_backward(scores, steps, weight, marginals, expected, forward, ratios):
    """log Z; `marginals` (T, K) becomes p(s_t = j); `weight` sum_t p(s_(t - 1) = i, s_t = j) is added to `expected`.

    They are the gradients of log Z in `scores` and in the transitions. Where no labelling is allowed log Z is -inf, the
    marginals say nothing and nothing is added.
    """
    log_z, _ = tables(scores, steps, weight, marginals, expected, forward, ratios)
    return log_z


@kernel(borrows=True)
def tables(scores, steps, weight, marginals, expected, forward, ratios):
    """As `forward_backward`, and whether `forward` and `ratios` are left as `scaled_products` has them.

    With a, q and h as there and in `log_space`, a pair of labels has the probability a_(t - 1)(i) factors[i, j] q_t(j),
    or else exp(a_(t - 1)(i) + logs[i, j] - h_j) q_t(j).
    """
    log_z = scaled_forward(scores, steps, forward, marginals)
    are_products = not math.isnan(log_z)
    if not are_products:
        log_z = log_forward(scores, steps, forward, marginals)
    if log_z > -math.inf:
        if are_products:
            scaled_backward(steps, weight, marginals, expected, forward, ratios)
        else:
            log_backward(steps, weight, marginals, expected, forward, ratios)
    return log_z, are_products

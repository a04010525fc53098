"""Sums over all labelings: log Z, the marginals of labels and of pairs.

As scaled products where the scores allow it, in log space where they do not; `steps` are the `TransitionFactors` of the
matrix of transitions, made once for many sequences. `forward` (T, K) is overwritten by all of them.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.compiled import kernel
from empirisk.inference.log_space import log_forward, log_step_back
from empirisk.inference.scaled_products import scaled_forward, scaled_step_back


@kernel
def log_partition(scores, steps, forward, reached):
    """log Z = log sum_s exp(score(s)), -inf where no labelling is allowed; `reached` (T, K) is overwritten too."""
    log_z = scaled_forward(scores, steps, forward, reached)
    return log_z if log_z == log_z else log_forward(scores, steps, forward, reached)


@kernel
def forward_backward(scores, steps, weight, marginals, expected, forward):
    """log Z; `marginals` (T, K) becomes p(s_t = j); `weight` sum_t p(s_(t - 1) = i, s_t = j) is added to `expected`.

    They are the gradients of log Z in `scores` and in the transitions. Where no labelling is allowed log Z is -inf, the
    marginals say nothing and nothing is added.
    """
    log_z = scaled_forward(scores, steps, forward, marginals)
    if log_z > -math.inf:
        for t in range(scores.shape[0] - 1, 0, -1):
            scaled_step_back(steps, forward, marginals, t, weight, expected)
    elif log_z != log_z:
        log_z = log_forward(scores, steps, forward, marginals)
        highest = np.empty(scores.shape[1])
        if log_z > -math.inf:
            for t in range(scores.shape[0] - 1, 0, -1):
                log_step_back(steps, forward, marginals, t, weight, expected, highest)
    for j in range(scores.shape[1]):
        marginals[0, j] = forward[0, j]
    return log_z


@kernel
def pair_marginals(scores, steps, marginals, pairs, forward):
    """As `forward_backward`, with the marginals of the pairs one by one: `pairs` (T - 1, K, K), [from, to]."""
    pairs[:] = 0.0
    log_z = scaled_forward(scores, steps, forward, marginals)
    if log_z > -math.inf:
        for t in range(scores.shape[0] - 1, 0, -1):
            scaled_step_back(steps, forward, marginals, t, 1.0, pairs[t - 1])
    elif log_z != log_z:
        log_z = log_forward(scores, steps, forward, marginals)
        highest = np.empty(scores.shape[1])
        if log_z > -math.inf:
            for t in range(scores.shape[0] - 1, 0, -1):
                log_step_back(steps, forward, marginals, t, 1.0, pairs[t - 1], highest)
    for j in range(scores.shape[1]):
        marginals[0, j] = forward[0, j]
    return log_z

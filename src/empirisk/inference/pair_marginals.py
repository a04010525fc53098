"""The marginals of pairs of labels, one by one."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.forward_backward import tables
from empirisk.inference.log_space import highest


@kernel(borrows=True)
def pair_marginals(scores, steps, marginals, pairs, expected, forward, ratios):
    """log Z; pairs[t - 1, i, j] <- p(s_(t - 1) = i, s_t = j), an array (T - 1, K, K).

    `marginals` and `expected` as of `forward_backward` with weight 1. Where log Z is -inf, `pairs` says nothing.
    """
    n_tokens, n_labels = scores.shape
    log_z, are_products = tables(scores, steps, 1.0, marginals, expected, forward, ratios)
    if log_z == -math.inf:
        return log_z
    for t in range(1, n_tokens):
        for j in range(n_labels):
            share = ratios[t, j]
            if are_products:
                for i in range(n_labels):
                    pairs[t - 1, i, j] = forward[t - 1, i] * steps.factors[i, j] * share
            elif share == 0.0:
                pairs[t - 1, :, j] = 0.0
            else:
                high = highest(forward, t - 1, steps, j)
                for i in range(n_labels):
                    pairs[t - 1, i, j] = math.exp(forward[t - 1, i] + steps.logs[i, j] - high) * share
    return log_z

"""The entropy of the labelings of a chain."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.forward_backward import tables
from empirisk.inference.log_space import highest


@kernel(borrows=True)
def entropy(scores, steps, marginals, expected, forward, ratios):
    """H(p) = -sum_s p(s) log p(s) = H(s_T) + sum_(t > 0) H(s_(t - 1) | s_t); NaN where none is allowed.

    This is the chain rule, a label depends on those after it by the next one: p(s_(t - 1) = i | s_t = j) = a_(t - 1)(i)
    factors[i, j] / r_t(j), as in `scaled_products`. So the logs of scores cancel token by token and not in log Z - E
    score(s), which has no digit left where scores are large. `marginals` and `expected` as of `forward_backward` with
    weight 1; `expected` is zero before. Cover and Thomas (2006), theorem 2.5.1.
    """
    n_tokens, n_labels = scores.shape
    log_z, are_products = tables(scores, steps, 1.0, marginals, expected, forward, ratios)
    if log_z == -math.inf:
        return math.nan
    total = 0.0
    for j in range(n_labels):
        total -= _times_log(marginals[n_tokens - 1, j], marginals[n_tokens - 1, j])
    for t in range(1, n_tokens):
        for j in range(n_labels):
            if ratios[t, j] > 0.0:
                total += marginals[t, j] * math.log(marginals[t, j] / ratios[t, j])
                if not are_products:
                    high = highest(forward, t - 1, steps, j)
                    for i in range(n_labels):
                        way = forward[t - 1, i] + steps.logs[i, j] - high
                        if way > -math.inf:
                            total -= ratios[t, j] * math.exp(way) * way
        if are_products:
            for i in range(n_labels):
                total -= _times_log(marginals[t - 1, i], forward[t - 1, i])
    if are_products and n_tokens > 1:
        for i in range(n_labels):
            for j in range(n_labels):
                if steps.factors[i, j] > 0.0:
                    total -= expected[i, j] * (steps.logs[i, j] - steps.shift)
    return max(total, 0.0)


@kernel(borrows=True)
def _times_log(share, probability):
    """share log(probability), 0 where the share is 0."""
    return share * math.log(probability) if share > 0.0 else 0.0

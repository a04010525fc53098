"""Sums over all labelings in log space: for scores of any size, with an exponential for each pair of labels."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.viterbi import first_largest


@kernel(borrows=True)
def log_forward(scores, steps, forward, reached):
    """log Z, -inf where no labelling is allowed.

    `forward` (T, K) becomes a_t(j), the log of the sum over labels up to token t that end in j, less the largest of
    them, and `reached` (T, K) the sums r_t(j) = sum_i exp(a_(t - 1)(i) + logs[i, j] - h_j), with h_j the largest of the
    exponents without it. What rounding changes is a unit in the last place of the scores of labelings, and so much of a
    probability, where the scores are large.
    """
    n_tokens, n_labels = scores.shape
    log_z = 0.0
    for t in range(n_tokens):
        for j in range(n_labels):
            forward[t, j] = scores[t, j]
            reached[t, j] = 1.0
            if t > 0:
                high = highest(forward, t - 1, steps, j)
                total = 0.0
                if high > -math.inf:
                    for i in range(n_labels):
                        total += math.exp(forward[t - 1, i] + steps.logs[i, j] - high)
                    forward[t, j] += high + math.log(total)
                else:
                    forward[t, j] = -math.inf
                reached[t, j] = total
        high = forward[t, first_largest(forward[t])]
        if high == -math.inf:
            return -math.inf
        for j in range(n_labels):
            forward[t, j] -= high
        log_z += high
    total = 0.0
    for j in range(n_labels):
        total += math.exp(forward[n_tokens - 1, j])
    return log_z + math.log(total)


@kernel(borrows=True, inlined=True)
def log_backward(steps, weight, marginals, expected, forward, ratios):
    """As `scaled_backward`: p_(t - 1)(i) = sum_j exp(a_(t - 1)(i) + logs[i, j] - h_j) p_t(j) / r_t(j)."""
    n_tokens, n_labels = forward.shape
    last = n_tokens - 1
    total = 0.0
    for j in range(n_labels):
        ratios[last, j] = math.exp(forward[last, j])
        total += ratios[last, j]
    for j in range(n_labels):
        ratios[last, j] /= total
    for t in range(last, -1, -1):
        for j in range(n_labels):
            probability, reached = ratios[t, j], marginals[t, j]
            marginals[t, j] = probability
            ratios[t, j] = probability / reached if reached > 0.0 else 0.0
        if t > 0:
            ratios[t - 1, :] = 0.0
            for j in range(n_labels):
                if ratios[t, j] > 0.0:
                    high = highest(forward, t - 1, steps, j)
                    for i in range(n_labels):
                        pair = ratios[t, j] * math.exp(forward[t - 1, i] + steps.logs[i, j] - high)
                        ratios[t - 1, i] += pair
                        expected[i, j] += weight * pair


@kernel(exact=True, borrows=True)
def highest(forward, t, steps, label):
    """max_i forward[t, i] + logs[i, label]."""
    high = -math.inf
    for i in range(forward.shape[1]):
        high = max(high, forward[t, i] + steps.logs[i, label])
    return high

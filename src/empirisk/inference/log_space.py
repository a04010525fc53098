"""Sums over all labelings in log space: for scores of any size, with an exponential for each pair of labels."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.viterbi import first_largest


@kernel
def log_forward(scores, steps, forward, reached):
    """log Z, -inf where no labelling is allowed.

    `forward` (T, K) becomes a_t(j), the log of the sum over labels up to token t that end in j, less the largest of
    them, and `reached` (T, K) the sums r_t(j) = sum_i exp(a_(t - 1)(i) + logs[i, j] - h_j), with h_j the largest of the
    exponents without it.
    """
    n_tokens, n_labels = scores.shape
    log_z = 0.0
    for t in range(n_tokens):
        for j in range(n_labels):
            forward[t, j] = scores[t, j]
            reached[t, j] = 1.0
            if t > 0:
                high = _highest(forward, t - 1, steps, j)
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
    return log_z + math.log(to_probabilities(forward[n_tokens - 1]))


@kernel
def to_probabilities(logs):
    """exp(logs) / sum exp(logs) in the place of logs, of which the largest is 0; the sum."""
    total = 0.0
    for j in range(logs.size):
        logs[j] = math.exp(logs[j])
        total += logs[j]
    for j in range(logs.size):
        logs[j] /= total
    return total


@kernel
def log_step_back(steps, forward, marginals, t, weight, expected, highest):
    """As `scaled_step_back`: p_(t - 1)(i) = sum_j p_t(j) exp(a_(t - 1)(i) + logs[i, j] - h_j) / r_t(j).

    `highest` (K,) is overwritten by h.
    """
    n_labels = forward.shape[1]
    for j in range(n_labels):
        probability, reached = forward[t, j], marginals[t, j]
        marginals[t, j] = probability
        forward[t, j] = probability / reached if reached > 0.0 else 0.0
        highest[j] = _highest(forward, t - 1, steps, j)
    for i in range(n_labels):
        before = forward[t - 1, i]
        total = 0.0
        for j in range(n_labels):
            if forward[t, j] > 0.0:
                pair = forward[t, j] * math.exp(before + steps.logs[i, j] - highest[j])
                total += pair
                expected[i, j] += weight * pair
        forward[t - 1, i] = total


@kernel(exact=True)
def _highest(forward, t, steps, label):
    """max_i forward[t, i] + logs[i, label]."""
    high = -math.inf
    for i in range(forward.shape[1]):
        high = max(high, forward[t, i] + steps.logs[i, label])
    return high

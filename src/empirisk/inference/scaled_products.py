"""Sums over all labelings as products, scaled at each token: an exponential for each score and no more."""

from __future__ import annotations

import math

from empirisk.arithmetic.exponentials import exponentials
from empirisk.compiled import kernel


@kernel(borrows=True)
def scaled_forward(scores, steps, forward, reached):
    """log Z, or NaN where the scores are too wide for products (see `TransitionFactors`).

    `forward` (T, K) becomes a_t(j), the probability of label j at token t given the tokens up to it, and `reached`
    (T, K) the sums of which it is made, with m_t the largest score of token t:

        r_t(j) = sum_i a_(t - 1)(i) factors[i, j],     a_t(j) = r_t(j) exp(scores[t, j] - m_t) / c_t,
        log Z = sum_t (log c_t + m_t) + (T - 1) shift.

    Rabiner (1989), section V A.
    """
    n_tokens, n_labels = scores.shape
    log_z = steps.shift * (n_tokens - 1)
    for t in range(n_tokens):
        high, low = -math.inf, math.inf
        for j in range(n_labels):
            score = scores[t, j]
            high = max(score, high)
            low = min(score if score > -math.inf else math.inf, low)
        if high == -math.inf:
            return -math.inf
        if not high - low <= steps.room:
            return math.nan
        for j in range(n_labels):
            forward[t, j] = scores[t, j] - high
        log_z += high
    size = n_tokens * n_labels
    exponentials(forward.reshape(size), reached.reshape(size))
    reached[0, :] = 1.0
    for t in range(n_tokens):
        if t > 0:
            multiply(forward, t - 1, steps.factors, reached, t)
        total = 0.0
        for j in range(n_labels):
            share = reached[t, j] * forward[t, j]
            forward[t, j] = share
            total += share
        if total == 0.0:
            return -math.inf
        scale = 1.0 / total
        for j in range(n_labels):
            forward[t, j] *= scale
        if steps.least > 0.0 and _is_below(forward, t, steps.least):
            return math.nan
        log_z += math.log(total)
    return log_z


@kernel(borrows=True, inlined=True)
def scaled_backward(steps, weight, marginals, expected, forward, ratios):
    """From what `scaled_forward` left in `forward` and, as `reached`, in `marginals` to the marginals.

    p_(t - 1)(i) = a_(t - 1)(i) sum_j factors[i, j] q_t(j), q_t(j) = p_t(j) / r_t(j), and the terms of the sum are the
    marginals of pairs: `weight` times them is added to `expected`. There is no table of the way back that would have to
    be scaled itself. `ratios` (T, K) becomes q.
    """
    n_tokens, n_labels = forward.shape
    last = n_tokens - 1
    ratios[last, :] = 1.0
    for t in range(last, -1, -1):
        if t < last:
            multiply(ratios, t + 1, steps.transposed, ratios, t)
        for j in range(n_labels):
            probability, reached = forward[t, j] * ratios[t, j], marginals[t, j]
            marginals[t, j] = probability
            ratios[t, j] = probability / reached if reached > 0.0 else 0.0
    fours = last - last % 4
    for t in range(0, fours, 4):
        for i in range(n_labels):
            a, b, c, d = forward[t, i], forward[t + 1, i], forward[t + 2, i], forward[t + 3, i]
            for j in range(n_labels):
                ways = a * ratios[t + 1, j] + b * ratios[t + 2, j] + c * ratios[t + 3, j] + d * ratios[t + 4, j]
                expected[i, j] += (weight * steps.factors[i, j]) * ways
    for t in range(fours, last):
        for i in range(n_labels):
            a = forward[t, i]
            for j in range(n_labels):
                expected[i, j] += (weight * steps.factors[i, j]) * (a * ratios[t + 1, j])


@kernel(borrows=True)
def multiply(rows, t, matrix, out, to):
    """out[to] <- rows[t] matrix, four rows of the matrix at once."""
    n_labels = matrix.shape[0]
    fours = n_labels - n_labels % 4
    for j in range(n_labels):
        out[to, j] = 0.0
    for i in range(0, fours, 4):
        a, b, c, d = rows[t, i], rows[t, i + 1], rows[t, i + 2], rows[t, i + 3]
        for j in range(n_labels):
            out[to, j] += a * matrix[i, j] + b * matrix[i + 1, j] + c * matrix[i + 2, j] + d * matrix[i + 3, j]
    for i in range(fours, n_labels):
        a = rows[t, i]
        for j in range(n_labels):
            out[to, j] += a * matrix[i, j]


@kernel(borrows=True, inlined=True)
def _is_below(forward, t, least):
    """Whether a label of token t is possible and less probable than `least`."""
    lowest = math.inf
    for j in range(forward.shape[1]):
        share = forward[t, j]
        lowest = share if 0.0 < share < lowest else lowest
    return lowest < least

"""Sums over all labelings as products, scaled at each token: an exponential for each score and no more."""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel
def scaled_forward(scores, steps, forward, reached):
    """log Z, or NaN where the scores are too wide for products (see `TransitionFactors`).

    `forward` (T, K) becomes a_t(j), the probability of label j at token t given the tokens up to it, and `reached`
    (T, K) the sums of which it is made, with m_t the largest score of token t:

        r_t(j) = sum_i a_(t - 1)(i) factors[i, j],     a_t(j) = r_t(j) exp(scores[t, j] - m_t) / c_t,
        log Z = sum_t (log c_t + m_t) + (T - 1) largest.

    Rabiner (1989), section V A.
    """
    n_tokens, n_labels = scores.shape
    factors = steps.factors
    log_z = steps.largest * (n_tokens - 1)
    for t in range(n_tokens):
        high, low = -math.inf, math.inf
        for j in range(n_labels):
            score = scores[t, j]
            high = score if score > high else high
            low = score if -math.inf < score < low else low
        if high == -math.inf:
            return -math.inf
        if not high - low <= steps.room:
            return math.nan
        for j in range(n_labels):
            reached[t, j] = 0.0 if t > 0 else 1.0
        if t > 0:
            for i in range(n_labels):
                before = forward[t - 1, i]
                for j in range(n_labels):
                    reached[t, j] += before * factors[i, j]
        total = 0.0
        for j in range(n_labels):
            share = reached[t, j] * math.exp(scores[t, j] - high)
            forward[t, j] = share
            total += share
        if total == 0.0:
            return -math.inf
        lowest = math.inf
        for j in range(n_labels):
            share = forward[t, j] / total
            forward[t, j] = share
            lowest = share if 0.0 < share < lowest else lowest
        if lowest < steps.least:
            return math.nan
        log_z += math.log(total) + high
    return log_z


@kernel
def scaled_step_back(steps, forward, marginals, t, weight, expected):
    """From the marginals of token t, in `forward`, to those of the token before, and those of the pair.

    p_(t - 1)(i) = a_(t - 1)(i) sum_j factors[i, j] p_t(j) / r_t(j), and the terms of it are the marginals of pairs:
    `weight` times them is added to `expected`. There is no table of the way back that would have to be scaled itself.
    p_t is left in `marginals`, in place of r_t.
    """
    n_labels = forward.shape[1]
    for j in range(n_labels):
        probability, reached = forward[t, j], marginals[t, j]
        marginals[t, j] = probability
        forward[t, j] = probability / reached if reached > 0.0 else 0.0
    for i in range(n_labels):
        before = forward[t - 1, i]
        share = weight * before
        total = 0.0
        for j in range(n_labels):
            through = steps.factors[i, j] * forward[t, j]
            total += through
            expected[i, j] += share * through
        forward[t - 1, i] = before * total

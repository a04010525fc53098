"""The lower tail of the hypergeometric distribution and its inverse in the number of marked things, in log space.

Of M things K are marked and n are drawn without replacement; P(X = k) is a quotient of three binomial probabilities
with p = n / M, and P(X <= k) = P(X = k) (1 + r_k + r_k r_(k-1) + ...),
r_i = i (M - K - n + i) / ((K - i + 1) (n - i + 1)).
Reference: Leboeuf, LeBlanc and Marchand (2021), Improving generalization bounds for VC classes using the hypergeometric
tail inversion.
"""

from __future__ import annotations

import math

from empirisk.bounds.tails.binomial import LEFT_OUT, check_log, log_probability
from empirisk.bounds.tails.factorials import STEP
from empirisk.compiled import kernel
from empirisk.parameters import check_count


def hypergeometric_log_tail(k: int, marked: int, drawn: int, total: int) -> float:
    """ln P(at most k of the marked are among the drawn), rounded up; minus infinity where that cannot be."""
    k, drawn, total = _counts(k, drawn, total)
    marked = check_count("marked", marked, 0)
    if marked > total:
        raise ValueError(f"marked must be at most total = {total}, got {marked}")
    return float(log_tail(k, marked, drawn, total))


def hypergeometric_least_marked(k: int, drawn: int, total: int, log_delta: float) -> int:
    """The least K for which P(at most k of K marked are among the drawn) <= delta; never one too small.

    There is always one: with M - n + k + 1 marked, more than k are drawn.
    """
    k, drawn, total = _counts(k, drawn, total)
    return int(least_marked(k, drawn, total, check_log("log_delta", log_delta)))


def _counts(k: int, drawn: int, total: int) -> tuple[int, int, int]:
    total, drawn, k = check_count("total", total), check_count("drawn", drawn), check_count("k", k, 0)
    if drawn > total:
        raise ValueError(f"drawn must be at most total = {total}, got {drawn}")
    if k > drawn:
        raise ValueError(f"k must be at most drawn = {drawn}, got {k}")
    return k, drawn, total


@kernel(exact=True)
def least_marked(k, drawn, total, log_delta):
    """`hypergeometric_least_marked`, by halving: the tail falls with K. For kernels."""
    low = k  # the tail is 1
    high = total - drawn + k + 1
    while high - low > 1:
        middle = (low + high) // 2
        if log_tail(k, middle, drawn, total) <= log_delta:
            high = middle
        else:
            low = middle
    return high


@kernel(exact=True)
def log_tail(k, marked, drawn, total):
    """`hypergeometric_log_tail`, for kernels."""
    least = max(0, drawn - (total - marked))
    if k >= min(marked, drawn):
        return 0.0
    if k < least:
        return -math.inf
    p = drawn / total
    q = (total - drawn) / total
    log_a, off_a = log_probability(k, marked, p, q)
    log_b, off_b = log_probability(drawn - k, total - marked, p, q)
    log_c, off_c = log_probability(drawn, total, p, q)
    term = 1.0
    sum_of_ratios = 1.0
    i = k
    while i > least:
        ratio = i / (marked - i + 1) * ((total - marked - drawn + i) / (drawn - i + 1))
        term *= ratio
        sum_of_ratios += term
        i -= 1
        if ratio < 1.0 and term * ratio <= LEFT_OUT * sum_of_ratios * (1.0 - ratio):
            break
    allowance = off_a + off_b + off_c + LEFT_OUT + 4.0 * STEP * (k - i)
    return min(0.0, log_a + log_b - log_c + math.log(sum_of_ratios) + allowance)

"""The bound of a predictor that can be rebuilt from m of the n rows, and a message: the other rows are a test of it.

For every set of m places the predictor that the rule rebuilds from these rows (and the places, and the message) has
not seen the other n - m. So B(k, n - m, level) bounds its error, k being its errors on the others, and with

    level = delta / ((n + 1) C(n, m) messages)

it does so for all sizes, sets and messages at once. Reference: Littlestone and Warmuth (1986); Langford (2005),
section 5.
"""

from __future__ import annotations

import math

from empirisk.bounds.tails import binomial_upper, log_choose
from empirisk.bounds.tails.factorials import STEP


def compression_bound(errors: int, n: int, kept: int, log_delta: float, log_messages: float = 0.0) -> float:
    """J, rounded up: `errors` of the n - `kept` other rows are wrong; 1 where there are none."""
    if not 0 <= kept <= n:
        raise ValueError(f"kept must be from 0 to n = {n}, got {kept}")
    if kept == n:
        return 1.0
    log_level = log_delta - log_cost(n, kept) - log_messages
    return binomial_upper(errors, n - kept, log_level - 4.0 * STEP * abs(log_level))


def log_cost(n: int, kept: int) -> float:
    """ln((n + 1) C(n, m)): of saying how many rows are kept, and which."""
    return math.log(n + 1.0) + log_choose(n, kept)


def passes_cost(passes: int) -> float:
    """ln((p + 1) (p + 2)) for a run that was stopped after p passes, p = 0 for one that ended by itself: sums to 1."""
    return math.log(passes + 1.0) + math.log(passes + 2.0)

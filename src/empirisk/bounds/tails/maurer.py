"""The constant of Maurer's PAC-Bayes theorem."""

from __future__ import annotations

import math

from empirisk.bounds.tails.factorials import STEP
from empirisk.compiled import kernel
from empirisk.parameters import check_count


def log_xi(n: int) -> float:
    """ln of xi(n) = sum_k C(n, k) (k/n)^k (1 - k/n)^(n - k), rounded up; xi(n) <= 2 sqrt(n) for n >= 8.

    xi(n) = 1 + Q(n) with Ramanujan's Q(n) = 1 + (n - 1)/n + (n - 1)(n - 2)/n^2 + ..., of which about 9 sqrt(n) terms
    matter. Reference: Maurer (2004), A note on the PAC-Bayesian theorem; Knuth (1997), section 1.2.11.3.
    """
    return float(_log_xi(check_count("n", n)))


@kernel(exact=True)
def _log_xi(n):
    term = 1.0
    total = 2.0
    k = 1
    while k < n:
        ratio = (n - k) / n
        term *= ratio
        total += term
        k += 1
        if term * ratio <= 2.0**-60 * total * (1.0 - ratio):
            break
    log_total = math.log(total)
    return log_total + STEP * (2.0 * k + log_total + 2.0)

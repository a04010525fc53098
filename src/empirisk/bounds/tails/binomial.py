"""The lower tail of the binomial distribution, its inverse in the probability (Clopper and Pearson), in log space.

P(Bin(n, p) <= k) = P(k) (1 + r_k + r_k r_(k-1) + ...) with r_i = P(i - 1) / P(i) = i (1 - p) / ((n - i + 1) p):
positive terms, of which some sqrt(n) matter; the rest is below a geometric sum. The logarithm of this tail is concave
in p (that of a beta distribution function is), so Newton's method from the outer side stays there; where the sum, with
its rounding added, does not confirm the end, the end is moved outward until it does.
Reference: Clopper and Pearson (1934); Langford (2005), Tutorial on practical prediction theory for classification.
"""

from __future__ import annotations

import math

from empirisk.bounds.tails.factorials import LEAST, STEP, deviance, log_shape
from empirisk.bounds.tails.relative_entropy import kl_end
from empirisk.compiled import kernel
from empirisk.parameters import check_count, check_share, is_number

LEFT_OUT = 2.0**-60  # of the sum


def binomial_upper(errors: int, n: int, log_delta: float) -> float:
    """The largest p with P(Bin(n, p) <= errors) >= delta, rounded up; ln(delta) may be as low as it likes.

    With probability 1 - delta over n independent trials the probability of an error is at most this.
    """
    return float(binomial_end(*_counts(errors, n), check_log("log_delta", log_delta), 1))


def binomial_lower(errors: int, n: int, log_delta: float) -> float:
    """The least p with P(Bin(n, p) >= errors) >= delta, rounded down."""
    return float(binomial_end(*_counts(errors, n), check_log("log_delta", log_delta), -1))


def binomial_interval(errors: int, n: int, delta: float) -> tuple[float, float]:
    """Both ends of Clopper and Pearson, at delta / 2 each, rounded outward."""
    log_half = math.log(check_share("delta", delta)) - math.log(2.0)
    log_half -= STEP * (abs(log_half) + 1.0)
    return binomial_lower(errors, n, log_half), binomial_upper(errors, n, log_half)


def binomial_log_tail(errors: int, n: int, p: float) -> float:
    """ln P(Bin(n, p) <= errors), rounded up."""
    errors, n = _counts(errors, n)
    p = check_share("p", p)
    return 0.0 if errors == n else float(log_tail(errors, n, p, 1.0 - p)[0])


def check_log(name: str, value: object) -> float:
    """The logarithm of a probability below 1."""
    said = f"{name} must be the logarithm of a probability between 0 and 1, a number below 0, got {value!r}"
    if not is_number(value):
        raise TypeError(said)
    if not value < 0.0:
        raise ValueError(said)
    return float(value)


def _counts(errors: int, n: int) -> tuple[int, int]:
    n, errors = check_count("n", n), check_count("errors", errors, 0)
    if errors > n:
        raise ValueError(f"errors must be at most n = {n}, got {errors}")
    return errors, n


@kernel(exact=True)
def binomial_end(k, n, log_delta, side):
    """The upper (side 1) or lower (side -1) end for k of n, 0 <= k <= n, rounded outward: for kernels."""
    if side > 0:
        limit, is_open = 1.0, k < n
    else:
        limit, is_open = 0.0, k > 0
    if not is_open or math.isinf(log_delta):
        return limit
    x = kl_end(k / n, -log_delta / n, side)  # Chernoff: outside of the end that is sought
    x = min(x, 1.0 - 0.5 * STEP)
    found = limit
    for _ in range(100):
        if not LEAST < x < 1.0:
            break
        if side > 0:
            log_p, allowance, ratios = log_tail(k, n, x, 1.0 - x)
            slope = (n - k) / ((1.0 - x) * ratios)
        else:
            log_p, allowance, ratios = log_tail(n - k, n, 1.0 - x, x)
            slope = k / (x * ratios)
        step = (log_delta - log_p) / slope
        if log_p <= log_delta:
            found = x
            if step <= 0.5 * allowance / slope + 4.0 * STEP * x:
                break
            x -= side * step
        else:
            x += side * (-step + STEP * x)
    return found


@kernel(exact=True)
def log_tail(k, n, p, q):
    """ln P(Bin(n, p) <= k) for k < n, rounded up; how much of it is for rounding; and P(Bin <= k) / P(Bin = k).

    q is 1 - p: the smaller of the two is exact, the other may be rounded.
    """
    log_p, allowance = log_probability(k, n, p, q)
    odds = q / p
    term = 1.0
    total = 1.0
    i = k
    while i > 0:
        ratio = i * odds / (n - i + 1)
        term *= ratio
        total += term
        i -= 1
        if ratio < 1.0 and term * ratio <= LEFT_OUT * total * (1.0 - ratio):
            break
    allowance += LEFT_OUT + 4.0 * STEP * (k - i)
    return min(0.0, log_p + math.log(total) + allowance), allowance, total


@kernel(exact=True)
def log_probability(k, n, p, q):
    """ln P(Bin(n, p) = k) for 0 <= k <= n, 0 < p < 1, and the most by which rounding can have changed it."""
    if k == 0 or k == n:
        if k == n:
            p, q = q, p
        size = n * (math.log1p(-p) if p < q else math.log(q))
        return size, 4.0 * STEP * abs(size)
    off = deviance(k, n * p) + deviance(n - k, n * q)
    # A product n p is off by a step of 2^-52, which changes its deviance by (n p - k) times that.
    return log_shape(k, n) - off, STEP * (16.0 * off + 4.0 * abs(n * p - k) + 32.0)

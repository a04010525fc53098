"""The same tails in 60 digits, as oracles."""

import math
from fractions import Fraction

import mpmath
from mpmath import mpf

mpmath.mp.dps = 60


def log_factorial(n):
    return mpmath.loggamma(n + 1)


def log_choose(n, k):
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def binomial_log_tail(k, n, p=None, q=None):
    """ln P(Bin(n, p) <= k); p or q = 1 - p is given, whichever has all of its digits."""
    p, q = (mpf(p), 1 - mpf(p)) if q is None else (1 - mpf(q), mpf(q))
    term = total = mpf(1)
    for i in range(k, 0, -1):
        ratio = i * q / ((n - i + 1) * p)
        term *= ratio
        total += term
        if ratio < 1 and term < total * mpf(10) ** -45 * (1 - ratio):
            break
    log_p = log_choose(n, k) + k * mpmath.log(p) + (n - k) * mpmath.log(q)
    return log_p + mpmath.log(total)


def binomial_tail(k, n, p):
    """P(Bin(n, p) <= k), a fraction."""
    p = Fraction(p)
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def hypergeometric_tail(k, marked, drawn, total):
    """P(at most k of the marked are among the drawn), a fraction."""
    ways = (math.comb(marked, i) * math.comb(total - marked, drawn - i) for i in range(min(k, drawn) + 1))
    return Fraction(sum(ways), math.comb(total, drawn))


def hypergeometric_log_tail(k, marked, drawn, total):
    """Its logarithm, for numbers that are too large for fractions."""
    term = whole = mpf(1)
    for i in range(k, max(0, drawn - total + marked), -1):
        ratio = mpf(i) * (total - marked - drawn + i) / ((marked - i + 1) * mpf(drawn - i + 1))
        term *= ratio
        whole += term
        if ratio < 1 and term < whole * mpf(10) ** -45 * (1 - ratio):
            break
    log_p = log_choose(marked, k) + log_choose(total - marked, drawn - k) - log_choose(total, drawn)
    return log_p + mpmath.log(whole)


def kl(q, p):
    q, p = mpf(q), mpf(p)
    first = q * mpmath.log(q / p) if q else mpf(0)
    return first + ((1 - q) * (mpmath.log1p(-q) - mpmath.log1p(-p)) if q < 1 else mpf(0))

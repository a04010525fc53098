"""Clopper and Pearson's ends against 60 digits and fractions: never inside, and not outside by 1e-10."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from empirisk.bounds.tails import binomial_interval, binomial_log_tail, binomial_lower, binomial_upper
from tests.bounds.tails import long_tails

CLOSE = 1e-10  # relative
COUNTS = [
    *((k, n) for n in (1, 2, 7, 30) for k in range(n + 1)),
    *((0, 10**7), (1, 10**7), (9_999_999, 10**7), (10**7, 10**7), (10**6, 10**7), (5_000_000, 10**7)),
    *((15_000, 100_000), (99_000, 100_000), (3, 1000), (400, 1000)),
]
LOGS = [math.log(0.5), math.log(0.05), math.log(0.99), -20.0, math.log(1e-300), -5000.0, -1e5]


def assert_upper(k, n, log_delta):
    p = binomial_upper(k, n, log_delta)
    if k == n:
        assert p == 1.0
        return
    if p < 1.0:
        assert long_tails.binomial_log_tail(k, n, p) <= log_delta
    inside = p * (1 - mpf(CLOSE)) if p < 1.0 else mpf(1) - mpf(2) ** -53
    assert long_tails.binomial_log_tail(k, n, inside) >= log_delta


def assert_lower(k, n, log_delta):
    """P(Bin(n, p) >= k) = P(Bin(n, 1 - p) <= n - k)."""
    p = binomial_lower(k, n, log_delta)
    if k == 0:
        assert p == 0.0
        return
    if p > 0.0:
        assert long_tails.binomial_log_tail(n - k, n, q=p) <= log_delta
    inside = p * (1 + mpf(CLOSE)) if p > 0.0 else mpf(2) ** -999
    assert long_tails.binomial_log_tail(n - k, n, q=inside) >= log_delta


@pytest.mark.parametrize(("k", "n"), COUNTS)
def test_ends_hold_in_60_digits(k, n):
    for log_delta in LOGS:
        if n < 10**7 or log_delta in (LOGS[1], LOGS[4], LOGS[6]):  # the oracle is slow
            assert_upper(k, n, log_delta)
            assert_lower(k, n, log_delta)


@given(st.integers(1, 40), st.data(), st.floats(1e-12, 0.999))
def test_upper_end_in_fractions(n, data, delta):
    k = data.draw(st.integers(0, n - 1))
    log_delta = math.log(delta)
    p = binomial_upper(k, n, log_delta)
    assert long_tails.binomial_tail(k, n, p) <= Fraction(delta) * (1 + Fraction(1, 10**12))
    assert long_tails.binomial_tail(k, n, p * (1 - CLOSE)) >= Fraction(delta) * (1 - Fraction(1, 10**12))


def test_known_values():
    """No error in n: 1 - delta^(1/n); the rule of three; all errors but one."""
    assert binomial_upper(0, 100, math.log(0.05)) == pytest.approx(-math.expm1(math.log(0.05) / 100), rel=1e-14)
    assert binomial_upper(9, 10, math.log(0.05)) == pytest.approx(0.95**0.1, rel=1e-14)
    assert binomial_lower(1, 5, math.log(1e-300)) == pytest.approx(2e-301, rel=1e-12)
    low, high = binomial_interval(7, 20, 0.05)
    assert (low, high) == pytest.approx((0.15390920478, 0.5921885345328), rel=1e-9)


def test_tail_is_rounded_up():
    for k, n, p in ((0, 5, 0.3), (3, 10, 0.999), (400, 1000, 1e-3), (50_000, 100_000, 0.51), (5, 8, 1e-9)):
        exact = long_tails.binomial_log_tail(k, n, p)
        assert exact - mpf(10) ** -50 <= binomial_log_tail(k, n, p) <= exact + 1e-9 * (1 + abs(exact))
    assert binomial_log_tail(4, 4, 0.2) == 0.0


def test_ends_move_with_what_they_are_made_of():
    """More errors, more confidence, fewer rows: never a lower end for the upper bound."""
    log_deltas = (math.log(0.5), math.log(0.05), -50.0, -1e3)
    for n in (10, 1000):
        ends = [[binomial_upper(k, n, log_delta) for k in range(0, n + 1, n // 10)] for log_delta in log_deltas]
        assert all(a < b for row in ends for a, b in itertools.pairwise(row) if a < 1.0)
        assert all(a <= b for one, other in itertools.pairwise(ends) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3, 2, -1.0), "errors must be at most n = 2"),
        ((-1, 2, -1.0), "errors must be an integer >= 0"),
        ((0, 0, -1.0), "n must be an integer >= 1"),
        ((0, 2, 0.0), "a number below 0"),
        ((0, 2, math.nan), "a number below 0"),
        ((0, 2, "small"), "a number below 0"),
        ((0.5, 2, -1.0), "errors must be an integer"),
    ],
)
def test_refused(arguments, said):
    with pytest.raises((ValueError, TypeError), match=said):
        binomial_upper(*arguments)


@pytest.mark.compiled
def test_compiled_as_interpreted():
    """The machine code of the kernels, once."""
    assert binomial_upper(15_000, 100_000, math.log(0.05)) == pytest.approx(0.15186979825087, abs=1e-13)
    assert binomial_lower(15_000, 100_000, math.log(0.05)) == pytest.approx(0.14814521173266, abs=1e-13)
    assert_upper(5_000_000, 10**7, math.log(0.99))
    assert_upper(700, 1000, -1e3)

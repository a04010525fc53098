"""kl and its inverses, log C(n, k) and Maurer's constant, against 60 digits."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from empirisk.bounds.tails import kl, kl_lower, kl_upper, log_choose, log_xi
from tests.bounds.tails import long_tails

CLOSE = 1e-10
SHARES = st.one_of(st.floats(0.0, 1.0), st.floats(0.0, 1e-9), st.sampled_from([0.0, 0.5, 1.0, 1.0 - 2.0**-53]))
ROOMS = st.one_of(st.floats(1e-12, 1.0), st.floats(1.0, 800.0), st.floats(1e-300, 1e-12))


@given(SHARES, st.floats(1e-12, 1.0 - 1e-12))
def test_value(q, p):
    exact = long_tails.kl(q, p)
    assert abs(kl(q, p) - exact) <= 1e-14 * exact + 1e-15 * abs(p - q)
    assert kl(q, q) == 0.0


@given(SHARES, ROOMS)
def test_upper_end(q, c):
    p = kl_upper(q, c)
    assert q <= p <= 1.0
    if p < 1.0:
        assert long_tails.kl(q, p) >= c
    inside = mpf(p) - CLOSE
    assert inside <= q or long_tails.kl(q, inside) <= c


@given(SHARES, ROOMS)
def test_lower_end(q, c):
    p = kl_lower(q, c)
    assert 0.0 <= p <= q
    if p > 0.0:
        assert long_tails.kl(q, p) >= c
    inside = mpf(p) + CLOSE * (p if p > 1e-300 else 1)
    assert inside >= q * (1 - mpf(2) ** -30) or long_tails.kl(q, inside) <= c


def test_limits():
    assert kl(0.0, 0.0) == kl(1.0, 1.0) == 0.0
    assert kl(0.5, 0.0) == kl(0.5, 1.0) == math.inf
    assert kl_upper(0.0, 1.0) == pytest.approx(-math.expm1(-1.0), rel=1e-14)
    assert (kl_upper(0.3, 0.0), kl_lower(0.3, 0.0)) == (0.3, 0.3)
    assert (kl_upper(1.0, 0.1), kl_lower(0.0, 0.1)) == (1.0, 0.0)
    assert (kl_upper(0.2, 1e4), kl_lower(0.9, 1e4)) == (1.0, 0.0)


@pytest.mark.parametrize("call", [lambda: kl(1.5, 0.5), lambda: kl_upper(math.nan, 0.5), lambda: kl_lower(-0.1, 0.5)])
def test_refused_share(call):
    with pytest.raises(ValueError, match="must be a number from 0 to 1"):
        call()


@pytest.mark.parametrize("c", [-1.0, math.nan, math.inf])
def test_refused_room(c):
    with pytest.raises(ValueError, match="c must be"):
        kl_upper(0.5, c)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 50, 300])
def test_xi_by_its_definition(n):
    shares = (mpf(k) / n for k in range(n + 1))
    exact = mpmath.log(sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k, x in enumerate(shares)))
    assert exact <= log_xi(n) <= exact + 1e-12
    assert log_xi(n) <= math.log(2.0 * math.sqrt(n)) + 1e-12


def test_xi_of_many():
    """Ramanujan: sqrt(pi n / 2) + 2/3 + O(1 / sqrt(n))."""
    n = 10**6
    assert log_xi(n) == pytest.approx(math.log(math.sqrt(math.pi * n / 2.0) + 2.0 / 3.0), abs=1e-6)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (5, 2), (40, 39), (10**7, 3), (10**7, 5_000_000), (4 * 10**9, 124)])
def test_log_choose(n, k):
    exact = long_tails.log_choose(n, k)
    assert exact - mpf(10) ** -40 <= log_choose(n, k) <= exact * (1 + mpf(10) ** -14) + mpf(10) ** -13


@pytest.mark.compiled
def test_compiled_as_interpreted():
    assert log_xi(10**7) == pytest.approx(8.285007381156776, abs=1e-13)
    assert kl(0.1, 0.2) == pytest.approx(0.03669001403475, abs=1e-10)
    assert kl_upper(0.1, 0.03669001403475) == pytest.approx(0.2, abs=1e-9)
    assert log_choose(50, 3) == pytest.approx(math.log(19_600), abs=1e-13)

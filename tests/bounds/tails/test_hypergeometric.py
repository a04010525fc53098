"""The hypergeometric tail against fractions and 60 digits, and its inverse against counting."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.bounds.tails import hypergeometric_least_marked, hypergeometric_log_tail
from tests.bounds.tails import long_tails


@given(st.integers(1, 40), st.data())
def test_tail_in_fractions(total, data):
    drawn = data.draw(st.integers(1, total))
    marked = data.draw(st.integers(0, total))
    k = data.draw(st.integers(0, drawn))
    exact = long_tails.hypergeometric_tail(k, marked, drawn, total)
    found = hypergeometric_log_tail(k, marked, drawn, total)
    if exact == 0:
        assert found == -math.inf
    else:
        logarithm = mpmath.log(mpmath.mpf(exact.numerator) / exact.denominator)
        assert logarithm <= found <= logarithm + 1e-12 * (1 + abs(logarithm))


@given(st.integers(2, 30), st.data(), st.floats(1e-9, 0.9))
def test_inverse_by_counting(total, data, delta):
    drawn = data.draw(st.integers(1, total))
    k = data.draw(st.integers(0, drawn))
    found = hypergeometric_least_marked(k, drawn, total, math.log(delta))
    room = 1 + Fraction(1, 10**12)
    tails = [long_tails.hypergeometric_tail(k, marked, drawn, total) for marked in range(total + 1)]
    least = next((marked for marked, tail in enumerate(tails) if tail <= delta), total + 1)
    surely = next((marked for marked, tail in enumerate(tails) if tail * room <= delta), total + 1)
    assert least <= found <= surely


@pytest.mark.parametrize("log_delta", [math.log(0.05), -300.0, -1000.0, -1e5])
@pytest.mark.parametrize(("k", "n"), [(0, 1000), (150, 1000), (4900, 32_561), (1_000_000, 10**7), (10**7, 10**7)])
def test_inverse_in_60_digits(k, n, log_delta):
    total = 5 * n
    found = hypergeometric_least_marked(k, n, total, log_delta)
    assert k < found <= total - n + k + 1
    if found < total - n + k + 1:
        assert long_tails.hypergeometric_log_tail(k, found, n, total) <= log_delta
    if found > k + 1:
        assert long_tails.hypergeometric_log_tail(k, found - 1, n, total) >= log_delta


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3, 2, 4, -1.0), "k must be at most drawn = 2"),
        ((1, 5, 4, -1.0), "drawn must be at most total = 4"),
        ((1, 2, 4, 0.5), "a number below 0"),
        ((1.5, 2, 4, -1.0), "k must be an integer"),
    ],
)
def test_refused(arguments, said):
    with pytest.raises((ValueError, TypeError), match=said):
        hypergeometric_least_marked(*arguments)


def test_more_marked_than_there_are():
    with pytest.raises(ValueError, match="marked must be at most total"):
        hypergeometric_log_tail(1, 6, 2, 5)


@pytest.mark.compiled
def test_compiled_as_interpreted():
    assert hypergeometric_least_marked(15_000, 100_000, 500_000, -300.0) == 87_897

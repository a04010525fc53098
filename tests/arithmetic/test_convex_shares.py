"""Shares of convex combinations sum to one, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.convex_shares import is_convex_combination, shares_of

POSITIVE = st.floats(1e-300, 1e300)


@given(st.lists(POSITIVE, min_size=1, max_size=20))
def test_shares_sum_to_one_exactly(weights):
    shares = shares_of(np.array(weights))
    assert sum(map(Fraction, shares.tolist())) == 1
    assert is_convex_combination(shares)
    exact = sum(map(Fraction, weights))
    for share, weight in zip(shares.tolist(), weights, strict=True):
        assert abs(Fraction(share) - Fraction(weight) / exact) <= Fraction(len(weights) + 8, 2**51)


@pytest.mark.parametrize("shares", [[0.5, 0.5, 2.0**-60], [1.5, -0.5], [np.nan], [np.inf], [1.0 - 2.0**-53]])
def test_others_are_no_convex_combination(shares):
    assert not is_convex_combination(shares)

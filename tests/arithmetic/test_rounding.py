"""Outward rounding goes outwards, and no further than it must."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic import norm_bounds, rounded_down, rounded_up

doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(st.fractions() | doubles.map(Fraction) | st.integers(-(10**400), 10**400).map(Fraction))
def test_rounding_goes_to_the_next_double(x):
    low, high = rounded_down(x), rounded_up(x)
    assert low <= x <= high
    assert low == high or math.nextafter(low, math.inf) == high
    assert high != 0.0 or math.copysign(1.0, high) == 1.0


@given(st.lists(doubles, min_size=1, max_size=6))
def test_norms_lie_between_their_bounds(values):
    low, high = norm_bounds(np.array(values), 1.0)
    square = sum(Fraction(x) ** 2 for x in values)
    assert Fraction(low) ** 2 <= square
    assert math.isinf(high) or square <= Fraction(high) ** 2
    assert high <= low * (1.0 + 2.0**-45) + math.ulp(0.0) or math.isinf(high)


def test_norms_of_subnormal_numbers_are_rounded_outwards():
    low, high = norm_bounds(np.array([2.225073858507203e-309, 2.225073858507203e-309]), 1.0)
    square = 2 * Fraction(2.225073858507203e-309) ** 2
    assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2

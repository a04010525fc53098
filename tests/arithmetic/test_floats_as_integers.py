"""Integers in place of floats: nothing is lost."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.floats_as_integers import to_integers

doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(doubles, min_size=1, max_size=6))
def test_integers_times_a_power_of_two_are_the_floats(values):
    integers, exponent = to_integers(values)
    power = Fraction(2) ** exponent
    assert [v * power for v in integers] == [Fraction(x) for x in values]
    assert not any(integers) or any(v % 2 for v in integers)

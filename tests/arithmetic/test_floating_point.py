"""Exponentials and logarithms for loops on vectors, against the C library; norms that do not overflow."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic import exp_of_negative, log1p_of_fraction, log_of_positive, norm

EDGES = [
    1.0,
    2.0,
    0.5,
    math.sqrt(0.5),
    math.nextafter(math.sqrt(0.5), 0.0),
    math.sqrt(2.0),
    1.0 - 2.0**-53,
    1.0 + 2.0**-52,
]


@given(st.floats(-750.0, 0.0))
def test_exponential(x):
    expected = math.exp(x) if x >= -708.0 else 0.0
    assert abs(exp_of_negative(x) - expected) <= 4 * math.ulp(expected)


@given(st.floats(0.0, 1.0))
def test_logarithm_of_one_and_a_fraction(e):
    assert abs(log1p_of_fraction(e) - math.log1p(e)) <= 6 * math.ulp(math.log1p(e))


@given(st.one_of(st.floats(2.0**-1022, 1e308), st.floats(0.4, 2.5), st.sampled_from(EDGES)))
def test_logarithm(x):
    assert abs(log_of_positive(x) - math.log(x)) <= 6 * math.ulp(math.log(x))


def test_norm_of_extreme_numbers():
    assert norm(np.array([3e200, 4e200])) == pytest.approx(5e200)
    assert norm(np.array([3e-200, 4e-200])) == pytest.approx(5e-200)
    assert norm(np.array([np.inf, 1.0])) == np.inf

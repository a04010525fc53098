from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.exponentials import SMALLEST, exponentials


def off(numbers):
    """How far the exponentials are from those of the standard library, in units of the last place."""
    values = np.array(numbers, dtype=float)
    exponentials(values, np.empty_like(values))
    exact = np.array([math.exp(number) for number in numbers])
    return np.abs(values - exact) / np.spacing(exact)


@pytest.mark.interpreted
@given(number=st.floats(SMALLEST, 0.0))
def test_the_last_place_is_off_by_two_at_most(number):
    assert off([number]) <= 2.0


def test_machine_code_too():
    assert off(np.linspace(SMALLEST, 0.0, 20_001)).max() <= 2.0
    assert off(-np.geomspace(1e-300, 1.0, 20_001)).max() <= 2.0


def test_zero_below_and_one_at_zero():
    values = np.array([-math.inf, -1e150, math.nextafter(SMALLEST, -math.inf), -0.0, 0.0])
    exponentials(values, np.empty_like(values))
    assert values.tolist() == [0.0, 0.0, 0.0, 1.0, 1.0]

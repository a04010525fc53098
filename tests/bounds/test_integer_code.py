"""The prefix code of planes with integer weights: Kraft's inequality in rational numbers."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.bounds.integers.code import (
    IntegerPlane,
    length_of,
    scales_of,
    words_for_count,
    words_for_intercept,
    words_for_scales,
)
from tests.bounds.tails.long_tails import mpmath


def plane_of(values, exponents, intercept=0):
    """Of a value and an exponent for every column."""
    columns = np.flatnonzero(values)
    kept = (np.array(array, dtype=np.int64)[columns] for array in (values, exponents))
    return IntegerPlane(len(values), columns, *kept, intercept)


def small_planes(n_columns, largest, exponents):
    """All with these sizes and exponents, and without an intercept."""
    sizes = [v for v in range(-largest, largest + 1) if v != 0]
    for s in range(n_columns + 1):
        for columns in combinations(range(n_columns), s):
            for values in product(sizes, repeat=s):
                for scales in product(exponents, repeat=s):
                    arrays = (np.array(part, dtype=np.int64) for part in (columns, values, scales))
                    yield IntegerPlane(n_columns, *arrays, 0)


KINDS = [(1, 5, range(-9, 10)), (2, 3, range(-2, 3)), (3, 1, (0, 1))]


@pytest.mark.parametrize(("n_columns", "largest", "exponents"), KINDS)
def test_kraft(n_columns, largest, exponents):
    shares = [Fraction(1, plane.words()) for plane in small_planes(n_columns, largest, exponents)]
    assert len(shares) > 100
    assert sum(shares) * words_for_intercept(0) <= 1  # intercepts of all sizes share what each of these has


@pytest.mark.parametrize("last", [0, 1, 3, 6])
def test_words_of_intercepts_sum_to_one_as_they_grow(last):
    total = sum(Fraction(1, words_for_intercept(c)) for c in range(-(2**last) + 1, 2**last))
    assert total == 1 - Fraction(1, last + 2)


@pytest.mark.parametrize("s", [1, 2])
def test_words_of_scales_sum_to_one_as_they_grow(s):
    windows = [(e, m) for e in range(-40, 41) for m in range(30)]
    total = sum(Fraction(2 ** (m * s), words_for_scales(e, m, s)) for e, m in windows)
    assert total == (1 - Fraction(1, 82)) * (1 - Fraction(1, 31))


@pytest.mark.parametrize("d", [1, 2, 7, 8, 100])
def test_words_of_columns(d):
    assert sum(Fraction(math.comb(d, s), words_for_count(s, d)) for s in range(d + 1)) <= 1


def test_scales_that_are_not_coded_break_it():
    free = [
        Fraction(words_for_scales(*scales_of(plane.exponents), plane.columns.size), plane.words())
        for plane in small_planes(1, 5, range(-9, 10))
    ]
    assert sum(free) * words_for_intercept(0) > 1


@given(st.integers(1, 10**400))
def test_length_is_the_logarithm_rounded_up(words):
    exact = mpmath.log(words)
    assert exact <= length_of(words) <= exact * (1 + mpmath.mpf(2) ** -47)


def test_powers_of_two_go_where_they_cost_least():
    plane = plane_of([4, -2, 0], [1, 1, 0], 8)
    short = plane.shortest()
    assert short.words() < plane.words()
    ratio = short.intercept / plane.intercept
    assert np.array_equal(short.weights(), plane.weights() * ratio)
    assert plane_of([2, 0], [7, 0]).shortest().weights().tolist() == [1.0, 0.0]


def test_values_beyond_the_code_are_refused():
    with pytest.raises(ValueError, match="from -32 to 32, got one of size 33"):
        plane_of([33], [0]).words()

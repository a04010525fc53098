"""Long numbers as floats, and products with them, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.long_products import LongVector, long_combination, long_scores

integers = st.integers(-(2**300), 2**300)


def as_fractions(vector, size):
    return [Fraction(vector.integers.get(j, 0)) * Fraction(2) ** vector.exponent for j in range(size)]


@given(st.lists(integers, min_size=1, max_size=4), st.integers(-200, 200))
def test_parts_sum_to_the_number(values, exponent):
    vector = LongVector(dict(enumerate(values)), exponent)
    parts = vector.parts(len(values))
    sums = [sum(map(Fraction, column)) for column in parts.T.tolist()] if len(parts) else [0] * len(values)
    assert sums == as_fractions(vector, len(values))


def test_a_number_beyond_the_largest_float_is_infinite():
    assert LongVector({0: -(2**3000)}, 0).parts(1, 1)[0, 0] == -np.inf
    assert LongVector({0: 2**3000}, -2990).parts(1)[0, 0] == 1024.0


@given(st.lists(integers, min_size=2, max_size=2), st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2))
def test_combinations_are_exact(values, factors):
    vectors = [LongVector({0: values[0], 2: 5}, -7), LongVector({0: values[1]}, 3)]
    found = as_fractions(long_combination(vectors, factors), 3)
    both = [as_fractions(vector, 3) for vector in vectors]
    assert found == [sum(Fraction(f) * line[j] for f, line in zip(factors, both, strict=True)) for j in range(3)]


def test_scores_are_right_where_all_but_the_last_bits_cancel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 6))
    X[:, 5] = X[:, :5] @ np.arange(1.0, 6.0)  # rounded
    vector = LongVector({**{j: -(j + 1) << 120 for j in range(5)}, 5: 1 << 120, 0: (-1 << 120) + 12345}, -120)
    found = long_scores(np.ascontiguousarray(X.T), vector.parts(6))
    weights = as_fractions(vector, 6)
    for row, score in zip(X[::7], found[::7], strict=True):
        exact = sum(Fraction(float(x)) * w for x, w in zip(row, weights, strict=True))
        assert abs(Fraction(float(score)) - exact) <= abs(exact) * Fraction(1, 2**50)
    assert np.abs(found).max() < 1e-13

"""Sides decided beyond rounding, and random orders."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import as_design
from empirisk.separation.perceptron_runs.kernels import shuffle
from empirisk.separation.perceptron_runs.sure_sides import count_errors, is_surely_right, product_error

pytestmark = pytest.mark.compiled
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0.0 or abs(x) > 1e-6)


@given(NUMBERS, NUMBERS)
def test_a_product_and_its_error_are_the_exact_product(x, v):
    product = x * v
    assert Fraction(product) + Fraction(float(product_error(x, v, product))) == Fraction(x) * Fraction(v)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6), st.sampled_from([-1.0, 1.0]), st.integers(-2, 2))
def test_a_side_is_never_mistaken(pairs, sign, ulps):
    """The intercept is minus the rounded sum, give or take: all digits cancel but those beyond the first 53 bits."""
    x, w = (np.array(part) for part in zip(*pairs, strict=True))
    b = -float(sum(Fraction(a) * Fraction(c) for a, c in pairs))
    for _ in range(abs(ulps)):
        b = float(np.nextafter(b, np.inf * ulps))
    exact = Fraction(sign) * (sum(Fraction(a) * Fraction(c) for a, c in pairs) + Fraction(b))
    for rows in (x[None, :], scipy.sparse.csr_array(x[None, :])):
        is_right = is_surely_right(as_design(rows), 0, sign, w, b)
        assert not is_right or exact > 0
        # What remains of such sums is far above 2^-106 of their terms.
        if exact > Fraction(2) ** -90 * sum(abs(Fraction(a) * Fraction(c)) for a, c in pairs) + Fraction(2) ** -1000:
            assert is_right


def test_errors_are_counted_up_to_a_limit():
    design, y = as_design(np.array([[1.0], [2.0], [-1.0], [0.0]])), np.array([1.0, -1.0, 1.0, 1.0])
    w = np.array([1.0])
    assert count_errors(design, y, w, 0.0, 1e-12, 9) == (3, 4)
    assert count_errors(design, y, w, 0.0, 1e-12, 2) == (2, 3)


def test_not_a_number_is_an_error():
    design, y = as_design(np.array([[1.0], [2.0]])), np.array([1.0, -1.0])
    assert count_errors(design, y, np.array([np.nan]), 0.0, np.nan, 9)[0] == 2


def test_orders_are_uniform():
    generator, order = np.array([5], np.uint64), np.arange(4, dtype=np.int32)
    seen = Counter()
    with np.errstate(over="ignore"):
        for _ in range(4800):
            order[:] = range(4)
            shuffle(order, generator)
            seen[tuple(order.tolist())] += 1
    assert set(seen) == set(itertools.permutations(range(4)))
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 60  # chi-square with 23 degrees: 3e-5

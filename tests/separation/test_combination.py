"""Convex combinations in exact terms."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import as_design
from empirisk.separation.combination import is_convex_combination, largest_coordinates, shares_of

POSITIVE = st.floats(1e-300, 1e300)
NUMBERS = st.floats(-1e100, 1e100).map(lambda x: x if abs(x) > 1e-100 else 0.0)


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


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=6), st.booleans())
def test_bounds_are_above_and_sharp(rows, is_sparse):
    X, factors = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows]) * 1e-100
    minus = np.array([1.0, -3.0])
    design = as_design(scipy.sparse.csr_array(X) if is_sparse else X)
    found = largest_coordinates(design, np.arange(len(rows)), factors, minus)
    for j in range(2):
        products = (Fraction(x) * Fraction(a) for x, a in zip(X[:, j].tolist(), factors.tolist(), strict=True))
        exact = abs(sum(products, -Fraction(minus[j])))
        assert exact <= Fraction(float(found[j])) <= exact * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1000)


def test_numbers_too_large_have_no_bound():
    design = as_design(np.array([[1e305, 1.0]]))
    assert np.all(np.isinf(largest_coordinates(design, np.array([0]), np.ones(1))))

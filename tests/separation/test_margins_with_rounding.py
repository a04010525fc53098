"""Combinations of rows, bounded from above."""

from fractions import Fraction

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import as_design
from empirisk.separation.margins_with_rounding import largest_coordinates

NUMBERS = st.floats(-1e100, 1e100).map(lambda x: x if abs(x) > 1e-100 else 0.0)


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


def test_numbers_near_the_largest_have_a_bound_and_sums_that_overflow_none():
    design = as_design(np.array([[1.5e308, 1.0], [1.5e308, 1.0]]))
    exact = Fraction(1.5e308), Fraction(1)
    found = largest_coordinates(design, np.array([0]), np.ones(1))
    assert all(
        one <= Fraction(bound) <= one * (1 + Fraction(1, 2**50)) for one, bound in zip(exact, found, strict=True)
    )
    assert np.isinf(largest_coordinates(design, np.array([0, 1]), np.ones(2))[0])

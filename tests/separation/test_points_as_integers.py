"""Points and margins as integers: nothing is lost."""

from fractions import Fraction

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.integer_points import least_rank, weighted_sum
from empirisk.separation.points import points_of
from empirisk.separation.points_as_integers import exact_margins, integer_points
from tests.separation.oracles import exact_points, kernel

doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(doubles, min_size=2, max_size=2), st.lists(doubles, min_size=3, max_size=3), st.booleans())
def test_margins_are_exact(row, plane, is_sparse):
    X = np.array([row, [1.0, 2.0]])
    points = points_of(scipy.sparse.csr_array(X) if is_sparse else X, [-1, 1])
    w, b = np.array(plane[:2]), plane[2]
    expected = -sum((Fraction(x) * Fraction(u) for x, u in zip(row, plane, strict=False)), Fraction(b))
    assert exact_margins(points, [0], w, b) == [expected]


@given(st.integers(0, 2**32), st.booleans())
def test_rank_and_sums_of_the_points(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 7, size=2)
    X = rng.integers(-2, 3, size=(n, d)) * 10.0 ** rng.integers(-12, 13, size=d)
    y = np.append([-1, 1], rng.choice([-1, 1], size=n - 2))
    integers = integer_points(points_of(scipy.sparse.csr_array(X), y, fit_intercept), range(n))
    fractions = exact_points(X, y, fit_intercept)
    assert least_rank(integers) == n - len(kernel(fractions))
    weights = rng.integers(0, 3, size=n).tolist()
    sums = [sum(w * z[j] for w, z in zip(weights, fractions, strict=True)) for j in range(len(fractions[0]))]
    found = weighted_sum(integers, weights)
    scales = [Fraction(2) ** e for e in integers.exponents] + [1] * fit_intercept
    met = [*integers.columns, *([d] * fit_intercept)]
    assert [v * s for v, s in zip(found, scales, strict=True)] == [sums[j] for j in met]
    assert not any(sums[j] for j in set(range(d)) - set(met))


def test_rank_of_few_points_in_many_coordinates():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(12, 100)).astype(float)
    X[11] = X[:4].sum(axis=0)
    integers = integer_points(points_of(X, [1, -1] * 6, False), range(12))
    assert least_rank(integers) == 11

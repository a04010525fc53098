"""Rounded weights that prove exact ones: against exact kernels, and where there is nothing to prove."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.arithmetic.enclosure import has_exact_weights
from empirisk.arithmetic.integer_null_space import null_vector
from empirisk.separation.points import points_of
from empirisk.separation.points_as_integers import integer_points


def rounded(weights, bits=60):
    return [int(np.ldexp(w, bits)) for w in np.array(weights, dtype=float) / max(weights)]


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0, 12, 100]))
def test_what_is_proven_is_so(seed, scale):
    """Points in any position: whenever rounded positive weights prove exact ones, the exact ones are positive."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 9))
    X = rng.normal(size=(k, k - 1)) * 10.0 ** rng.integers(-scale, scale + 1, size=k - 1)
    kernel = np.linalg.svd((X / np.abs(X).max(axis=0)).T)[2][-1]
    y = np.where(kernel > 0.0, 1, -1)
    y[int(rng.integers(k))] *= rng.choice([-1, 1])
    if abs(y.sum()) == k:
        return
    integers = integer_points(points_of(X, y, False), range(k))
    exact = null_vector(integers)
    is_conflict = exact is not None and min(exact) > 0
    assert has_exact_weights(integers, rounded(np.abs(kernel)), 1.0) == is_conflict


@pytest.mark.parametrize("third", [2.0**-60, 0.0, -(2.0**-60)])
def test_a_weight_that_rounding_hides(third):
    """Whether the weight of the last point is positive, zero or negative, rounded weights cannot tell."""
    X = np.array([[1.0, 0.0], [-1.0, third], [0.0, -1.0]])
    integers = integer_points(points_of(X * [[1.0], [1.0], [-1.0]], [1, 1, -1], False), range(3))
    assert not has_exact_weights(integers, rounded([1.0, 1.0, 1e-30], 120), 1.0)
    assert has_exact_weights(integers, rounded([1.0, 1.0, 2.0**-60], 120), 1.0) == (third > 0.0)


def test_only_with_one_coordinate_less_than_points():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]])
    integers = integer_points(points_of(X, [1, -1], False), [0])
    assert not has_exact_weights(integers, [1], 1.0)
    integers = integer_points(points_of(np.array([[1.0, 1.0], [1.0, 1.0]]), [1, -1], False), [0, 1])
    assert not has_exact_weights(integers, [1, 1], 1.0)

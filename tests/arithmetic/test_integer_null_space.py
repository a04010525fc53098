"""The weights of points that depend in one way: with python-flint, without, and by Gauss-Jordan in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from empirisk.arithmetic.integer_null_space import null_vector
from empirisk.arithmetic.integer_points import weighted_sum
from empirisk.arithmetic.integer_systems import solution
from empirisk.separation.points import points_of
from empirisk.separation.points_as_integers import integer_points
from tests.separation.oracles import exact_points, kernel

BOTH = pytest.mark.parametrize("use_flint", [True, False], ids=["flint", "lifting"])


def as_integers(vector):
    scale = math.lcm(*(x.denominator for x in vector))
    integers = [int(x * scale) for x in vector]
    common = math.gcd(*integers)
    sign = 1 if next(v for v in integers if v) > 0 else -1
    return tuple(sign * v // common for v in integers)


@BOTH
@given(seed=st.integers(0, 2**32))
def test_small_sets_against_fractions(use_flint, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 7), rng.integers(1, 6)
    X = rng.integers(-3, 4, size=(n, d)) * 10.0 ** rng.integers(-12, 13, size=d)
    y = np.append([-1, 1], rng.choice([-1, 1], size=n - 2))
    fit_intercept = bool(rng.integers(2))
    basis = kernel(exact_points(X, y, fit_intercept))
    found = null_vector(integer_points(points_of(X, y, fit_intercept), range(n)), use_flint)
    assert found == (as_integers(basis[0]) if len(basis) == 1 else None)


@BOTH
@pytest.mark.parametrize("scale", [0, 12, 100])
def test_points_in_as_many_dimensions(use_flint, scale):
    rng = np.random.default_rng(scale)
    X = rng.normal(size=(42, 40)) * 10.0 ** rng.integers(-scale, scale + 1, size=(42, 40))
    integers = integer_points(points_of(X, [1, -1] * 21), range(42))
    weights = null_vector(integers, use_flint)
    assert weights is not None
    assert math.gcd(*weights) == 1
    assert not any(weighted_sum(integers, weights))


def test_lifting_gives_what_flint_gives():
    X = np.random.default_rng(3).normal(size=(60, 58))
    integers = integer_points(points_of(X, [1, -1] * 30), range(60))
    assert null_vector(integers, use_flint=True) == null_vector(integers, use_flint=False)


@BOTH
def test_a_zero_point_depends_on_itself(use_flint):
    points = points_of(np.array([[0.0, 0.0], [1.0, 0.0]]), [1, -1], False)
    assert null_vector(integer_points(points, [0]), use_flint) == (1,)
    assert null_vector(integer_points(points, [0, 1]), use_flint) == (1, 0)
    assert null_vector(integer_points(points, [1]), use_flint) is None


@given(st.lists(st.lists(st.integers(-(2**70), 2**70), min_size=3, max_size=3), min_size=3, max_size=3))
@example([[0, 1, 1], [-320, 10781157, 1157031148016238276], [1, 0, 0]])  # the denominator is not in the first number
@example([[1, 0, 0], [0, 2**70 - 1, 0], [0, 0, 2**69 - 3]])  # each number brings its own
def test_solutions_solve(rows):
    right = [1, -(2**80), 3]
    found = solution(rows, right, use_flint=False)
    if found is None:  # no inverse modulo the prime
        return
    numerators, denominator = found
    exact = [Fraction(v, denominator) for v in numerators]
    assert [sum(a * x for a, x in zip(row, exact, strict=True)) for row in rows] == right

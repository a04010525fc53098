"""The search for integer planes: counts against brute force, ends where no weight moves, and finds small optima."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse

from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.planes import search_planes
from empirisk.bounds.integers.search import NEAR, descend, errors_by_value
from empirisk.bounds.tails import binomial_upper
from empirisk.designs import as_design
from empirisk.separation.points import points_of

LOG_DELTA = math.log(0.05)


def errors_of(X, y, w, c):
    return int(np.count_nonzero((X @ w + c >= 0.0) != (y > 0.0)))


def risk_of(plane, X, y):
    errors = errors_of(X, y, plane.weights(), plane.intercept)
    return binomial_upper(errors, y.size, LOG_DELTA - plane.length())


def small_data(seed, n=40, d=2, noise=0.1):
    """Integers, so that no sum is rounded and ties are ties."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = np.where(X @ rng.integers(-2, 3, d) + rng.integers(-1, 2) >= 0, 1.0, -1.0)
    y = np.where(rng.random(n) < noise, -y, y)
    y[:2] = 1.0, -1.0
    return X, y


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("value", [-3, 0, 2])
def test_errors_of_every_value(kind, value):
    X, y = small_data(0, n=30, d=3)
    w = np.array([1.0, value, -1.0])
    columns = as_design(X.T if kind == "dense" else scipy.sparse.csr_array(X.T))
    errors = np.zeros(20, np.int64)
    errors_by_value(columns, 1, 0.5, 2 * value, 8, y, X @ w + 1.0, errors)
    met = np.ones(30, dtype=bool) if kind == "dense" else X[:, 1] != 0.0
    for u in range(-8, 9):
        w[1] = 0.5 * u
        assert errors[u + 8] == errors_of(X[met], y[met], w, 1.0)


def test_descent_ends_where_no_weight_moves():
    X, y = small_data(3, n=60, d=4)
    columns, limit = as_design(X.T.copy()), 2
    v, z, factors = np.zeros(4, np.int64), np.zeros(60), np.ones(4)
    by_count, by_bits = 3.0 * np.arange(5.0), 1.0 * np.arange(63.0)
    args = columns, y, np.arange(4), factors, limit, by_count, by_bits, LOG_DELTA
    c, risk, errors, read = descend(*args, v, 0, True, z, 10**6)
    assert np.array_equal(z, X @ v + c)
    assert errors == errors_of(X, y, v, c)
    assert 0 < read < 10**6

    def risk_at(values, c):
        length = 3.0 * np.count_nonzero(values) + abs(c).bit_length()
        return binomial_upper(errors_of(X, y, values, c), 60, LOG_DELTA - length)

    assert risk == risk_at(v, c)
    for j, u in itertools.product(range(4), range(-limit, limit + 1)):
        other = v.copy()
        other[j] = u
        assert risk_at(other, c) >= risk
    assert all(risk_at(v, c + step) >= risk for step in range(-NEAR, NEAR + 1))


@pytest.mark.parametrize("seed", range(4))
def test_search_finds_the_best_of_all_small_planes(seed):
    X, y = small_data(seed)
    sizes, shifts, intercepts = range(-2, 3), (0, 1), range(-4, 5)
    planes = []
    for values, shift, c in itertools.product(itertools.product(sizes, repeat=2), shifts, intercepts):
        columns = np.flatnonzero(values)
        planes.append(
            IntegerPlane(2, columns, np.array(values)[columns], np.full(columns.size, shift, dtype=np.int64), c)
        )
    found = search_planes(points_of(X, y), LOG_DELTA, orders=2)
    risk = risk_of(found.plane, X, y)
    assert risk <= min(risk_of(plane, X, y) for plane in planes)
    assert risk <= min(found.risks) * (1.0 + 1e-12)


def test_columns_of_unequal_scale_pay_for_exponents():
    X, _ = small_data(1, n=200)
    y = np.where(X[:, 0] + X[:, 1] >= 1.0, 1.0, -1.0)
    X = X * np.array([2.0**-12, 2.0**9])
    found = search_planes(points_of(X, y), LOG_DELTA, orders=1)
    assert np.unique(found.plane.exponents).size == 2
    assert errors_of(X, y, found.plane.weights(), found.plane.intercept) == 0
    assert found.plane.length() > found.plane._replace(exponents=np.zeros(2, dtype=np.int64)).length() + 2.0 * 4.0


def test_constant_columns_are_left_alone_and_no_column_may_matter():
    X, y = small_data(2)
    wider = np.column_stack([np.zeros(40), X, np.full(40, 7.0)])
    found = search_planes(points_of(wider, y), LOG_DELTA, orders=1)
    assert not {0, 3} & set(found.plane.columns.tolist())
    nothing = search_planes(points_of(np.ones((40, 2)), y), LOG_DELTA, orders=1)
    assert nothing.plane.columns.size == 0
    assert nothing.plane.intercept == (0 if np.mean(y) >= 0.0 else -1)


def test_without_intercept_there_is_none():
    X, y = small_data(4)
    assert search_planes(points_of(X, y, fit_intercept=False), LOG_DELTA, orders=1).plane.intercept == 0


def test_the_same_seed_gives_the_same_plane():
    X, y = small_data(5)
    first, second = (search_planes(points_of(X, y), LOG_DELTA, orders=1, seed=3) for _ in range(2))
    assert np.array_equal(first.plane.weights(), second.plane.weights())
    assert first.risks == second.risks

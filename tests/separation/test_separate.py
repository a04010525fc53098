"""separate: the verdict is that of exact arithmetic, and every verdict verifies."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_breast_cancer, load_iris

import empirisk as er
from empirisk.separation import separate as module
from empirisk.separation.fine_plane import FineSeparation
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.plane import Separation
from empirisk.separation.separate import Undecided, separate
from tests.certificates.sealed import through_text
from tests.separation.oracles import is_separable


def check(verdict, X, y, fit_intercept=True):
    """The verdict verifies, alone and after a round trip through JSON, and its size is that of a smallest conflict."""
    assert isinstance(verdict, (Separation, FineSeparation, Inseparability)), verdict
    for one in (verdict, through_text(verdict)):
        found = er.verify(one, X, y)
        assert found.holds, found.sentence
    if not verdict.is_separable:
        assert len(verdict.rows) <= X.shape[1] + 1 + fit_intercept
    return verdict


small = st.integers(2, 7).flatmap(
    lambda n: st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            hnp.arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)),
            hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])),
            st.booleans(),
        )
    )
)


@given(small)
def test_the_verdict_is_that_of_an_exact_enumeration(problem):
    X, y, fit_intercept = problem
    if len(set(y)) < 2:
        with pytest.raises(ValueError, match="only one class"):
            separate(X, y, fit_intercept=fit_intercept)
        return
    verdict = check(separate(X, y, fit_intercept=fit_intercept), X, y, fit_intercept)
    assert verdict.is_separable == is_separable(X, y, fit_intercept)


@given(
    small,
    st.lists(st.integers(-40, 40), min_size=3, max_size=3),
    st.lists(st.sampled_from([0.1, 1 / 3, 0.7]), min_size=3, max_size=3),
)
def test_columns_of_any_size(problem, powers, factors):
    X, y, fit_intercept = problem
    if len(set(y)) < 2:
        return
    X = X * np.array(factors[: X.shape[1]]) * 2.0 ** np.array(powers[: X.shape[1]])
    verdict = separate(X, y, fit_intercept=fit_intercept)
    assert verdict.is_separable == is_separable(X, y, fit_intercept)
    check(verdict, X, y, fit_intercept)


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("flips", [0, 1, 200], ids=["separable", "one wrong", "many wrong"])
def test_samples_that_grow(is_sparse, dtype, fit_intercept, flips):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20_000, 8)).astype(dtype)
    y = np.where(X.astype(np.float64) @ rng.standard_normal(8) + 0.4 * fit_intercept > 0.0, "yes", "no")
    wrong = rng.choice(y.size, flips, replace=False)
    y[wrong] = np.where(y[wrong] == "yes", "no", "yes")
    rows = scipy.sparse.csr_array(X) if is_sparse else X
    verdict = check(separate(rows, y, fit_intercept=fit_intercept), rows, y, fit_intercept)
    assert verdict.is_separable is (flips == 0)
    if flips == 1:
        assert int(wrong[0]) in verdict.rows


def test_real_data():
    X, kinds = load_iris(return_X_y=True)
    assert [check(separate(X, kinds == k), X, kinds == k).is_separable for k in range(3)] == [True, False, False]
    X, y = load_breast_cancer(return_X_y=True)
    plane = check(separate(X, y), X, y)
    assert plane.is_separable
    assert np.all((2 * y - 1) * (X @ plane.weights + plane.intercept) > 0.999)


@pytest.mark.parametrize("name", ["_by_passes", "_by_active_rows", "_by_program"])
def test_every_method_is_followed_by_one_that_can_tell(name, monkeypatch):
    """Without one of the methods the others find the same verdicts."""
    monkeypatch.setattr(module._Search, name, lambda self, chosen: iter(()))
    for flips in (0, 3):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((3000, 5))
        y = np.sign(X @ rng.standard_normal(5) + 0.2)
        y[:flips] *= -1.0
        assert check(separate(X, y), X, y).is_separable is (flips == 0)


def test_integers_decide_where_floating_point_does_not(monkeypatch):
    """Three points in a row, the middle one off the line by one unit in the last place."""
    for name in ("_by_passes", "_by_active_rows", "_by_program"):
        monkeypatch.setattr(module._Search, name, lambda self, chosen: iter(()))
    y = np.array([1.0, -1.0, 1.0])
    for offset, is_sep in ((0.0, False), (2.0**-40, True)):
        X = np.array([[0.0, 0.0], [1.0, 1.0 + offset], [2.0, 2.0]])
        assert check(separate(X, y), X, y).is_separable is is_sep


def test_a_point_of_both_classes_needs_no_search(monkeypatch):
    monkeypatch.setattr(module._Search, "run", lambda self: pytest.fail("searched"))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 4))
    y = np.sign(X[:, 0])
    X[400], y[400] = X[7], -y[7]
    for rows in (X, scipy.sparse.csr_array(X), X.astype(np.float32)):
        verdict = check(separate(rows, y), rows, y)
        assert (verdict.rows, verdict.weights) == ((7, 400), (1, 1))


def test_minus_zero_and_stored_zeros_are_zeros():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [3.0, 0.0]])
    y = np.array([1, 0, 1])
    assert separate(X, y).rows == (0, 1)
    stored = scipy.sparse.csr_array((np.array([0.0, 1.0, 1.0, 3.0]), [0, 1, 1, 0], [0, 2, 3, 4]), shape=(3, 2))
    assert separate(stored, y).rows == (0, 1)


def test_opposite_directions_without_an_intercept():
    X = np.array([[1.0, 2.0], [-1.0, -2.0], [3.0, 1.0], [5.0, 5.0]])
    y = np.array([1, 1, 1, 0])
    assert separate(X, y, fit_intercept=False).rows == (0, 1)
    multiples = np.array([[1.0, 2.0], [3.0, 6.0], [3.0, 1.0]])
    verdict = check(separate(multiples, [1, 0, 1], fit_intercept=False), multiples, np.array([1, 0, 1]), False)
    assert (verdict.rows, verdict.weights) == ((0, 1), (3, 1))
    assert separate(multiples, [1, 0, 1]).is_separable


def test_zero_rows():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]])
    y = np.array([-1, 1, 1])
    assert separate(X, y, fit_intercept=False).rows == (0,)
    assert check(separate(X, y), X, y).is_separable


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5, 40)), np.array([0, 1, 0, 1, 1])
    for rows in (X, scipy.sparse.csr_array(X)):
        assert check(separate(rows, y), rows, y).is_separable


def test_columns_far_apart_and_far_from_zero():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 6))
    y = np.sign(X @ np.arange(1.0, 7.0) + 0.5)
    scaled = X * 10.0 ** np.array([-12, -6, 0, 3, 8, 12]) + np.array([0.0, 0.0, 1e6, 1e5, 0.0, 1e14])
    assert check(separate(scaled, y), scaled, y).is_separable
    y[5] *= -1.0
    assert check(separate(scaled, y), scaled, y).is_separable is False


def test_numbers_at_the_ends_of_double_precision():
    X = np.array([[1e308, 1e-308], [-1e308, 1e-308], [1e308, -1e-308], [-1e308, -1e-308]])
    for y in ([1, 1, 0, 0], [1, 0, 0, 1]):
        verdict = separate(X, y)
        assert verdict.is_separable in (None, is_separable(X, 2.0 * np.array(y) - 1.0, True))
        if verdict.is_separable is not None:
            check(verdict, X, np.array(y))


def test_no_time():
    X, y = load_breast_cancer(return_X_y=True)
    verdict = separate(X, y, time_limit=0)
    assert isinstance(verdict, Undecided)
    assert verdict.is_separable is None
    assert "the time limit was reached" in verdict.sentence()
    X[3], y[3] = X[4], 1 - y[4]
    assert check(separate(X, y, time_limit=0.0), X, y).is_separable is False  # seen at once


def test_a_time_limit_is_kept(monkeypatch):
    """With a clock that jumps, every method ends, and no verdict is made up."""
    now = itertools.count(0.0, 0.5)
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    assert isinstance(separate(X, y, time_limit=1.2), Undecided)


@pytest.mark.parametrize("limit", [-1.0, math.nan])
def test_limits_that_are_none(limit):
    with pytest.raises(ValueError, match="time_limit must be a number of seconds >= 0 or None"):
        separate([[1.0], [2.0]], [0, 1], time_limit=limit)


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[1.0], [2.0]], [1, 1], "only one class"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "3 classes"),
        ([[1.0], [math.nan]], [0, 1], "NaN"),
        ([[1.0], [math.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], [0, 1, 1], "2 rows"),
        ([1.0, 2.0], [0, 1], "two-dimensional"),
    ],
)
def test_bad_input(X, y, said):
    with pytest.raises(ValueError, match=said):
        separate(X, y)


def test_the_same_seed_gives_the_same_answer():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((9000, 4))
    y = np.sign(X @ rng.standard_normal(4) + rng.standard_normal(9000))
    first, second, other = (separate(X, y, seed=seed) for seed in (5, 5, 6))
    assert first == second
    assert first.rows != other.rows
    assert other.is_separable is False


@pytest.mark.parametrize("power", [-1065, -600, 600, 1020])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_powers_of_two_change_no_verdict(power, fit_intercept):
    rng = np.random.default_rng(0)
    for _ in range(12):
        X = rng.integers(-3, 4, size=(5, 2)).astype(float)
        y = np.append([-1.0, 1.0], rng.choice([-1.0, 1.0], size=3))
        plain = er.separate(X, y, fit_intercept=fit_intercept)
        scaled = er.separate(np.ldexp(X, power), y, fit_intercept=fit_intercept)
        assert scaled.is_separable == plain.is_separable
        assert er.verify(scaled, np.ldexp(X, power), y).holds


def test_a_plane_whose_numbers_are_too_large_for_a_margin_of_one_is_a_plane():
    X, y = np.array([[1e-320], [3e-320]]), [0, 1]
    verdict = er.separate(X, y)
    assert len(verdict.parts) == 1
    assert "ends of double precision" in verdict.sentence()
    assert "scale the columns" in verdict.words(0.0).meaning
    check(verdict, X, np.asarray(y))


def test_a_margin_below_the_smallest_double_is_said_so():
    smallest = 2.0**-1074
    X, y = smallest * np.array([[4096.0, 4095.0], [4096.0, 4096.0], [4097.0, 4096.0]]), [0, 1, 1]
    verdict = er.separate(X, y, fit_intercept=False)
    assert verdict.is_separable
    assert "below the smallest double" in verdict.sentence()
    check(verdict, X, np.asarray(y))

"""The fewest errors are those of an exhaustive search in fractions; weights, copies and bad input."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.separation.points import points_of
from empirisk.zero_one import budget
from empirisk.zero_one.fewest_errors import fewest_errors
from empirisk.zero_one.merged_points import merge_points
from empirisk.zero_one.recount import wrong_rows
from tests.zero_one.gaussians import gaussians
from tests.zero_one.oracle import fewest

pytestmark = pytest.mark.compiled


def data_sets(values, most_rows=9, most_columns=3):
    """X with entries from `values`, and labels of both classes."""

    @st.composite
    def build(draw):
        n, d = draw(st.integers(2, most_rows)), draw(st.integers(1, most_columns))
        X = np.array(draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=float)
        y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
        y[0], y[1] = -1, 1
        return X, y

    return build()


GRID = data_sets(st.integers(-2, 2))


SPREAD = data_sets(st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3)))


EXTREME = data_sets(
    st.sampled_from([0.0, 1.0, -1.0, 1e-12, 1e12, 0.1, 3.0, 1e-12 + 1e-25]), most_rows=7, most_columns=2
)


@given(GRID, st.booleans())
@settings(max_examples=150)
def test_points_of_a_grid(data, fit_intercept):
    X, y = data
    check(X, y, None, fit_intercept)


@given(SPREAD, st.booleans())
def test_points_in_general_position(data, fit_intercept):
    X, y = data
    check(X, y, None, fit_intercept)


@given(GRID, st.lists(st.sampled_from([-1074, -1000, -74, 0, 70, 999]), min_size=9, max_size=9))
@settings(max_examples=60)
def test_rows_of_extreme_sizes(data, powers):
    """A plane through the origin has the same errors whatever the lengths of the rows."""
    X, y = data
    answer = fewest_errors(
        np.ldexp(X, np.array(powers[: len(y)])[:, None]), y, fit_intercept=False, time_limit=None, max_nodes=5_000
    )
    least = fewest(X, y, None, False)
    assert answer.bound <= least <= answer.errors
    assert er.verify(answer.certificate, np.ldexp(X, np.array(powers[: len(y)])[:, None]), y).holds


def test_many_points_have_a_bound_and_a_true_status(monkeypatch):
    """Too many coordinates for boxes: the conflict of `separate` counts, and conflicts of a part of the points.

    The clock goes on by a second at every look, so that a slow machine finds as much.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6000, 20))
    y = X[:, 0] + rng.standard_normal(6000) > 0.0
    hurried = fewest_errors(X, y, time_limit=0.0)
    assert hurried.status == "time limit"
    looks = itertools.count(0.0, 1.0)
    monkeypatch.setattr(budget, "work_clock", lambda: next(looks))
    answer = fewest_errors(X, y, time_limit=100.0)
    assert answer.bound >= 20.0
    assert er.verify(answer.certificate, X, y).holds
    assert answer.status == "time limit"


@given(EXTREME, st.booleans())
@settings(max_examples=30)
def test_columns_of_extreme_sizes(data, fit_intercept):
    X, y = data
    answer = fewest_errors(X, y, fit_intercept=fit_intercept, time_limit=None, max_nodes=5_000)
    least = fewest(X, y, None, fit_intercept)
    assert answer.bound <= least <= answer.errors
    assert er.verify(answer.certificate, X, y).holds


@given(GRID, st.booleans(), st.data())
def test_weights(data, fit_intercept, draw):
    X, y = data
    kinds = st.one_of(st.integers(1, 3).map(float), st.floats(0.01, 10.0), st.sampled_from([0.1, 1e-3, 0.0]))
    s = np.array(draw.draw(st.lists(kinds, min_size=len(y), max_size=len(y))))
    s[:2] = 0.7
    check(X, y, s, fit_intercept)


def check(X, y, s, fit_intercept):
    answer = fewest_errors(X, y, sample_weight=s, fit_intercept=fit_intercept, time_limit=None, max_nodes=200_000)
    least = fewest(X, y, s, fit_intercept)
    assert answer.is_optimal
    assert Fraction(answer.bound) <= least <= Fraction(answer.errors)
    assert math.isclose(answer.bound, answer.errors, rel_tol=1e-12)
    points = points_of(X, y, fit_intercept)
    is_wrong = wrong_rows(points, answer.weights, answer.intercept)
    counted = sum((Fraction(float(w)) for w in (np.ones(len(y)) if s is None else s)[is_wrong]), Fraction(0))
    assert counted == least
    verdict = er.verify(answer.certificate, X, y, s)
    assert verdict.holds, verdict.sentence
    errors, bound = verdict.numbers["errors"], verdict.numbers["bound"]  # rounded up, and down
    assert Fraction(bound) <= least <= Fraction(errors)
    assert math.isclose(bound, errors, rel_tol=1e-12)


@given(GRID)
def test_merging_keeps_the_minimum(data):
    X, y = data
    points = points_of(X, y, True)
    merged = merge_points(points, np.ones(len(y)))
    least = fewest(X[merged.rows], y[merged.rows], merged.weights) if merged.n_points else 0
    assert merged.base + least == fewest(X, y)
    assert np.unique(X[merged.rows], axis=0).shape[0] == merged.n_points


def test_two_gaussians_agree_with_sweeps_through_every_point():
    X, y = gaussians(80, 2)
    answer = fewest_errors(X, y)
    assert answer.is_optimal
    assert answer.errors == least_of_pairs(X, y)


def least_of_pairs(X, y):
    """Over the planes through two points, both sides of each: points in general position."""
    best = len(y)
    for i in range(len(y)):
        for j in range(i):
            w = np.array([X[i, 1] - X[j, 1], X[j, 0] - X[i, 0]])
            values = (X - X[i]) @ w * y
            values[[i, j]] = 0.0
            best = min(best, np.sum(values < -1e-12), np.sum(values > 1e-12))
    return best


def test_copies_with_both_labels_need_no_search():
    X = np.repeat(np.arange(6.0).reshape(3, 2), 4, axis=0)
    y = np.tile([1, 1, 1, -1], 3)
    answer = fewest_errors(X, y)
    assert (answer.errors, answer.bound, answer.is_optimal) == (3.0, 3.0, True)


def test_a_plane_keeps_off_copies_with_both_labels():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [-1.0, 1.0]])  # the sum of the others has no intercept
    answer = fewest_errors(X, [1, -1, 1, -1], max_nodes=1000)
    assert (answer.errors, answer.is_optimal) == (1.0, True)


def test_rows_of_zeros_are_lost_without_an_intercept():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [-1.0, 1.0]])
    y = [1, -1, 1, -1]
    assert fewest_errors(X, y, fit_intercept=False).errors == 2.0
    assert fewest_errors(X, y, fit_intercept=True).errors == 1.0


def test_separable_data_have_no_errors():
    X, y = gaussians(60, 3, apart=10.0)
    answer = fewest_errors(X, y)
    assert (answer.errors, answer.nodes, answer.is_optimal) == (0.0, 0, True)


def test_more_columns_than_rows():
    X, y = gaussians(8, 30)
    answer = fewest_errors(X, y)
    assert (answer.errors, answer.is_optimal) == (0.0, True)


def test_many_columns_get_a_bound_from_conflicts():
    X, y = gaussians(150, 15, apart=0.8)
    answer = fewest_errors(X, y, time_limit=None)
    assert 0.0 < answer.bound <= answer.errors < 40.0
    assert answer.certificate.packing is not None
    assert er.verify(answer.certificate, X, y).holds


def test_the_same_seed_gives_the_same_plane():
    X, y = gaussians(120, 4)
    first, second = (fewest_errors(X, y, seed=3) for _ in range(2))
    assert np.array_equal(first.weights, second.weights)
    assert first.nodes == second.nodes


def test_float32_sparse_and_labels_in_words():
    import scipy.sparse

    X, y = gaussians(60, 3)
    words = np.where(y > 0, "yes", "no")
    dense = fewest_errors(X.astype(np.float32), words)
    sparse = fewest_errors(scipy.sparse.csr_array(X.astype(np.float32)), words)
    assert dense.errors == sparse.errors
    assert er.verify(sparse.certificate, scipy.sparse.csr_array(X.astype(np.float32)), words).holds


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y": [1, 1, 1]}, "only one class"),
        ({"y": [1, 2, 3]}, "3 classes"),
        ({"X": [[np.nan], [1.0], [2.0]]}, "NaN"),
        ({"X": [[np.inf], [1.0], [2.0]]}, "infinity"),
        ({"y": [1, -1]}, "3 rows"),
        ({"X": np.empty((0, 2)), "y": []}, "rows and columns"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": math.nan}, "time_limit"),
        ({"max_nodes": -1}, "max_nodes"),
        ({"sample_weight": [1.0, 1.0]}, "sample_weight"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "sample_weight"),
        ({"sample_weight": [1.0, np.nan, 1.0]}, "sample_weight"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "sample_weight"),
        ({"sample_weight": [1.0, 0.0, 1.0]}, "one class"),
    ],
)
def test_bad_input(change, sentence):
    given = {"X": [[0.0], [1.0], [2.0]], "y": [1, -1, 1], **change}
    with pytest.raises(ValueError, match=sentence):
        fewest_errors(given.pop("X"), given.pop("y"), **given)

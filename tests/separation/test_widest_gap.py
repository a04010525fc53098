"""The widest gap: its interval holds the exact norm, whatever the points are."""

import dataclasses
import math
from fractions import Fraction

import cvxpy
import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

import empirisk as er
from empirisk.separation.active_set import active_rows, row_pool
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.separate import Undecided
from empirisk.separation.widest_gap import WidestGap, widest_gap
from tests.separation.gaps import KINDS, separable
from tests.separation.nearest import minus, squared_distance_of_hull
from tests.separation.oracles import exact_points, is_separable

MAKERS = pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])


def exact_squared_norm(X, y, fit_intercept, augmented):
    """The least ||w||^2 or ||(w, b)||^2."""
    if not fit_intercept or augmented:
        return 1 / squared_distance_of_hull(exact_points(X, y, fit_intercept))
    points = [[Fraction(float(x)) for x in row] for row in X]
    pairs = [
        minus(p, m) for p, s in zip(points, y, strict=True) if s > 0 for m, t in zip(points, y, strict=True) if t < 0
    ]
    return 4 / squared_distance_of_hull(pairs)


def check_found(found, X, y, tol=1e-6):
    assert isinstance(found, WidestGap)
    assert found.is_separable
    verdict = er.verify(found, X, y)
    assert verdict.holds, verdict.sentence
    assert found.is_within(tol)


@st.composite
def small_sets(draw):
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 2))
    X = draw(st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X, dtype=float), np.array(y)


@KINDS
@given(data=small_sets())
def test_interval_holds_the_exact_norm(data, fit_intercept, augmented):
    X, y = data
    assume(abs(y.sum()) < y.size)
    found = widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented)
    if not is_separable(X, y, fit_intercept):
        assert isinstance(found, Inseparability)
        assert found.is_separable is False
        assert er.verify(found, X, y).holds
        return
    check_found(found, X, y)
    square = exact_squared_norm(X, y, fit_intercept, augmented)
    assert Fraction(found.norm_low) ** 2 <= square <= Fraction(found.norm_high) ** 2
    assert Fraction(found.margin_low) ** 2 <= 1 / square <= Fraction(found.margin_high) ** 2


@KINDS
@MAKERS
def test_conic_solver_agrees(make, fit_intercept, augmented):
    X, y = separable(fit_intercept=fit_intercept)
    w, b = cvxpy.Variable(X.shape[1]), cvxpy.Variable() if fit_intercept else 0.0
    norm = cvxpy.sum_squares(w) + (cvxpy.square(b) if augmented else 0.0)
    cvxpy.Problem(cvxpy.Minimize(norm), [cvxpy.multiply(y, X @ w + b) >= 1.0]).solve(solver=cvxpy.CLARABEL)
    found = widest_gap(make(X), y, fit_intercept=fit_intercept, augmented=augmented)
    check_found(found, make(X), y)
    assert found.norm_high**2 == pytest.approx(norm.value, rel=1e-5)
    np.testing.assert_allclose(found.weights, w.value, rtol=1e-3, atol=1e-3)


@MAKERS
@KINDS
def test_wide_data_and_float32(make, fit_intercept, augmented):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 200)).astype(np.float32), np.resize([0, 1], 30)
    found = widest_gap(make(X), y, fit_intercept=fit_intercept, augmented=augmented)
    check_found(found, make(X), y)
    scores = X.astype(float) @ found.weights + found.intercept
    assert np.min(np.where(y == 1, 1.0, -1.0) * scores) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@KINDS
def test_real_data(load, fit_intercept, augmented):
    """Breast cancer, columns as they are: R B is about 1e8."""
    X, y = load(return_X_y=True)
    y = y == 0
    check_found(widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented), X, y)


def test_free_intercept_gives_the_distance_of_the_hulls():
    X, y = np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 1.0], [5.0, 7.0]]), [0, 0, 1, 1]
    found = widest_gap(X, y)
    assert found.margin_low == pytest.approx(1.5, rel=1e-8)
    assert found.support_rows.tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.dual_weights, [0.5, 0.5, 1.0])
    np.testing.assert_allclose(found.weights, [2.0 / 3.0, 0.0], atol=1e-6)
    assert found.intercept == pytest.approx(-1.0)


def test_moved_points_have_the_same_gap():
    X, y = separable()
    found, moved = widest_gap(X, y), widest_gap(X + 1000.0, y)
    check_found(moved, X + 1000.0, y)
    assert moved.norm_high == pytest.approx(found.norm_high, rel=1e-7)


def test_b_is_that_of_the_augmented_points():
    X, y = separable()
    free, augmented = widest_gap(X, y), widest_gap(X, y, augmented=True)
    assert (augmented.b_low, augmented.b_high) == (augmented.norm_low, augmented.norm_high)
    assert free.b_low <= augmented.b_high
    assert free.b_high >= augmented.b_low
    assert free.norm_low <= augmented.norm_high
    assert augmented.plane.b_high - augmented.plane.b_low <= 1e-6 * augmented.b_high


def test_inseparable_data_give_the_verdict():
    X, y = separable()
    y = y.copy()
    y[:5] *= -1
    for augmented in (False, True):
        found = widest_gap(X, y, augmented=augmented)
        assert isinstance(found, Inseparability)
        assert er.verify(found, X, y).holds


@KINDS
def test_point_of_both_classes(fit_intercept, augmented):
    found = widest_gap(
        [[1.0, 2.0], [1.0, 2.0], [3.0, 0.5]], [0, 1, 1], fit_intercept=fit_intercept, augmented=augmented
    )
    assert isinstance(found, Inseparability)
    assert found.rows == (0, 1)


def test_zero_row_through_the_origin():
    found = widest_gap([[0.0, 0.0], [1.0, 0.0], [-1.0, 1.0]], [0, 1, 0], fit_intercept=False)
    assert isinstance(found, Inseparability)
    assert found.rows == (0,)


@KINDS
@pytest.mark.parametrize("columns", [[1e-12, 1.0, 1e12], [1e12, 1e12, 1e-12], [1e-150, 1.0, 1e150]])
def test_badly_scaled_columns_are_right_or_wide(columns, fit_intercept, augmented):
    X, y = separable(d=3, fit_intercept=fit_intercept)
    X = X * columns
    found = widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented)
    assert not isinstance(found, Inseparability)
    if isinstance(found, WidestGap):
        assert found.norm_low <= found.norm_high
        assert er.verify(found, X, y).holds


@KINDS
@MAKERS
def test_pool_that_grows_finds_the_same(make, fit_intercept, augmented, monkeypatch):
    X, y = separable(n=400, fit_intercept=fit_intercept)
    whole = widest_gap(make(X), y, fit_intercept=fit_intercept, augmented=augmented)
    taken = []
    monkeypatch.setattr(row_pool, "SMALL", 0)
    monkeypatch.setattr(row_pool, "LEAST_POOL", 5)
    monkeypatch.setattr(row_pool, "POOL_PER_COLUMN", 1)
    part = row_pool._part
    monkeypatch.setattr(row_pool, "_part", lambda program, rows: taken.append(rows.size) or part(program, rows))
    found = widest_gap(make(X), y, fit_intercept=fit_intercept, augmented=augmented)
    check_found(found, make(X), y)
    assert found.norm_high == pytest.approx(whole.norm_high, rel=1e-9)
    assert taken == sorted(taken)
    assert len(taken) > 2
    assert taken[-1] < 200


@KINDS
def test_without_the_orthogonal_basis(fit_intercept, augmented, monkeypatch):
    X, y = separable(fit_intercept=fit_intercept)
    found = widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented)
    monkeypatch.setattr(active_rows, "MOST_BASIS", 0)
    other = widest_gap(X, y, fit_intercept=fit_intercept, augmented=augmented)
    check_found(other, X, y)
    assert other.norm_high == pytest.approx(found.norm_high, rel=1e-10)


def test_too_many_rows_at_hand_leave_a_wide_interval(monkeypatch):
    X, y = separable()
    narrow = widest_gap(X, y)
    monkeypatch.setattr(row_pool, "MOST_ACTIVE", 2)
    found = widest_gap(X, y)
    assert isinstance(found, WidestGap)
    assert er.verify(found, X, y).holds
    assert not found.is_within(1e-6)
    assert found.norm_low <= narrow.norm_high
    assert found.norm_high >= narrow.norm_low


def test_time_limit_of_zero():
    X, y = separable(n=3000)
    found = widest_gap(X, y, time_limit=0.0)
    assert isinstance(found, Undecided) or (er.verify(found, X, y).holds and found.relative_gap <= 1.0)


@pytest.mark.parametrize("options", [{"tol": 0.0}, {"tol": math.nan}, {"tol": 1.0}, {"time_limit": -1.0}])
def test_bad_options(options):
    X, y = separable()
    with pytest.raises(ValueError, match=next(iter(options))):
        widest_gap(X, y, **options)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("power", [-154, -157, -160, -308, -320, 150, 170, 300])
def test_sizes_whose_squares_are_no_numbers(power, fit_intercept):
    """Multipliers are then infinite, or none: a plane or a verdict comes out all the same."""
    rng = np.random.default_rng(180)
    for _ in range(6):
        X, y = rng.standard_normal((4, 2)) * 10.0**power, np.array([0, 1, 1, 0])
        found = widest_gap(X, y, fit_intercept=fit_intercept)
        assert isinstance(found, er.Undecided) or er.verify(found, X, y).holds


def test_margin_relative_to_a_ball():
    @dataclasses.dataclass
    class Ball:
        radius_low: float
        radius_high: float

    X, y = separable()
    found = widest_gap(X, y)
    low, high = found.relative_to(Ball(1.9, 2.0))
    assert low == pytest.approx(found.margin_low / 2.0)
    assert high == pytest.approx(found.margin_high / 1.9)
    assert found.relative_to(Ball(0.0, 1.0))[1] == math.inf

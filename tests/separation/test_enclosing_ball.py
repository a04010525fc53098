"""The smallest ball: its interval holds the exact radius, its proof holds in JSON and fails after tampering."""

import math
from fractions import Fraction

import cvxpy
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.separation.active_set import active_rows, row_pool
from empirisk.separation.enclosing_ball import EnclosingBall, enclosing_ball
from tests.certificates.sealed import as_text, changed, is_refused, places, sealed_again, through_text
from tests.separation.nearest import squared_radius

MAKERS = pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])


def check_found(ball, X, tol=1e-6):
    verdict = er.verify(ball, X)
    assert verdict.holds, verdict.sentence
    assert ball.is_within(tol)
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    assert np.max(np.linalg.norm(dense - ball.center, axis=1)) <= ball.radius_high * (1.0 + 1e-12)


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-5, 5), min_size=d, max_size=d), min_size=1, max_size=7)
    ),
    st.booleans(),
)
def test_interval_holds_the_exact_radius(rows, is_sparse):
    X = np.array(rows, dtype=float)
    ball = enclosing_ball(scipy.sparse.csr_array(X) if is_sparse else X)
    check_found(ball, X)
    square = squared_radius([[Fraction(x) for x in row] for row in rows])
    assert Fraction(ball.radius_low) ** 2 <= square <= Fraction(ball.radius_high) ** 2


@MAKERS
@pytest.mark.parametrize("shape", [(300, 3), (20, 100)])
def test_conic_solver_agrees(make, shape):
    X = np.random.default_rng(0).normal(size=shape)
    center, radius = cvxpy.Variable(shape[1]), cvxpy.Variable()
    inside = [
        cvxpy.norm(X - np.ones((shape[0], 1)) @ cvxpy.reshape(center, (1, shape[1]), order="C"), axis=1) <= radius
    ]
    cvxpy.Problem(cvxpy.Minimize(radius), inside).solve(solver=cvxpy.CLARABEL)
    ball = enclosing_ball(make(X))
    check_found(ball, make(X))
    assert ball.radius_high == pytest.approx(radius.value, rel=1e-6)
    np.testing.assert_allclose(ball.center, center.value, atol=1e-3)


def test_two_points_have_the_middle():
    ball = enclosing_ball([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    np.testing.assert_allclose(ball.center, [1.5, 2.0])
    assert ball.radius_high == pytest.approx(2.5, rel=1e-12)
    assert ball.support_rows.tolist() == [0, 1]
    np.testing.assert_allclose(ball.dual_weights, [0.5, 0.5])


@MAKERS
@pytest.mark.parametrize("rows", [[[2.0, 3.0]], [[2.0, 0.0]] * 4, [[0.1, 0.3]] * 4, [[0.0, 0.0]] * 3])
def test_one_place(make, rows):
    X = make(np.array(rows))
    ball = enclosing_ball(X)
    check_found(ball, X)
    assert ball.radius_high == 0.0


def test_points_on_a_sphere():
    X = np.random.default_rng(1).normal(size=(200, 20))
    X /= np.linalg.norm(X, axis=1)[:, None]
    ball = enclosing_ball(X)
    check_found(ball, X)
    assert ball.radius_high <= 1.0 + 1e-6


def test_far_from_the_origin():
    X = np.random.default_rng(1).normal(size=(200, 3))
    ball, moved = enclosing_ball(X), enclosing_ball(X + 1e6)
    check_found(moved, X + 1e6)
    assert moved.radius_high == pytest.approx(ball.radius_high, rel=1e-8)


def test_real_data_and_float32():
    X = load_breast_cancer().data
    check_found(enclosing_ball(X), X)
    single = X.astype(np.float32)
    check_found(enclosing_ball(single), single)


@MAKERS
def test_pool_that_grows_finds_the_same(make, monkeypatch):
    X = make(np.random.default_rng(2).normal(size=(500, 4)))
    whole = enclosing_ball(X)
    monkeypatch.setattr(row_pool, "SMALL", 0)
    monkeypatch.setattr(row_pool, "LEAST_POOL", 3)
    monkeypatch.setattr(row_pool, "POOL_PER_COLUMN", 0)
    monkeypatch.setattr(active_rows, "MOST_BASIS", 0)
    ball = enclosing_ball(X)
    check_found(ball, X)
    assert ball.radius_high == pytest.approx(whole.radius_high, rel=1e-9)


def test_time_limit_of_zero_leaves_a_wide_interval():
    X = np.random.default_rng(2).normal(size=(500, 4))
    narrow, ball = enclosing_ball(X), enclosing_ball(X, time_limit=0.0)
    assert er.verify(ball, X).holds
    assert ball.radius_low <= narrow.radius_high
    assert ball.radius_high >= narrow.radius_low
    assert not ball.is_within(1e-6)


@pytest.mark.parametrize("columns", [[1e-12, 1.0, 1e12], [1e-150, 1.0, 1e100]])
def test_badly_scaled_columns(columns):
    X = np.random.default_rng(3).normal(size=(50, 3)) * columns
    check_found(enclosing_ball(X), X)


def test_json_round_trip():
    X = np.random.default_rng(4).normal(size=(50, 3))
    ball = enclosing_ball(X)
    again = through_text(ball)
    assert as_text(again) == as_text(ball)
    assert er.verify(again, X).holds


CHANGES = {
    "center": lambda ball: {"center": ball.center + 1e-3},
    "radius_low": lambda ball: {"radius_low": ball.radius_low * (1.0 + 1e-6)},
    "radius_low, a weaker claim": lambda ball: {"radius_low": ball.radius_low * (1.0 - 1e-6)},
    "radius_high": lambda ball: {"radius_high": ball.radius_high * (1.0 - 1e-6)},
    "support_rows": lambda ball: {"support_rows": ball.support_rows + 1},
    "dual_weights": lambda ball: {"dual_weights": ball.dual_weights * 0.5},
    "negative dual_weights": lambda ball: {
        "dual_weights": ball.dual_weights * [-1.0, *[1.0] * (ball.dual_weights.size - 1)]
    },
    "n_rows": lambda ball: {"n_rows": ball.n_rows + 1},
    "n_columns": lambda ball: {"n_columns": ball.n_columns + 1},
    "fingerprint": lambda ball: {"fingerprint": "0" * 32},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_lies_are_found_even_when_sealed_again(change):
    X = np.random.default_rng(4).normal(size=(50, 3))
    ball = enclosing_ball(X)
    lie = ball._replace(**change(ball))
    assert not er.verify(lie, X).holds
    assert is_refused(lie, X)


def test_altered_json_is_refused():
    data = sealed_json(enclosing_ball(np.random.default_rng(4).normal(size=(50, 3))))
    assert set(EnclosingBall._fields) <= {*data, *data["arrays"]}
    for path in places(data):
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json(changed(data, path))
    for field in ("radius_low", "radius_high"):
        with pytest.raises(ValueError, match="altered"):
            from_sealed_json({**data, field: math.nextafter(data[field], 0.0)})


def test_other_points_are_refused():
    X = np.random.default_rng(4).normal(size=(50, 3))
    ball = enclosing_ball(X)
    assert not er.verify(ball, X + 1.0).holds
    assert not er.verify(ball, X[:, :2]).holds
    assert not er.verify(ball, X * np.nan).holds


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1.0, np.nan]], "NaN"),
        ([[1.0, np.inf]], "infinity"),
        ([[1.7e308] * 3, [-1.7e308] * 3], "larger than float64 holds"),
        (np.empty((0, 2)), "rows and columns"),
        ([1.0, 2.0], "two-dimensional"),
    ],
)
def test_bad_points(X, said):
    with pytest.raises(ValueError, match=said):
        enclosing_ball(X)


@pytest.mark.parametrize("options", [{"tol": 0.0}, {"tol": math.nan}, {"time_limit": -1.0}])
def test_bad_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        enclosing_ball([[0.0], [1.0]], **options)


def test_er_verify_takes_a_ball():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    ball = er.enclosing_ball(X)
    assert er.verify(ball, X).holds
    assert not er.verify(ball, X + 1.0).holds
    with pytest.raises(TypeError, match="verify needs y"):
        er.verify(er.LinearClassifier().fit(X, [0, 1, 1]), X)


def test_rows_that_cannot_be_are_refused():
    data = sealed_json(er.enclosing_ball(np.eye(3)))
    data["arrays"]["support_rows"]["values"][0] = -1
    assert "not weights of rows" in er.verify(from_sealed_json(sealed_again(data)), np.eye(3)).sentence
    data["arrays"]["support_rows"]["values"][0] = 10**400
    with pytest.raises(ValueError, match="support_rows"):
        from_sealed_json(sealed_again(data))


@pytest.mark.parametrize("power", [-1000, -600, 600, 1020])
def test_powers_of_two_change_nothing_but_the_size(power):
    given = np.random.default_rng(0).integers(-3, 4, size=(7, 3)).astype(float)
    plain, scaled = er.enclosing_ball(given), er.enclosing_ball(np.ldexp(given, power))
    assert scaled.is_within(1e-6)
    assert np.ldexp(scaled.radius_high, -power) == pytest.approx(plain.radius_high, rel=1e-6)
    assert er.verify(scaled, np.ldexp(given, power)).holds


def test_points_that_differ_by_what_vanishes_beside_their_size_are_not_one():
    given = np.array([[4e285, 4e-131], [4e285, 8e-131]])
    ball = er.enclosing_ball(given)
    assert 0.0 <= ball.radius_low <= 2e-131 <= ball.radius_high
    assert er.verify(ball, given).holds

"""Coordinate descent: certified on every kind of problem, the peers' answers, small working sets, warm starts."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import ElasticNet, LogisticRegression

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.solvers.coordinate_descent import CoordinateDescent

LOSSES = ["squared", "logistic", "squared_hinge", "huber"]
REGRESSION = ("squared", "huber")


def data(loss, n=80, d=300, seed=0, density=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.logspace(0, -1, d)[rng.permutation(d)]
    X[rng.random((n, d)) > density] = 0.0
    z = X[:, :6] @ np.array([2.0, -1.0, 1.0, 0.5, -2.0, 1.0]) + 0.3 * rng.normal(size=n) + 0.5
    return X, z if loss in REGRESSION else np.where(z > 0.0, 1.0, -1.0)


def lambda_max(X, y, loss):
    loss = er.EmpiricalRisk(X[:2], y[:2], loss).loss
    slopes = np.array([loss.derivative(0.0, label) for label in y])
    return float(np.abs(X.T @ slopes).max()) / len(y)


def posed(loss, share=0.1, n=80, d=300, density=1.0, kind=np.asarray, **options):
    X, y = data(loss, n, d, density=density)
    options = {"l1": share * lambda_max(X, y, loss), "l2": 0.0, "fit_intercept": False} | options
    return er.EmpiricalRisk(kind(X), y, loss, **options)


def run(problem, tol=1e-9, solver=None, **options):
    """The states of a run until the gap that the solver itself estimates is within tol, and its passes."""
    solver = solver or CoordinateDescent()
    w, b, *_ = options.get("start", problem.zero())
    states = [solver.init(problem, LinearPoint(w, b))]
    while not states[-1].gap <= tol * states[-1].objective:
        states.append(solver.step(problem, states[-1]))
        assert solver.progress(problem, states[-1]).passes < 2000
    return states


def answer(problem, tol=1e-9, **options):
    """Weights, intercept and their certificate."""
    w, b, _ = CoordinateDescent().point(run(problem, tol, **options)[-1])
    return w, b, duality_gap(problem, LinearPoint(w, b))


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("share", [0.3, 0.01])
@pytest.mark.parametrize("loss", LOSSES)
def test_l1_is_certified_on_wide_data(loss, share, fit_intercept):
    assert answer(posed(loss, share, fit_intercept=fit_intercept))[2].is_within(1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_l1_is_certified_on_few_columns(loss):
    assert answer(posed(loss, 0.01, n=300, d=8, fit_intercept=True))[2].is_within(1e-8)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_elastic_net_with_weights_and_intercept(loss):
    weights = np.random.default_rng(1).integers(0, 3, size=80).astype(float)
    problem = posed(loss, 0.05, l2=0.01, sample_weight=weights, fit_intercept=True)
    assert answer(problem)[2].is_within(1e-8)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_rows_of_weight_zero_are_as_if_absent(loss):
    X, y = data(loss)
    weights = np.where(np.arange(80) < 60, 1.0, 0.0)
    options = {"l1": 0.1 * lambda_max(X[:60], y[:60], loss), "l2": 0.0}
    weighted, *_ = answer(er.EmpiricalRisk(X, y, loss, sample_weight=weights, **options), 1e-12)
    shorter, *_ = answer(er.EmpiricalRisk(X[:60], y[:60], loss, **options), 1e-12)
    np.testing.assert_allclose(weighted, shorter, atol=1e-6)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array, np.asfortranarray])
def test_other_storage_gives_the_same_answer(kind):
    expected, *_ = answer(posed("logistic", 0.1, density=0.2), 1e-12)
    found, _, certificate = answer(posed("logistic", 0.1, density=0.2, kind=kind), 1e-12)
    assert certificate.is_within(1e-9)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_float32_is_certified():
    assert answer(posed("logistic", kind=lambda X: X.astype(np.float32)))[2].is_within(1e-8)


def test_the_poisson_loss_has_no_smoothness_and_is_still_certified():
    X, z = data("squared", 100, 40)
    y = np.random.default_rng(0).poisson(np.exp(np.clip(z, -2.0, 2.0))).astype(float)
    assert answer(er.EmpiricalRisk(X, y, "poisson", l1=0.05, l2=0.0), 1e-8)[2].is_within(1e-7)


def test_outliers_leave_the_huber_loss_linear_at_the_start():
    X, y = data("huber", 100, 20)
    problem = er.EmpiricalRisk(X, 30.0 * y, "huber", l1=0.01, l2=0.0)
    assert answer(problem, 1e-8)[2].is_within(1e-7)


def test_a_box_is_kept():
    X, y = data("squared")
    problem = er.EmpiricalRisk(X, y, "squared", l1=0.05, l2=1e-3, constraint=er.Box(low=-0.2, high=0.25))
    w, _, certificate = answer(problem)
    assert certificate.is_within(1e-8)
    assert w.min() == -0.2
    assert w.max() == 0.25


def test_lasso_with_intercept_equals_scikit_learn():
    X, y = data("squared")
    w, b, _ = answer(er.EmpiricalRisk(X, y, "squared", l1=0.04, l2=0.05), 1e-13)
    peer = ElasticNet(alpha=0.09, l1_ratio=4.0 / 9.0, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(w, peer.coef_, atol=1e-6)
    assert b == pytest.approx(peer.intercept_, abs=1e-6)


def test_l1_logistic_equals_liblinear():
    X, y = data("logistic")
    w, *_ = answer(er.EmpiricalRisk(X, y, "logistic", l1=0.02, l2=0.0, fit_intercept=False), 1e-12)
    options = {"l1_ratio": 1.0, "C": 1.0 / (0.02 * 80), "fit_intercept": False, "tol": 1e-7, "max_iter": 10_000}
    peer = LogisticRegression(solver="liblinear", **options).fit(X, y)
    np.testing.assert_allclose(w, peer.coef_[0], atol=1e-4)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_fista_finds_no_better_point(loss):
    problem = posed(loss, 0.05, fit_intercept=True)
    ours = answer(problem, 1e-10)[2].objective
    assert ours <= er.minimize(problem, "fista", tol=1e-9, max_passes=20_000).objective * (1.0 + 1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_estimate_of_the_gap_is_that_of_the_certificate(loss):
    problem = posed(loss, 0.05)
    solver = CoordinateDescent()
    for state in run(problem, 1e-7)[2:]:
        w, b, _ = solver.point(state)
        certificate = duality_gap(problem, LinearPoint(w, b))
        estimate = solver.progress(problem, state)
        assert estimate.objective == pytest.approx(certificate.objective, rel=1e-12)
        assert certificate.gap <= 1.001 * estimate.gap + 1e-11 * certificate.scale


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_at_lambda_max_nothing_is_used(loss):
    problem = posed(loss, 1.0 + 1e-9)
    w, _, certificate = answer(problem)
    assert not np.any(w)
    assert certificate.is_within(1e-9)


def test_l1_of_zero_is_ridge_regression():
    X, y = data("squared", 200, 10)
    w, *_ = answer(er.EmpiricalRisk(X, y, "squared", l1=0.0, l2=0.1, fit_intercept=False), 1e-13)
    expected = np.linalg.solve(X.T @ X / 200 + 0.1 * np.eye(10), X.T @ y / 200)
    np.testing.assert_allclose(w, expected, atol=1e-7)


def test_working_sets_stay_small_beside_the_columns():
    states = run(posed("logistic", 0.2, d=3000), 1e-8)
    used = np.count_nonzero(states[-1].at.w)
    assert max(state.ids.size for state in states[1:]) <= max(20, 4 * used)
    assert states[-1].columns.size < 300  # the rest is screened off


def test_few_columns_are_taken_whole():
    last = run(posed("logistic", 0.1, n=300, d=8))[-1]
    assert last.ids.size == 8
    assert last.hessian.matrix.shape == (8, 8)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_warm_start_is_cheaper(loss):
    problem, nearby = posed(loss, 0.1, d=1000), posed(loss, 0.105, d=1000)
    w, b, _ = answer(nearby, 1e-10)
    warm, cold = run(problem, 1e-6, start=(w, b)), run(problem, 1e-6)
    assert warm[-1].passes < 0.7 * cold[-1].passes


def test_anderson_saves_passes_over_projected_gradient_by_far():
    problem = posed("squared", 0.01)
    slow = er.minimize(problem, "projected_gradient", tol=1e-6, max_passes=2000)
    assert 5.0 * run(problem, 1e-6)[-1].passes < slow.passes


@given(st.integers(0, 10_000), st.sampled_from(LOSSES), st.floats(0.02, 0.9), st.booleans())
def test_screening_never_removes_a_column_of_the_support(seed, loss, share, fit_intercept):
    X, y = data(loss, 30, 40, seed)
    options = {"l1": share * lambda_max(X, y, loss), "l2": 0.0, "fit_intercept": fit_intercept}
    problem = er.EmpiricalRisk(X, y, loss, **options)
    states = run(problem, 1e-7, CoordinateDescent(first_size=5))
    exact = run(problem, 1e-11, CoordinateDescent(first_size=5, screening=False))[-1]
    support = np.flatnonzero(np.abs(exact.at.w) > 1e-6)
    for state in states:
        assert np.isin(support, state.columns).all()


def test_a_sample_of_the_rows_is_a_start():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 16))
    y = np.where(X[:, :4].sum(axis=1) + rng.normal(size=20_000) > 0.0, 1.0, -1.0)
    problem = er.EmpiricalRisk(X, y, "logistic", l1=1e-3, l2=0.0)
    sampled, whole = run(problem, 1e-6), run(problem, 1e-6, CoordinateDescent(sampling=False))
    assert sampled[-1].passes < whole[-1].passes
    assert len(sampled) < len(whole)
    again = run(problem, 1e-6)
    np.testing.assert_array_equal(sampled[-1].at.w, again[-1].at.w)


def test_wide_data_without_l1_are_taken_by_columns():
    problem = posed("logistic", d=500, l1=0.0, l2=0.1)
    w, _, certificate = answer(problem, 1e-8)
    assert certificate.is_within(1e-7)
    assert np.all(w != 0.0)


@pytest.mark.parametrize("offset", [100.0, 1000.0])
@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
def test_columns_far_from_zero_do_not_slow_it_down(loss, offset):
    X, y = data(loss, n=200, d=6)
    near, far = (er.EmpiricalRisk(X + shift, y, loss, l1=1e-2, l2=0.0) for shift in (0.0, offset))
    at, moved = (er.minimize(problem, "coordinate_descent") for problem in (near, far))
    assert moved.certified
    assert moved.passes <= 3.0 * at.passes
    assert moved.objective == pytest.approx(at.objective, rel=1e-5)


def test_almost_as_many_weights_as_rows_take_few_passes():
    X, y = data("squared", n=100, d=250)
    solution = er.minimize(er.EmpiricalRisk(X, y, "squared", l1=1e-4, l2=0.0), "coordinate_descent")
    assert solution.certified
    assert solution.passes <= 100.0


def test_the_pass_limit_is_kept_but_for_one_step():
    X, y = data("logistic", n=100, d=200)
    solution = er.minimize(
        er.EmpiricalRisk(X + 1000.0, y, "logistic", l1=1e-5, l2=0.0), "coordinate_descent", max_passes=5, tol=1e-12
    )
    assert solution.passes <= 5.0 + 100.0


def test_a_sample_of_the_rows_is_a_start_where_there_are_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 10))
    y = np.where(X[:, 0] + rng.normal(size=30_000) > 0.0, 1.0, -1.0)
    problem = er.EmpiricalRisk(X, y, "logistic", l1=1e-3, l2=0.0, fit_intercept=False)
    sampled, plain = (CoordinateDescent(sampling=s).init(problem, problem.zero()) for s in (True, False))
    assert sampled.violation < 0.1 * plain.violation
    assert sampled.passes < plain.passes + 3.0

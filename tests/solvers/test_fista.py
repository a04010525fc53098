"""FISTA: fewer passes than projected gradient, fewer still with restarts, and its rate."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.linear_point import LinearPoint


def ill_conditioned(loss="squared", **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10)) * np.logspace(0, -1.5, 10)
    z = X @ np.logspace(0, 1, 10) + 0.1 * rng.normal(size=200)
    y = z if loss == "squared" else np.sign(z)
    return er.EmpiricalRisk(X, y, loss, **({"l1": 1e-4, "l2": 0.0} | options))


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_it_needs_fewer_passes_than_projected_gradient(loss):
    problem = ill_conditioned(loss)
    fast = er.minimize(problem, er.FISTA(), tol=1e-6)
    slow = er.minimize(problem, er.ProjectedGradient(), tol=1e-6, max_passes=5 * fast.passes)
    assert fast.certified
    assert not slow.certified


def test_restarts_help_where_the_objective_curves():
    problem = ill_conditioned(l1=0.0, l2=1e-2)
    with_restarts = er.minimize(problem, er.FISTA(), tol=1e-10)
    without = er.minimize(problem, er.FISTA(restart=False), tol=1e-10)
    assert with_restarts.certified
    assert with_restarts.passes < without.passes


def test_without_restarts_the_error_falls_like_1_over_k_squared():
    problem = ill_conditioned(l1=0.0)
    X = np.column_stack([problem.rows.whole().values, np.ones(200)])
    best, *_ = np.linalg.lstsq(X, problem.labels, rcond=None)
    least = float(np.mean((X @ best - problem.labels) ** 2) / 2)
    solver = er.FISTA(restart=False)
    state = solver.init(problem, LinearPoint(np.zeros(10), 0.0))
    squared = float(best[:-1] @ best[:-1]) + best[-1] ** 2 / state.ratio
    for k in range(1, 300):
        state = solver.step(problem, state)
        assert state.objective - least <= 2.0 * squared / (state.step * (k + 1) ** 2)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True])
def test_agrees_with_newton(loss, wrap, intercept):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 6)) * (rng.random((150, 6)) < 0.5)
    y = np.where(X[:, 0] + rng.normal(size=150) > 0.5, 1.0, -1.0)
    s = rng.integers(0, 3, size=150).astype(float)
    problem = er.EmpiricalRisk(wrap(X), y, loss, l2=1e-3, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, er.FISTA(), tol=1e-9)
    assert solution.certified
    newton = er.minimize(problem, "newton", tol=1e-12)
    np.testing.assert_allclose(solution.weights, newton.weights, atol=1e-3)
    assert solution.objective == pytest.approx(newton.objective, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_the_intercept_keeps_pace_on_any_scale_of_the_columns(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X @ np.array([1.0, 2.0, 0.0, -1.0]) + 30.0
    passes = [
        er.minimize(er.EmpiricalRisk(c * X, y, "squared", l2=1e-3 * c * c), er.FISTA(), tol=1e-8).passes
        for c in (1.0, scale)
    ]
    assert passes[1] <= 1.5 * passes[0]


def test_one_step_reads_the_data_once():
    problem = ill_conditioned()
    solver = er.FISTA()
    state = solver.init(problem, LinearPoint(np.zeros(10), 0.0))
    for _ in range(200):
        state = solver.step(problem, state)
    assert state.passes <= 2 + 1.25 * 200  # a fifth of the steps is tried twice, because steps may grow


def test_the_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20))
    problem = er.EmpiricalRisk(X, np.sign(X[:, 0] + rng.normal(size=60_000)), l1=1e-3, l2=0.0)
    one, two = (er.minimize(problem, er.FISTA(), max_passes=20, n_threads=k) for k in (1, 2))
    assert len(problem.rows.tree.leaves(problem.rows.n_columns + 1)) > 1
    assert one.weights.tobytes() == two.weights.tobytes()


def test_it_stops_at_the_limit_of_floating_point():
    solution = er.minimize(ill_conditioned(l2=1e-2), er.FISTA(), tol=1e-300, max_passes=20_000)
    assert solution.status in (er.Status.STALLED, er.Status.FLOATING_POINT)
    assert solution.certificate.relative_gap < 1e-9


def test_a_step_that_vanishes_ends_the_run():
    """The curvature is then larger than floats hold."""
    X = np.array([[1.0, -1.0], [3.0, -3.0], [2.0, 1.0], [3.0, -3.0]]) * 1e133
    options = {"constraint": er.Simplex(3e-134), "regularizer": er.NegativeEntropy(4e204), "l1": 4e203}
    problem = er.EmpiricalRisk(X, [1.0, 3.0, -4.0, 3.0], er.Squared(scale=1e76), **options)
    assert not er.minimize(problem, "smoothed_fista", max_passes=60).certified

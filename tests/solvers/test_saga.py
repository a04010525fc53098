"""SAGA, and the steps and draws that it shares with SVRG."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.capabilities import missing
from empirisk.problems.passes import project
from empirisk.solvers.saga import SAGA
from empirisk.solvers.sampling.row_draws import row_sampling, table_at, visit


def data(n=400, d=10, density=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def dense_steps(problem, X, table, sampling, rows, step, moves):
    """The same steps, each over all coordinates."""
    w, b, u, g, g_b = table.w, table.b, table.u.copy(), table.g, table.g_b
    t = step / sampling.smoothness
    for i in rows:
        new = -problem.loss.derivative(X[i] @ w + b, problem.labels[i])
        pull = sampling.factors[i] * (u[i] - new)
        moved, w = w - t * (pull * X[i] + g), np.empty(w.size)
        problem.regularizer.prox(moved, t, w)
        if problem.fit_intercept:
            b -= t * sampling.ratio * (pull + g_b)
        if moves:
            g = g - sampling.shares[i] * (new - u[i]) * X[i]
            g_b -= sampling.shares[i] * (new - u[i]) * problem.fit_intercept
            u[i] = new
    return w, b, u, g, g_b


@given(
    st.sampled_from([0.0, 0.02, 0.3]),
    st.sampled_from([0.0, 1e-9, 0.1, 2.0]),
    st.sampled_from([None, er.Box(-0.1, 0.2), er.Box(), er.Box(0.05, 0.5), er.Box(-math.inf, -0.01)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_lazy_steps_are_the_dense_ones(l1, l2, box, moves, intercept, seed):
    X, y = data(40, 7, 0.3, seed)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 1.0, 3.0], 40)
    weights[0] = 1.0
    matrix = scipy.sparse.csr_array(X)
    problem = er.EmpiricalRisk(
        matrix, y, l1=l1, l2=l2, constraint=box, sample_weight=weights, fit_intercept=intercept, n_threads=1
    )
    sampling = row_sampling(problem)
    table = table_at(problem, project(problem, rng.normal(size=7)), 0.1)
    rows = np.concatenate([sampling.draw(rng, 40) for _ in range(9)])
    end = visit(problem, table, sampling, rows, 0.5, moves)
    w, b, u, g, g_b = dense_steps(problem, X, table, sampling, rows, 0.5, moves)
    np.testing.assert_allclose(end.w, w, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(end.w == 0.0, w == 0.0)
    np.testing.assert_allclose([end.b, end.g_b], [b, g_b], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(end.u, u, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(end.g, g, rtol=1e-9, atol=1e-12)


def test_rows_are_drawn_by_their_smoothness():
    X, y = data()
    X[:100] *= 10.0
    weights = np.ones(400)
    weights[-50:] = 0.0
    problem = er.EmpiricalRisk(X, y, l2=1e-4, sample_weight=weights, fit_intercept=False)
    sampling = row_sampling(problem)
    chances = np.diff(sampling.ends, prepend=0.0)
    curvatures = 0.25 * weights / 350 * (X**2).sum(axis=1)
    assert chances.sum() == pytest.approx(1.0)
    assert np.all(chances[:350] >= 0.1 / 350)
    assert np.all(chances[350:] == 0.0)
    assert sampling.smoothness == pytest.approx((curvatures[:350] / chances[:350]).max())
    assert sampling.smoothness <= curvatures.sum() / 0.9
    rng = np.random.default_rng(0)
    counts = sum(np.bincount(sampling.draw(rng, 400), minlength=400) for _ in range(500))
    np.testing.assert_allclose(counts / 200_000, chances, atol=4 * math.sqrt(1 / 500) / 400)
    assert sampling.draw(rng, 400).size == 400


def test_rows_of_one_size_are_drawn_once_a_pass():
    problem = er.EmpiricalRisk(np.ones((50, 3)), np.ones(50), "squared", l2=1e-2)
    rows = row_sampling(problem).draw(np.random.default_rng(0), 50)
    np.testing.assert_array_equal(np.sort(rows), np.arange(50))


@pytest.mark.parametrize(("loss", "wrap"), [("logistic", np.asarray), ("squared_hinge", scipy.sparse.csr_array)])
def test_converges_linearly(loss, wrap):
    X, y = data(density=0.5)
    problem = er.EmpiricalRisk(wrap(X), y, loss, l2=1e-2, fit_intercept=False)
    solver = SAGA(step_length=1 / 3)
    state = solver.init(problem, problem.zero())
    best = er.minimize(problem, "newton", tol=1e-12).objective
    passes, logs = [], []
    while not logs or logs[-1] > math.log(1e-10):
        state = solver.step(problem, state)
        w, b, _ = solver.point(state)
        passes.append(state.passes)
        logs.append(math.log(max(table_at(problem, w, b).risk + 0.5e-2 * w @ w - best, 1e-15)))
        assert state.passes < 200
    per_e = 1.0 + row_sampling(problem).smoothness / (1e-2 * 400)
    assert np.polyfit(passes, logs, 1)[0] < -1.0 / (4.0 * per_e)


@pytest.mark.parametrize(
    "options",
    [
        {"l2": 1e-2},
        {"l2": 1e-2, "l1": 0.02, "fit_intercept": False},
        {"l2": 1e-2, "constraint": er.Box(0.0, 0.3)},
        {"l2": 0.0, "l1": 0.05},
    ],
    ids=["l2", "l1", "box", "l1 alone"],
)
def test_certifies_to_high_precision(options):
    X, y = data()
    problem = er.EmpiricalRisk(X, y, **options)
    solution = er.minimize(problem, SAGA(), tol=1e-9, max_passes=400)
    assert solution.certified
    assert solution.certificate.verify(problem, solution.point).holds
    other = er.minimize(problem, "fista", tol=1e-10)
    assert solution.objective == pytest.approx(other.objective, rel=1e-8)


def test_weights_float32_and_absent_rows():
    X, y = data()
    weights = np.random.default_rng(1).choice([0.0, 1.0, 5.0], 400)
    light = er.EmpiricalRisk(X.astype(np.float32), y, l2=1e-2, sample_weight=weights)
    kept = weights > 0.0
    plain = er.EmpiricalRisk(X.astype(np.float32)[kept], y[kept], l2=1e-2, sample_weight=weights[kept])
    a, b = (er.minimize(p, SAGA(), tol=1e-9) for p in (light, plain))
    assert a.certified
    assert b.certified
    assert a.objective == pytest.approx(b.objective, rel=1e-8)


def test_repeats_for_a_seed_and_any_number_of_threads():
    X, y = data()
    problem = er.EmpiricalRisk(X, y, l2=1e-3)
    runs = [er.minimize(problem, SAGA(seed=3), max_passes=8, tol=1e-12, n_threads=k).weights for k in (1, 2)]
    np.testing.assert_array_equal(*runs)
    assert np.any(er.minimize(problem, SAGA(seed=4), max_passes=8, tol=1e-12).weights != runs[0])


def test_a_step_that_is_too_long_is_taken_back():
    X, y = data()
    problem = er.EmpiricalRisk(scipy.sparse.csr_array(X), y, "squared_hinge", l2=1e-4)
    solver = SAGA()
    state = solver.init(problem, problem.zero())
    some = False
    for _ in range(40):
        before, state = state, solver.step(problem, state)
        taken_back = state.table is before.table
        some = some or taken_back
        assert taken_back == (state.step < before.step)
        assert taken_back or state.gap < before.gap or state.step == pytest.approx(1 / 3)
    assert some


@pytest.mark.parametrize(
    ("loss", "options", "said"),
    [
        ("hinge", {}, "loss.smoothness"),
        ("poisson", {}, "loss.smoothness"),
        ("logistic", {"constraint": "l2_ball"}, "regularizer.interval"),
    ],
)
def test_refuses_what_it_cannot_do(loss, options, said):
    X, y = data(20)
    problem = er.EmpiricalRisk(X, np.abs(y), loss, l2=1e-2, **options)
    assert any(said in sentence for sentence in missing(SAGA(), problem))


@pytest.mark.parametrize("value", [-1.0, math.inf, math.nan, "long", True])
def test_refuses_a_step_that_is_none(value):
    X, y = data(20)
    with pytest.raises(ValueError, match=r"step_length (of SAGA )?must be a (finite )?number"):
        er.minimize(er.EmpiricalRisk(X, y), SAGA(step_length=value))


def test_columns_and_rows_of_zeros():
    X = np.zeros((6, 2))
    y = np.array([1.0, -1.0] * 3)
    solution = er.minimize(er.EmpiricalRisk(X, y, l2=1e-2, fit_intercept=False), SAGA())
    assert solution.certified
    assert not np.any(solution.weights)


def test_refuses_rows_whose_squares_overflow():
    with pytest.raises(ValueError, match="the squares of X overflow"):
        er.minimize(er.EmpiricalRisk(np.full((4, 2), 1e200), np.ones(4), l2=1.0), SAGA())

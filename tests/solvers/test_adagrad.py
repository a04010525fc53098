"""AdaGrad: its steps, lazy ones included, rates and certificates."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
import empirisk.solvers.adagrad
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty
from empirisk.update_rules.lazy_steps import proximal_steps


def data(n=300, d=5, density=0.6):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    z = X[:, :5] @ np.array([1.0, -1.0, 0.5, 0.0, 2.0]) + 0.3
    return X, np.where(z + rng.normal(size=n) > 0, 1.0, -1.0), rng.integers(0, 3, size=n).astype(float)


def after_passes(problem, solver, passes, start=None):
    state = solver.init(problem, start or problem.zero())
    for _ in range(passes):
        state = solver.step(problem, state)
    return state


def test_without_penalty_the_points_are_those_of_a_plain_loop():
    X, y, _ = data(n=40)
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.0)
    state = after_passes(problem, er.Adagrad(0.3, "none", shuffle=False), 3)
    rows = np.column_stack([X, np.ones(40)])
    x, squares = np.zeros(6), np.mean(rows**2, axis=0)
    for row, label in [*zip(rows, y, strict=True)] * 3:
        g = -label * row if label * (row @ x) < 1.0 else np.zeros(6)
        squares += g * g
        x -= 0.3 * g / np.sqrt(squares)
    np.testing.assert_allclose(np.append(state.w, state.b), x, rtol=1e-10)


@pytest.mark.interpreted
@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
@pytest.mark.parametrize(
    "options",
    [
        {"l1": 0.0, "l2": 0.0},
        {"l1": 0.0, "l2": 1e-2},
        {"l1": 1e-2, "l2": 0.0},
        {"l1": 1e-2, "l2": 1e-2},
        {"l1": 1e-2, "l2": 1e-2, "constraint": er.Box(0.1, 0.4)},
    ],
    ids=str,
)
def test_lazy_steps_equal_plain_ones(options, average, monkeypatch):
    """Columns that rows rarely touch, from a start that shrinks on the way; each row's entries, or all columns."""
    X, y, s = data(n=120, d=30, density=0.05)
    problem = er.EmpiricalRisk(scipy.sparse.csr_array(X), y, "hinge", sample_weight=s, **options)
    start = LinearPoint(np.full(30, 0.3), 0.1)
    points = []
    for limit in (1.0, 0.0):
        monkeypatch.setattr(empirisk.solvers.adagrad, "SPARSE", limit)
        solver = er.Adagrad(0.05, average)
        state = after_passes(problem, solver, 5, start)
        points.append((*solver.point(state), state.w, state.b, state.squares))
    for lazy, plain in zip(*points, strict=True):
        np.testing.assert_allclose(lazy, plain, rtol=1e-9, atol=1e-12)


@given(
    x=st.floats(-5, 5),
    k=st.integers(1, 40),
    step=st.floats(1e-3, 2),
    l1=st.one_of(st.just(0.0), st.floats(1e-3, 1)),
    l2=st.one_of(st.just(0.0), st.floats(1e-12, 1e-6), st.floats(1e-3, 1)),
    ends=st.sampled_from([(-np.inf, np.inf), (-1.0, 2.0), (0.5, 3.0), (-3.0, -0.5), (0.0, np.inf)]),
)
def test_many_proximal_steps_at_once(x, k, step, l1, l2, ends):
    found = proximal_steps(x, float(k), step, l1, l2, *ends, True)
    problem = er.EmpiricalRisk(np.ones((1, 1)), [1.0], l1=l1, l2=l2, constraint=er.Box(*ends))
    w, total, squares = np.array([x]), 0.0, 0.0
    for _ in range(k):
        problem.regularizer.prox(w, step, w)
        total += w[0]
        squares += w[0] ** 2
    np.testing.assert_allclose(found, (w[0], total, squares), rtol=1e-9, atol=1e-11 * k)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "options",
    [
        {"l2": 1e-2},
        {"l1": 1e-2, "l2": 1e-3},
        {"l2": 0.0, "constraint": er.L2Ball(1.0)},
        {"l2": 0.0, "l1": 1e-2, "constraint": er.L1Ball(1.5)},
        {"l2": 1e-2, "constraint": er.Simplex(2.0)},
        {"l2": 0.0, "constraint": er.Box(-1.0, 1.0)},
        {"l2": 1e-2, "constraint": er.HalfSpace([1.0, 0.0, 0.0, 0.0, 0.0], -0.5)},
    ],
    ids=str,
)
def test_certified_under_every_constraint(options):
    X, y, s = data()
    X = X * np.array([1.0, 10.0, 0.1, 1.0, 3.0])  # which is what lengths for each coordinate are for
    problem = er.EmpiricalRisk(X, y, "hinge", sample_weight=s, **options)
    solution = er.minimize(problem, er.Adagrad(), tol=1e-2)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert solution.certificate.verify(problem, solution.point).holds
    assert np.isfinite(penalty(problem, solution.weights))


@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
def test_the_mean_falls_like_one_over_the_root_of_the_passes(average):
    X, y, _ = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.0, constraint=er.L1Ball(1.5))
    best = er.minimize(problem, tol=1e-7).objective
    solver = er.Adagrad(average=average)
    early, late = (
        duality_gap(problem, solver.point(after_passes(problem, solver, passes))).objective - best
        for passes in (8, 512)
    )
    assert late <= 1.2 * early / 8.0


def test_rare_columns_are_learnt_sooner_than_by_sgd():
    rng = np.random.default_rng(0)
    n, d = 2000, 50
    X = rng.random((n, d)) < np.geomspace(0.5, 0.005, d)
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    problem = er.EmpiricalRisk(scipy.sparse.csr_array(X.astype(np.float32)), y, "logistic", l2=1e-4)
    best = er.minimize(problem, tol=1e-7).objective
    left = [er.minimize(problem, s, max_passes=20).objective - best for s in (er.Adagrad(), er.SGD())]
    assert left[0] < 0.5 * left[1]


def test_a_seed_gives_the_same_bytes_for_any_number_of_threads():
    X, y, _ = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=1e-3)
    runs = [er.minimize(problem, er.Adagrad(seed=k), max_passes=8, n_threads=t) for k, t in ((1, 1), (1, 2), (2, 1))]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].weights.tobytes() != runs[2].weights.tobytes()


@pytest.mark.parametrize(
    "options",
    [
        {"regularizer": er.group_lasso([[0, 1], [2, 3, 4]], 0.1)},
        {"l2": 0.0, "regularizer": er.NegativeEntropy(), "constraint": er.Simplex()},
    ],
)
def test_groups_and_the_entropy_take_scaled_steps(options):
    X, y, _ = data()
    assert er.minimize(er.EmpiricalRisk(X, y, "hinge", **options), er.Adagrad(), tol=0.05).certified


@pytest.mark.parametrize(
    ("solver", "said"),
    [(er.Adagrad(alpha=-1.0), "alpha must be a finite number"), (er.Adagrad(average=False), "average must be one of")],
)
def test_bad_parameters_are_refused(solver, said):
    X, y, _ = data()
    with pytest.raises(ValueError, match=said):
        er.minimize(er.EmpiricalRisk(X, y, "hinge"), solver)

"""The projected subgradient method: rates, certificates, means and bounds."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.problems.passes import penalty, risk_gradient
from tests.solvers.rates import left_after


def data(n=300, d=5):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    z = X @ np.array([1.0, -1.0, 0.5, 0.0, 2.0]) + 0.3
    return X, np.where(z + rng.normal(size=n) > 0, 1.0, -1.0), rng.integers(0, 3, size=n).astype(float)


@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
def test_the_mean_falls_like_one_over_the_root_of_the_steps(average):
    X, y, s = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.0, constraint=er.L1Ball(1.5), sample_weight=s)
    best = er.minimize(problem, tol=1e-7).objective
    early, late = left_after(problem, er.ProjectedSubgradient("inverse_sqrt", average=average), best, (8, 512))
    assert late <= 1.2 * early / 8.0


@pytest.mark.parametrize("average", ["suffix", "weighted"])
def test_with_l2_and_inverse_steps_it_falls_like_one_over_the_steps(average):
    X, y, _ = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.1)
    best = er.minimize(problem, tol=1e-10).objective
    early, late = left_after(problem, er.ProjectedSubgradient("inverse", 10.0, average), best, (8, 512))
    assert late <= 1.2 * early / 64.0


@pytest.mark.parametrize("average", ["uniform", "suffix", "weighted"])
def test_the_points_are_those_of_a_plain_loop(average):
    X, y, _ = data(n=40)
    problem = er.EmpiricalRisk(scipy.sparse.csr_array(X), y, "hinge", l2=0.2, constraint=er.L2Ball(0.5))
    solver = er.ProjectedSubgradient("inverse_sqrt", 0.7, average)
    state = solver.init(problem, problem.zero())
    w, b, points, duals = np.zeros(5), 0.0, [], []
    for k in range(1, 6):
        state = solver.step(problem, state)
        t, u = 0.7 / np.sqrt(k), np.where(y * (X @ w + b) < 1.0, y, 0.0)
        w, b = (w + t * X.T @ u / 40.0) / (1.0 + 0.2 * t), b + t * u.mean()
        w *= min(1.0, 0.5 / np.linalg.norm(w))
        points.append(np.append(w, b))
        duals.append(np.where(y * (X @ w + b) < 1.0, y, 0.0))
    weights = {"uniform": [1] * 5, "suffix": [0, 0, 1, 1, 1], "weighted": [6, 24, 60, 120, 210]}[average]
    mean_w, mean_b, mean_u = solver.point(state)
    np.testing.assert_allclose(np.append(mean_w, mean_b), np.average(points, axis=0, weights=weights), rtol=1e-10)
    np.testing.assert_allclose(mean_u, np.average(duals, axis=0, weights=weights), atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"l2": 1e-2},
        {"l1": 1e-2, "l2": 1e-2},
        {"l2": 0.0, "constraint": er.Simplex(2.0)},
        {"l2": 0.0, "constraint": er.Box(-1.0, 1.0)},
        {"l2": 1e-2, "constraint": er.HalfSpace([1.0, 0.0, 0.0, 0.0, 0.0], -0.5)},
        {"l2": 1e-2, "regularizer": er.group_lasso([[0, 1], [2, 3, 4]], 1e-2)},
    ],
    ids=lambda options: "-".join(options),
)
def test_certified_under_every_kind_of_penalty(options):
    X, y, s = data()
    problem = er.EmpiricalRisk(X, y, "hinge", sample_weight=s, **options)
    solution = er.minimize(problem, er.ProjectedSubgradient(), tol=5e-3, max_passes=2000)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert solution.certificate.verify(problem, solution.point).holds


def test_the_estimate_is_above_the_gap_and_asks_for_few_certificates():
    X, y, _ = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=1e-2, fit_intercept=False)
    solver = er.ProjectedSubgradient()
    state = solver.init(problem, problem.zero())
    for _ in range(200):
        state = solver.step(problem, state)
    at = solver.progress(problem, state)
    certificate = duality_gap(problem, solver.point(state))
    assert certificate.objective <= at.objective
    assert certificate.gap <= at.gap <= 3.0 * certificate.gap
    solution = er.minimize(problem, solver, tol=1e-3)
    checks = [check for check in solution.trace.checks if not np.isnan(check.gap)]
    assert len(checks) <= 0.2 * solution.passes / 3.0 + 3.0


def test_slopes_without_bound_make_it_begin_again_with_shorter_steps():
    X, y, _ = data()
    problem = er.EmpiricalRisk(50.0 * X, y, "exponential", l2=1e-2)
    solver = er.ProjectedSubgradient()
    state = solver.init(problem, problem.zero())
    state = state._replace(schedule=state.schedule._replace(first=1e3))
    for _ in range(200):
        state = solver.step(problem, state)
    w, b, _ = solver.point(state)
    at_zero = risk_gradient(problem, problem.zero().stacked(), np.empty(len(y))).objective
    assert state.schedule.first < 1.0
    assert risk_gradient(problem, np.append(w, b), np.empty(len(y))).objective + penalty(problem, w) < at_zero


def test_the_same_bytes_for_any_number_of_threads():
    X, y, _ = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l2=1e-3)
    runs = [er.minimize(problem, er.ProjectedSubgradient(), max_passes=60, n_threads=t).weights for t in (1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes()


@pytest.mark.parametrize(
    ("solver", "said"),
    [
        (er.ProjectedSubgradient("fast"), "schedule must be one of auto, constant"),
        (er.ProjectedSubgradient(alpha=-1.0), "alpha must be a finite number"),
        (er.ProjectedSubgradient("inverse"), "needs l2 > 0"),
        (er.ProjectedSubgradient(average="last"), "average must be one of"),
    ],
)
def test_bad_parameters_are_refused(solver, said):
    X, y, _ = data()
    with pytest.raises(ValueError, match=said):
        er.minimize(er.EmpiricalRisk(X, y, "hinge", l2=0.0), solver)

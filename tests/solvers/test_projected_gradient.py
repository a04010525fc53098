"""Projected gradient: the fixed point of its step, agreement with other programs, and divergence."""

import cvxpy
import numpy as np
import pytest

import empirisk as er
from empirisk.problems.linear_point import LinearPoint
from empirisk.solvers.steps.proximal_step import gap_estimate

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 5))
Y = X @ np.array([2.0, -1.0, 0.0, 0.0, 0.5]) + 0.5 + 0.3 * RNG.normal(size=80)
S = RNG.integers(0, 3, size=80).astype(float)
CLASSES = np.where(Y > 0, 1.0, -1.0)

NET = {"l1": 0.05}
OMEGAS = {  # options of the problem, the strengths of l1 and l2, and the constraint for the other program
    "l1": (NET, 0.05, 0.0, lambda w: []),
    "l2": ({"l2": 0.1}, 0.0, 0.1, lambda w: []),
    "l2_ball": ({"constraint": er.L2Ball(0.7)}, 0.0, 0.0, lambda w: [cvxpy.norm2(w) <= 0.7]),
    "l1_ball": ({"constraint": er.L1Ball(1.5)}, 0.0, 0.0, lambda w: [cvxpy.norm1(w) <= 1.5]),
    "simplex": ({"constraint": er.Simplex(2.0)}, 0.0, 0.0, lambda w: [w >= 0, cvxpy.sum(w) == 2.0]),
    "box": (NET | {"constraint": er.Box(-0.5, 1.0)}, 0.05, 0.0, lambda w: [w >= -0.5, w <= 1.0]),
}


@pytest.mark.parametrize("solver", ["projected_gradient", "fista"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("omega", OMEGAS)
def test_agrees_with_a_conic_solver(solver, omega, intercept):
    options, l1, l2, constraints = OMEGAS[omega]
    problem = er.EmpiricalRisk(X, Y, "squared", **({"l2": 0.0} | options), sample_weight=S, fit_intercept=intercept)
    solution = er.minimize(problem, solver, tol=1e-8)
    w, b = cvxpy.Variable(5), cvxpy.Variable()
    risk = cvxpy.sum(cvxpy.multiply(S, cvxpy.square(X @ w + intercept * b - Y))) / (2 * S.sum())
    penalty = l1 * cvxpy.norm1(w) + 0.5 * l2 * cvxpy.sum_squares(w)
    value = cvxpy.Problem(cvxpy.Minimize(risk + penalty), constraints(w)).solve(solver="CLARABEL")
    assert solution.certified
    assert solution.objective == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(solution.weights, w.value, atol=1e-4)


def test_a_constant_step_is_the_projection_of_a_gradient_step():
    problem = er.EmpiricalRisk(X, Y, "squared", l2=0.0, constraint=er.L2Ball(0.5), fit_intercept=False)
    solver = er.ProjectedGradient(alpha=0.4)
    w = np.array([0.1, 0.2, 0.0, 0.0, 0.3])
    moved = w - 0.4 * X.T @ (X @ w - Y) / 80
    after = solver.step(problem, solver.init(problem, LinearPoint(w, 0.0)))
    np.testing.assert_allclose(after.now.x[:-1], moved * min(1.0, 0.5 / np.linalg.norm(moved)), rtol=1e-12)


def test_the_start_is_projected_first():
    problem = er.EmpiricalRisk(X, CLASSES, l2=0.0, constraint=er.L2Ball(1.0))
    solution = er.minimize(problem, er.ProjectedGradient(), start=(np.full(5, 100.0), 0.0))
    assert solution.certified
    assert np.linalg.norm(solution.weights) <= 1.0 + 1e-12


def test_backtracking_lowers_the_objective_at_every_step():
    problem = er.EmpiricalRisk(X, CLASSES, l1=0.01, l2=0.0)
    solver = er.ProjectedGradient()
    state = solver.init(problem, LinearPoint(np.zeros(5), 0.0))
    for _ in range(100):
        before, state = state.now.objective, solver.step(problem, state)
        assert state.now.objective <= before * (1 + 1e-15)


def test_a_step_that_is_too_long_diverges():
    problem = er.EmpiricalRisk(X, Y, "squared", l1=0.01, l2=0.0)
    longest = 2.0 / np.linalg.eigvalsh(np.cov(np.column_stack([X, np.ones(80)]).T, bias=True))[-1]
    assert er.minimize(problem, er.ProjectedGradient(alpha=0.3 * longest)).certified
    solution = er.minimize(problem, er.ProjectedGradient(alpha=5.0 * longest))
    assert solution.status is er.Status.DIVERGED
    assert solution.objective <= np.mean(Y**2) / 2 * (1 + 1e-12)  # no worse than the start


def test_the_estimate_of_the_gap_bounds_the_suboptimality():
    problem = er.EmpiricalRisk(X, CLASSES, l1=0.02, l2=0.0, fit_intercept=False)
    best = er.minimize(problem, "fista", tol=1e-12).objective
    solver = er.ProjectedGradient()
    state = solver.init(problem, LinearPoint(np.zeros(5), 0.0))
    for _ in range(30):
        state = solver.step(problem, state)
        _, gap = gap_estimate(problem, state.now.x, state.now.at)
        assert gap >= state.now.objective - best - 1e-12


def test_a_negative_alpha_is_refused():
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0"):
        er.minimize(er.EmpiricalRisk(X, Y, "squared"), er.ProjectedGradient(alpha=-1.0))

"""Newton's method: reused Hessians, directions through few rows, and the method that starts with dual passes."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.passes import gradient, hessian, to_curvatures
from empirisk.solvers.linear_systems.factored_hessian import factored_hessian
from empirisk.solvers.linear_systems.row_gram import MOST_ROWS, dual_direction, pays
from empirisk.solvers.newton import Newton


def posed(n=60, d=200, loss="squared_hinge", l2=1e-3, seed=0, sparse=False, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    y = np.where(X[:, 0] + rng.normal(size=n) > 0.0, 1.0, -1.0)
    return er.EmpiricalRisk(scipy.sparse.csr_array(X) if sparse else X, y, loss, l2=l2, **options)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_the_direction_through_the_rows_is_that_through_the_columns(loss, intercept, sparse):
    weights = np.random.default_rng(1).integers(0, 3, size=60).astype(float)
    problem = posed(loss=loss, fit_intercept=intercept, sample_weight=weights, sparse=sparse)
    w, b = 0.1 * np.random.default_rng(2).normal(size=200), 0.3 if intercept else 0.0
    scores = np.empty(60)
    at = gradient(problem, np.append(w, b), scores)
    curvatures = to_curvatures(problem, scores)
    assert 0 < np.count_nonzero(curvatures) < 60
    found = dual_direction(problem, curvatures, at)
    matrix = np.tril(hessian(problem, curvatures))
    matrix += np.tril(matrix, -1).T
    used = slice(200 + intercept)
    np.testing.assert_allclose(found[used], -np.linalg.solve(matrix, at.slope[used]), rtol=1e-8, atol=1e-10)


def test_rows_that_repeat_and_a_vanishing_l2_are_left_to_conjugate_gradients():
    problem = er.EmpiricalRisk(np.ones((40, 50)), np.ones(40), "squared_hinge", l2=1e-30, fit_intercept=False)
    scores = np.empty(40)
    at = gradient(problem, np.zeros(51), scores)
    assert dual_direction(problem, to_curvatures(problem, scores), at) is None
    assert er.minimize(problem, Newton(linear_solver="conjugate_gradient"), tol=1e-6).certified


def test_when_the_rows_pay():
    problem = posed()
    curvatures, at = np.full(60, 1.0 / 60), gradient(problem, np.zeros(201), np.empty(60))
    assert not pays(problem, curvatures, at, 0.0)
    assert pays(problem, curvatures, at, np.inf)
    assert not pays(problem, np.zeros(60), at, np.inf)
    assert not pays(posed(d=50), curvatures, at, np.inf)  # more rows than columns
    assert not pays(posed(n=MOST_ROWS + 1, d=MOST_ROWS + 9), np.ones(MOST_ROWS + 1), at, np.inf)
    assert pays(posed(l2=0.0), curvatures, at, 0.0)  # at once: the curvature is none along most of the columns
    assert not pays(problem, curvatures, at, np.inf, most_rows=59)
    assert not pays(problem, curvatures, at, 0.01, most_passes=0.02)
    assert pays(problem, curvatures, at, 0.01, most_passes=0.01)


def test_a_reused_hessian_takes_fewer_of_them_for_the_same_answer():
    problem = posed(n=400, d=20, loss="logistic")
    found = {}
    for reuse in (False, True):
        solver = Newton(reuse=reuse)
        state, hessians = solver.init(problem, problem.zero()), 0
        for _ in range(12):
            before = state.system.hessian
            state = solver.step(problem, state)
            hessians += before is None or not state.system.hessian.steps[:-1]
        found[reuse] = (hessians, state.gradient.objective)
    assert found[True][0] < found[False][0]
    assert found[True][1] == pytest.approx(found[False][1], rel=1e-12)


def test_losses_whose_curvature_jumps_always_take_a_new_hessian():
    problem = posed(n=400, d=20)
    solver = Newton(reuse=True)
    state = solver.init(problem, problem.zero())
    for _ in range(4):
        state = solver.step(problem, state)
        assert len(state.system.hessian.steps) <= 1


def test_a_matrix_that_overflowed_gives_the_gradient():
    problem = er.EmpiricalRisk(np.array([[1e200, 1.0], [1.0, 1e200]]), np.array([1.0, -1.0]), "squared", l2=1.0)
    with np.errstate(all="ignore"):
        broken = factored_hessian(problem, np.ones(2), np.zeros(3))
    slope = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(broken.solve(slope), slope)


def test_dual_passes_alone_solve_easy_problems():
    problem = posed(n=50, d=300, loss="logistic", l2=2.0, sparse=True, fit_intercept=False)
    solution = er.minimize(problem, "dual_newton", seed=3)
    assert solution.certified
    assert solution.passes < 10


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "hinge"])
def test_newton_finishes_what_dual_passes_began(loss):
    problem = posed(n=300, d=400, loss=loss, l2=1e-5, sparse=True)
    solver = er.solvers.DualNewton()
    state = solver.init(problem, problem.zero())
    passes = []
    while isinstance(state.part, er.SDCA):
        passes.append(solver.progress(problem, state).passes)
        state = solver.step(problem, state)
    assert passes == sorted(passes)
    assert solver.progress(problem, state).passes > passes[-1] >= 10
    assert isinstance(state.part, er.solvers.ProximalNewton if loss == "hinge" else er.Newton)
    assert er.minimize(problem, solver, tol=1e-6).certified


def test_it_starts_from_dual_variables():
    problem = posed(n=300, d=400, loss="hinge", l2=1e-3, sparse=True, fit_intercept=False)
    solver = er.solvers.DualNewton()
    solution = er.minimize(problem, solver, tol=1e-8)
    dual = np.zeros(300)
    dual[solution.certificate.dual_rows] = solution.certificate.dual_values
    assert np.any(dual)
    state = solver.from_dual(problem, solution.weights, 0.0, dual)
    cold = solver.init(problem, problem.zero())
    state, cold = solver.step(problem, state), solver.step(problem, cold)
    assert solver.progress(problem, state).gap < solver.progress(problem, cold).gap


@pytest.mark.parametrize("solver", ["newton", "dual_newton"])
def test_conjugate_gradients_that_take_too_long_are_given_up(solver):
    """Columns far from zero: their products with a direction tell little. The Hessian is not cheap, but it fits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 400)) + rng.uniform(-100.0, 100.0, 400)
    z = X @ rng.standard_normal(400)
    y = np.where(z + np.std(z) * rng.standard_normal(1000) > np.median(z), 1.0, -1.0)
    problem = er.EmpiricalRisk(X, y, "squared_hinge", l2=1e-3)
    assert not er.solvers.cholesky_is_cheap(problem.rows)
    assert not er.minimize(problem, er.Newton("conjugate_gradient"), max_passes=400).certified
    assert er.minimize(problem, solver, max_passes=400).certified

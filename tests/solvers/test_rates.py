"""What the theory of each solver promises, counted in passes."""

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.passes import gradient
from empirisk.solvers.line_search import exact_step
from empirisk.solvers.preconditioner import Sampled, preconditioner, sample_is_cheap


def problem(loss="logistic", n=300, d=8, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(X, y, loss, **({"l2": 1e-2} | options))


def gaps(solution):
    return [check.gap for check in solution.trace.checks if not math.isnan(check.gap)]


def test_newton_solves_least_squares_in_one_step():
    solution = er.minimize(problem("squared"), "newton", tol=1e-10)
    assert solution.certified
    assert solution.passes <= 3


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_newton_converges_quadratically(loss):
    p = problem(loss)
    solver = er.Newton()
    state = solver.init(p, np.zeros(8), 0.0)
    norms = []
    for _ in range(9):
        norms.append(float(np.linalg.norm(state.gradient.weights)))
        state = solver.step(p, state)
    late = [norm for norm in norms if 1e-15 < norm < 1e-2]
    assert len(late) <= 4  # digits double
    assert norms[-1] < 1e-13


def test_cholesky_and_conjugate_gradients_agree():
    for intercept in (False, True):
        p = problem(fit_intercept=intercept)
        a = er.minimize(p, er.Newton("cholesky"), tol=1e-11)
        b = er.minimize(p, er.Newton("conjugate_gradient"), tol=1e-11)
        np.testing.assert_allclose(a.weights, b.weights, rtol=1e-5, atol=1e-5)
        assert b.intercept == pytest.approx(a.intercept, abs=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
def test_sdca_converges_linearly_on_smooth_losses(loss):
    solution = er.minimize(problem(loss, fit_intercept=False), "sdca", tol=1e-9)
    assert solution.certified
    assert solution.passes <= 120
    values = np.log(gaps(solution))
    assert np.polyfit(np.arange(values.size), values, 1)[0] < -0.5


@pytest.mark.parametrize("n_columns", [8, 30])
def test_proximal_newton_reaches_high_precision_on_kinks(n_columns):
    solution = er.minimize(problem("hinge", d=n_columns, l2=1e-5), tol=1e-9)
    assert solution.solver == "proximal_newton"
    assert solution.certified
    assert solution.passes < 300
    assert solution.certificate.dual_rows.size <= 2 * n_columns


def test_lbfgs_needs_few_passes_on_easy_problems():
    assert er.minimize(problem(), "lbfgs", tol=1e-9).passes < 40


def test_exact_step_minimises_along_the_line():
    p = problem("squared_hinge")
    rng = np.random.default_rng(1)
    w, direction = rng.normal(size=8), rng.normal(size=8)
    start = gradient(p, w, 0.1, np.empty(300))
    if start.weights @ direction + start.intercept * 0.5 > 0:
        direction, shift = -direction, -0.5
    else:
        shift = 0.5
    t = exact_step(p, w, 0.1, direction, shift)
    at = [
        gradient(p, w + k * t * direction, 0.1 + k * t * shift, np.empty(300)).objective for k in (0.0, 0.9, 1.0, 1.1)
    ]
    assert at[2] < at[0]
    assert at[2] <= min(at[1], at[3])


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_sampled_preconditioner_is_near_the_inverse_hessian(wrap, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6)) * np.array([1.0, 10.0, 0.1, 3.0, 1.0, 1.0])
    p = er.EmpiricalRisk(wrap(X), np.where(X[:, 0] > 0, 1.0, -1.0), l2=1e-3, fit_intercept=intercept)
    assert sample_is_cheap(p.design)
    h = np.full(4000, 1 / 4000)
    M = preconditioner(p, h)
    assert isinstance(M, Sampled)
    A = np.column_stack([X, np.ones(4000)]) if intercept else np.column_stack([X, np.zeros(4000)])
    H = (A * h[:, None]).T @ A + np.diag([1e-3] * 6 + [0.0 if intercept else 1.0])
    solved = np.empty((7, 7))
    for j in range(7):
        M.apply(H[:, j], solved[j])
    eigenvalues = np.linalg.eigvals(solved).real
    assert eigenvalues.max() / eigenvalues.min() < 30

"""What the theory of each solver promises, counted in passes."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import gradient
from empirisk.solvers.linear_systems.preconditioner import Sampled, preconditioner, sample_is_cheap
from empirisk.solvers.steps.line_search import exact_step


def problem(loss="logistic", n=300, d=8, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(X, y, loss, **({"l2": 1e-2} | options))


def gaps(solution):
    return [check.gap for check in solution.trace.checks if not math.isnan(check.gap)]


def spectrum(condition, n=60, d=30):
    """Least squares with l2 whose Hessian has eigenvalues from 1 + l2 down to l2, l2 = 1 / condition."""
    rng = np.random.default_rng(0)
    left, right = np.linalg.qr(rng.normal(size=(n, d)))[0], np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = math.sqrt(n) * left * np.sqrt(np.append(np.logspace(0.0, -math.log10(condition), d - 1), 0.0)) @ right
    return er.EmpiricalRisk(X, rng.normal(size=n), "squared", l2=1.0 / condition, fit_intercept=False)


def chain(d=61):
    """Nesterov's hardest quadratic, 1/2 x_1^2 - x_1 + 1/2 sum_j (x_j - x_(j+1))^2 and a constant; L = 4 and l2 = 0."""
    X = math.sqrt(d + 1) * (np.eye(d + 1, d) - np.eye(d + 1, d, -1))
    return er.EmpiricalRisk(X, math.sqrt(d + 1) * np.eye(d + 1)[0], "squared", l2=0.0, fit_intercept=False)


def minimum(p):
    """The least objective of a least-squares problem, and its minimiser."""
    n, d = p.rows.whole().values.shape
    rows = np.vstack([p.rows.whole().values / math.sqrt(n), math.sqrt(p.regularizer.l2) * np.eye(d)])
    right = np.append(p.labels / math.sqrt(n), np.zeros(d))
    w = np.linalg.lstsq(rows, right, rcond=None)[0]
    return float(np.sum((rows @ w - right) ** 2)) / 2.0, w


def errors(p, solver, n_steps):
    """P - min P after each step, the start included."""
    least, _ = minimum(p)
    state = solver.init(p, p.zero())
    for _ in range(n_steps):
        yield solver.progress(p, state).objective - least
        state = solver.step(p, state)
    yield solver.progress(p, state).objective - least


def late_passes(p, solver):
    """The passes for each factor of ten in the gap, between 1e-3 and 1e-9."""
    first, last = (er.minimize(p, solver, tol=tol, max_passes=1e5) for tol in (1e-3, 1e-9))
    assert first.certified
    assert last.certified
    return (last.passes - first.passes) / 6.0


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca", "fista", "gradient_descent", "projected_gradient"])
def test_every_method_for_smooth_losses_certifies_1e_9(solver, loss):
    solution = er.minimize(problem(loss), solver, tol=1e-9)
    assert solution.certified
    assert solution.passes <= 200


def test_fista_is_as_fast_as_a_gradient_method_can_be_on_the_hardest_quadratic():
    """2 ||x*||^2 L / (k + 1)^2 from above; no method stays below 3 ||x*||^2 L / (32 (k + 1)^2) at k = (d - 1) / 2."""
    p = chain()
    squared = float(minimum(p)[1] @ minimum(p)[1])
    fast = list(errors(p, er.FISTA(restart=False), 300))
    slow = list(errors(p, er.ProjectedGradient(), 300))
    for k in range(1, 301):
        assert fast[k] <= 2.0 * 4.0 * squared / (k + 1) ** 2
    assert fast[30] >= 3.0 * 4.0 * squared / (32.0 * 31**2)
    assert slow[300] >= 10.0 * fast[300]


def test_fista_with_restarts_certifies_without_l2():
    assert er.minimize(chain(), er.FISTA(), tol=1e-9, max_passes=3000).certified


def test_restarts_give_the_rate_of_the_root_of_the_condition_number():
    """A factor of ten costs about sqrt(L/m) passes by momentum, and L/m without: m is l2 here, and nobody says so."""
    fast = [late_passes(spectrum(c), er.FISTA()) for c in (100.0, 10_000.0)]
    slow = [late_passes(spectrum(c), er.ProjectedGradient()) for c in (100.0, 1000.0)]
    assert fast[0] <= 3.0 * 10.0
    assert fast[1] <= 3.0 * 100.0
    assert 5.0 * slow[0] <= slow[1] <= 20.0 * slow[0]


def test_gradient_descent_contracts_at_every_step():
    """By 1 - m/L at least, for steps of 1/L (Nesterov, 2004, section 2.1.5)."""
    p = spectrum(100.0)
    left = list(errors(p, er.GradientDescent(alpha=1.0 / 1.01), 500))
    for before, after in itertools.pairwise(left):
        assert after <= (1.0 - 0.01 / 1.01) * before + 1e-15
    assert left[-1] <= 1e-4 * left[0]


@pytest.mark.parametrize("l2", [1e-2, 1e-3])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_sdca_keeps_to_its_bound(loss, l2):
    """c log(n c P(0, 0) / gap) passes, c = 1 + smoothness R^2 / (n l2), do on average (Shalev-Shwartz, Zhang, 2013)."""
    p = problem(loss, l2=l2, fit_intercept=False)
    rate = 1.0 + p.loss.smoothness() * np.max(np.sum(p.rows.whole().values ** 2, axis=1)) / (300.0 * l2)
    solution = er.minimize(p, "sdca", tol=1e-9)
    assert solution.certified
    at_zero = p.loss.value(0.0, 1.0)
    assert solution.passes <= rate * math.log(300.0 * rate * at_zero / (1e-9 * solution.objective)) + 5.0


def test_lbfgs_with_a_long_memory_converges_superlinearly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)) * np.logspace(0, -1, 8)
    p = er.EmpiricalRisk(X, np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 0, 1.0, -1.0), l2=1e-4)
    solver = er.LBFGS(memory=100)
    state = solver.init(p, LinearPoint(np.zeros(8), 0.0))
    norms = [float(np.linalg.norm(state.core.slope))]
    while norms[-1] > 1e-13:
        state = solver.step(p, state)
        norms.append(float(np.linalg.norm(state.core.slope)))
    early, late = (norms[20] / norms[0]) ** (1 / 20), (norms[-1] / norms[-6]) ** (1 / 5)
    assert len(norms) <= 50
    assert late <= 0.3 * early


def test_newton_solves_least_squares_in_one_step():
    solution = er.minimize(problem("squared"), "newton", tol=1e-10)
    assert solution.certified
    assert solution.passes <= 3


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_newton_converges_quadratically(loss):
    p = problem(loss)
    solver = er.Newton()
    state = solver.init(p, LinearPoint(np.zeros(8), 0.0))
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
    x, direction = np.append(rng.normal(size=8), 0.1), np.append(rng.normal(size=8), 0.5)
    if gradient(p, x, np.empty(300)).slope @ direction > 0:
        direction = -direction
    t = exact_step(p, x, direction)
    at = [gradient(p, x + k * t * direction, np.empty(300)).objective for k in (0.0, 0.9, 1.0, 1.1)]
    assert at[2] < at[0]
    assert at[2] <= min(at[1], at[3])


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_sampled_preconditioner_is_near_the_inverse_hessian(wrap, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6)) * np.array([1.0, 10.0, 0.1, 3.0, 1.0, 1.0])
    p = er.EmpiricalRisk(wrap(X), np.where(X[:, 0] > 0, 1.0, -1.0), l2=1e-3, fit_intercept=intercept)
    assert sample_is_cheap(p.rows)
    h = np.full(4000, 1 / 4000)
    M = preconditioner(p, h)
    assert isinstance(M, Sampled)
    A = np.column_stack([X, np.ones(4000)]) if intercept else np.column_stack([X, np.zeros(4000)])
    H = (A * h[:, None]).T @ A + np.diag([1e-3] * 6 + [0.0 if intercept else 1.0])
    solved = np.empty((7, 7))
    for j in range(7):
        solved[j] = M.apply(H[:, j])
    eigenvalues = np.linalg.eigvals(solved).real
    assert eigenvalues.max() / eigenvalues.min() < 30

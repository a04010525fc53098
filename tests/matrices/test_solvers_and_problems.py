"""Every solver on every loss and design, with and without intercept and weights: certified at 1e-6."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.losses import LOSSES
from empirisk.protocols import Unsupported, missing, offers
from empirisk.solvers import SOLVERS

FITTED = [name for name, cls in LOSSES.items() if offers(cls(), "derivative")]


def data(seed=0, n=120, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) + 0.3 > 0, 1.0, -1.0)
    return X, y, rng.integers(0, 3, size=n).astype(float)


DESIGNS = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": scipy.sparse.csr_array,
    "csr32": lambda X: scipy.sparse.csr_array(X.astype(np.float32)),
}

# Pairs that no code here can do, with the words of the refusal.
REFUSED = {
    ("newton", "hinge"): "needs loss.second_derivative",
    ("lbfgs", "hinge"): "needs loss.smoothness",
}


@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("loss", FITTED)
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_certifies_at_1e6(solver, loss, design, intercept, weighted):
    X, y, s = data()
    problem = er.EmpiricalRisk(
        DESIGNS[design](X), y, loss, l2=1e-2, sample_weight=s if weighted else None, fit_intercept=intercept
    )
    if (solver, loss) in REFUSED:
        with pytest.raises(Unsupported, match=REFUSED[solver, loss]):
            er.minimize(problem, solver)
        return
    solution = er.minimize(problem, solver, tol=1e-6)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert solution.certificate.relative_gap <= 1e-6
    assert solution.certificate.verify(problem, solution.weights, solution.intercept).holds
    assert solution.reason


@pytest.mark.parametrize("loss", FITTED)
@pytest.mark.parametrize("intercept", [False, True])
def test_elastic_net_certifies(loss, intercept):
    X, y, s = data()
    problem = er.EmpiricalRisk(X, y, loss, l1=0.1, l2=1e-2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, tol=1e-6)
    assert solution.solver == "sdca"
    assert solution.certified
    assert np.any(solution.weights == 0.0)
    for name in ("newton", "lbfgs", "proximal_newton"):
        with pytest.raises(Unsupported, match="needs l1 = 0"):
            er.minimize(problem, name)


def test_the_table_of_refusals_is_complete():
    X, y, _ = data()
    for solver, cls in SOLVERS.items():
        for loss in FITTED:
            assert bool(missing(cls(), er.EmpiricalRisk(X, y, loss))) == ((solver, loss) in REFUSED)


@pytest.mark.parametrize("loss", FITTED)
@pytest.mark.parametrize("intercept", [False, True])
def test_agrees_with_a_conic_solver(loss, intercept):
    import cvxpy

    X, y, s = data(n=40, d=3)
    w, b = cvxpy.Variable(3), cvxpy.Variable()
    z = X @ w + (b if intercept else 0.0)
    m = cvxpy.multiply(y, z)
    terms = {
        "logistic": cvxpy.logistic(-m),
        "hinge": cvxpy.pos(1 - m),
        "squared_hinge": cvxpy.square(cvxpy.pos(1 - m)),
        "squared": cvxpy.square(z - y) / 2,
    }[loss]
    objective = cvxpy.sum(cvxpy.multiply(s, terms)) / s.sum() + 0.005 * cvxpy.sum_squares(w) + 0.01 * cvxpy.norm1(w)
    value = cvxpy.Problem(cvxpy.Minimize(objective)).solve(solver="CLARABEL")
    problem = er.EmpiricalRisk(X, y, loss, l1=0.01, l2=0.01, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, tol=1e-9, max_passes=20000)
    assert solution.certified
    assert solution.objective == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(solution.weights, w.value, atol=1e-3)

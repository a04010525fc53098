"""Newton's model through its rows: the conditions of its minimum hold, and solvers on wide data are certified by it."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.passes import loss_at, scores_at, sum_of_rows
from empirisk.protocols import Unsupported
from empirisk.solvers.quadratic_models.row_model import minimize_through_rows, takes_rows

pytestmark = pytest.mark.interpreted
N, D = 25, 320
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, D)) * (RNG.random((N, D)) < 0.3) * 10.0 ** RNG.uniform(-1, 1, size=D)
Y = np.where(RNG.random(N) < 0.5, -1.0, 1.0)
PENALTIES = {
    "l2": {"l2": 1e-2, "constraint": er.Box(-1e6, 1e6)},
    "l1": {"l1": 0.02, "l2": 1e-2},
    "box": {"l2": 1e-3, "constraint": er.Box(-0.01, 0.02)},
    "l1, positive": {"l1": 0.01, "l2": 1e-2, "constraint": er.Box()},
}


@pytest.fixture(autouse=True)
def few_columns_are_many(monkeypatch):
    monkeypatch.setattr("empirisk.solvers.quadratic_models.row_model.L1_COLUMNS", 300)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("intercept", [False, True], ids=["through zero", "intercept"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "csr"])
def test_the_minimum_of_the_model(penalty, intercept, is_sparse):
    rows = scipy.sparse.csr_array(X) if is_sparse else X
    weights = np.where(np.arange(N) % 5 == 0, 0.0, 1.0 + np.arange(N) % 3)  # rows without curvature too
    problem = er.EmpiricalRisk(
        rows, Y, er.Logistic(), sample_weight=weights, fit_intercept=intercept, **PENALTIES[penalty]
    )
    x = np.append(0.01 * RNG.random(D), 0.3 * intercept)
    loss = loss_at(problem, scores_at(problem, x))
    slope = sum_of_rows(problem, loss.slopes)
    assert takes_rows(problem, loss.curvatures)
    found = minimize_through_rows(problem, x, loss, slope, loss.curvatures, None, 1e-14)
    moved = loss.curvatures * (scores_at(problem, found.x) - scores_at(problem, x))
    at = slope + sum_of_rows(problem, moved)
    regularizer = problem.regularizer
    l1, low, high = regularizer.interval()
    pull = (found.x - at)[:-1]  # a fixed point of the proximal step with step 1 is a minimiser
    w = np.sign(pull) * np.maximum(np.abs(pull) - l1, 0.0) / (1.0 + regularizer.strong_convexity())
    assert np.allclose(np.clip(w, low, high), found.x[:-1], atol=1e-8)
    assert abs(at[-1]) < 1e-10
    assert found.passes > 0.0


def test_where_it_is_not_taken():
    assert takes_rows(er.EmpiricalRisk(X, Y, l1=0.1))
    assert not takes_rows(er.EmpiricalRisk(X, Y, l1=0.1, l2=0.0))  # no strong convexity
    assert not takes_rows(er.EmpiricalRisk(X[:, :20], Y, l1=0.1))  # a small matrix
    assert not takes_rows(er.EmpiricalRisk(X, Y, constraint=er.L1Ball(1.0)))  # no interval for each weight
    assert not takes_rows(er.EmpiricalRisk(X, Y), np.ones((N, 3)))  # many classes


@pytest.mark.parametrize(
    ("solver", "loss"),
    [("composite_newton", "logistic"), ("composite_newton", "squared_hinge"), ("smoothed_newton", "hinge")],
)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_solvers_make_no_matrix(monkeypatch, solver, loss, penalty):
    monkeypatch.setattr("empirisk.solvers.quadratic_models.damped_hessian.risk_hessian", None)
    problem = er.EmpiricalRisk(X, Y, loss, **PENALTIES[penalty])
    solution = er.minimize(problem, solver)
    assert solution.certified
    assert er.verify(solution, problem).holds


def test_columns_too_many_for_a_matrix_go_on_through_the_rows(monkeypatch):
    """A box that hardly binds, on data that a plane separates: coordinate descent alone takes thousands of passes."""
    monkeypatch.setattr("empirisk.selection.further.MATRIX_COLUMNS", 100)
    problem = er.EmpiricalRisk(X, Y, "squared_hinge", l2=1e-6, constraint=er.Box(-0.1, 0.1))
    solution = er.minimize(problem)
    assert solution.certified
    assert "composite_newton went on" in solution.reason


def test_a_matrix_that_no_memory_holds_is_a_sentence():
    wide = scipy.sparse.csr_array(([1.0, 1.0], ([0, 1], [0, 99_999])), shape=(2, 100_000))
    problem = er.EmpiricalRisk(wide, [1.0, -1.0], l2=0.0, l1=0.1)
    with pytest.raises(Unsupported, match="a model of 100000 columns is a matrix of 75 GiB; use solver 'auto'"):
        er.minimize(problem, "composite_newton")


def test_least_squares_without_l2_on_wide_rows_goes_through_them():
    """The least is 0, on many weights; conjugate gradients alone take hundreds of passes."""
    rng = np.random.default_rng(5)
    spread = rng.normal(size=(40, 400)) * 10.0 ** rng.uniform(-2, 0, size=(40, 1))
    problem = er.EmpiricalRisk(spread, rng.normal(size=40), "squared", l2=0.0)
    solution = er.minimize(problem, er.Newton("conjugate_gradient"))
    assert solution.certified
    assert solution.passes < 60.0
    assert solution.objective < 1e-12

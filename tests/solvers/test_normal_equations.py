"""Least squares through X^T X: the answer of a direct solution in two passes, refined where rounding leaves much."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.solvers.normal_equations import NormalEquations, gap_of


def data(n=60, d=5, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset
    return X, X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) + 1.0


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_ridge_is_the_solution_of_its_linear_system(kind, fit_intercept):
    X, y = data()
    s = np.arange(60.0) % 3
    X = X.astype(np.float32).astype(float)
    solution = er.minimize(
        er.EmpiricalRisk(kind(X), y, "squared", l2=0.1, sample_weight=s, fit_intercept=fit_intercept), tol=1e-12
    )
    columns = np.column_stack([X, np.ones(60)]) if fit_intercept else X
    penalty = np.diag([0.1] * 5 + [0.0] * fit_intercept) * s.sum()
    expected = np.linalg.solve(columns.T @ (s[:, None] * columns) + penalty, columns.T @ (s * y))
    assert solution.solver == "normal_equations"
    assert solution.passes == 2.0
    np.testing.assert_allclose(solution.weights, expected[:5], rtol=1e-9)
    assert solution.intercept == pytest.approx(expected[5] if fit_intercept else 0.0, rel=1e-9)


@pytest.mark.parametrize("penalty", [{"l1": 0.1}, {"l1": 0.05, "l2": 0.02}, {"constraint": er.Box(low=0.0)}])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_kinks_and_boxes_are_certified_wherever_the_columns_are(penalty, offset):
    X, y = data(offset=offset)
    solution = er.minimize(er.EmpiricalRisk(X, y, "squared", **{"l2": 0.0} | penalty))
    assert solution.solver == "normal_equations"
    assert solution.certified
    assert solution.passes <= 5.0


@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.1]), st.sampled_from([0.0, 0.05]))
def test_the_gap_without_rows_is_that_of_the_certificate(seed, l1, l2):
    X, y = data(seed=seed, n=20, d=3)
    problem = er.EmpiricalRisk(X, y, "squared", l1=l1, l2=l2 or 0.01 * (l1 == 0.0), fit_intercept=False)
    solver = NormalEquations()
    state = solver.step(problem, solver.init(problem, LinearPoint(np.zeros(3), 0.0)))
    for at in (solver.init(problem, LinearPoint(np.zeros(3), 0.0)), state):
        exact = duality_gap(problem, LinearPoint.of(at.x))
        found = min(gap_of(problem, at.x, at.at), exact.objective)  # the certificate knows that no loss is negative
        assert found == pytest.approx(exact.gap, rel=1e-9, abs=1e-12 + exact.rounding)


def test_columns_that_are_almost_the_same_are_refined():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[:, 2] = X[:, 1] + 1e-7 * rng.normal(size=50)
    y = X @ [1.0, 2.0, -1.0] + 0.1 * rng.normal(size=50)
    solution = er.minimize(er.EmpiricalRisk(X, y, "squared", l2=1e-9, fit_intercept=False), "normal_equations")
    assert solution.certified


def test_no_column_at_all_has_a_length():
    solution = er.minimize(er.EmpiricalRisk(np.zeros((5, 2)), np.arange(5.0), "squared", l1=0.1, l2=0.0))
    assert solution.certified
    assert solution.intercept == pytest.approx(2.0)


def test_small_columns_without_a_penalty_are_not_taken_for_zero():
    X, y = data(seed=3)
    small = er.minimize(er.EmpiricalRisk(1e-6 * X, y, "squared", l2=0.0))
    plain = er.minimize(er.EmpiricalRisk(X, y, "squared", l2=0.0))
    assert small.certified
    assert small.objective == pytest.approx(plain.objective, rel=1e-6)
    np.testing.assert_allclose(1e-6 * small.weights, plain.weights, rtol=1e-4)


@pytest.mark.parametrize(
    ("loss", "options", "said"),
    [
        ("logistic", {}, "needs a quadratic loss"),
        ("squared", {"constraint": er.L1Ball(1.0)}, "needs regularizer.interval"),
    ],
)
def test_what_it_cannot_do_is_refused(loss, options, said):
    X, y = data()
    with pytest.raises(Unsupported, match=said):
        er.minimize(er.EmpiricalRisk(X, np.sign(y), loss, **options), "normal_equations")
    with pytest.raises(Unsupported, match="needs at most 5000 columns"):
        er.minimize(er.EmpiricalRisk(np.zeros((2, 5001)), [1.0, 2.0], "squared"), "normal_equations")

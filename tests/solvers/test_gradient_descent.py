"""Gradient descent: the textbook's step converges below 2/L and diverges above, and precision ends it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import gradient
from tests.own_losses import Welsch


def least_squares(seed=0, n=60, d=4, l2=0.1, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return er.EmpiricalRisk(X, X @ rng.normal(size=d) + rng.normal(size=n), "squared", l2=l2, **options)


def curvature(problem):
    """L, the largest eigenvalue of the Hessian."""
    X = problem.rows.whole().values
    if problem.fit_intercept:
        X = np.column_stack([X, np.ones(len(X))])
    H = X.T @ X / len(X) + np.diag([problem.regularizer.l2] * problem.rows.n_columns + [0.0] * problem.fit_intercept)
    return float(np.linalg.eigvalsh(H)[-1])


def norm_at(problem, solution):
    at = gradient(problem, solution.point.stacked(), np.empty(problem.rows.n_rows))
    return math.hypot(float(np.linalg.norm(at.weights)), at.intercept)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.02, 1.9), st.booleans())
def test_a_step_below_2_over_L_never_counts_as_divergence(seed, factor, intercept):
    problem = least_squares(seed, fit_intercept=intercept)
    solution = er.minimize(problem, er.GradientDescent(alpha=factor / curvature(problem)), max_passes=3000)
    assert solution.status is er.Status.CERTIFIED


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(2.1, 1e6))
def test_a_step_above_2_over_L_diverges_and_the_best_point_comes_back(seed, factor):
    problem = least_squares(seed)
    start = er.minimize(problem, tol=1e-12)  # the minimiser, moved along the steepest direction
    vectors = np.linalg.eigh(np.cov(problem.rows.whole().values.T))[1]
    moved = start.weights + vectors[:, -1], start.intercept
    solution = er.minimize(problem, er.GradientDescent(alpha=factor / curvature(problem)), start=moved)
    assert solution.status is er.Status.DIVERGED
    assert not solution.certified
    first = gradient(problem, np.append(*moved), np.empty(60)).objective
    assert solution.objective <= first * (1 + 1e-12)


def test_one_constant_step_is_that_of_the_textbook():
    problem = least_squares()
    solver = er.GradientDescent(alpha=0.3)
    x = np.array([1.0, -2.0, 0.5, 3.0, 0.25])
    at = gradient(problem, x, np.empty(60))
    after = solver.step(problem, solver.init(problem, LinearPoint.of(x)))
    np.testing.assert_array_equal(after.x, x - 0.3 * at.slope)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("intercept", [False, True])
def test_it_ends_where_the_gradient_is_short(alpha, intercept):
    problem = least_squares(fit_intercept=intercept)
    solution = er.minimize(problem, er.GradientDescent(alpha=alpha, epsilon=1e-3), tol=1e-12)
    assert solution.status is er.Status.PRECISION_REACHED
    assert norm_at(problem, solution) <= 1e-3
    assert solution.certificate.gap < 1e-4  # computed all the same
    assert solution.certificate.verify(problem, solution.point).holds


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
@pytest.mark.parametrize("intercept", [False, True])
def test_backtracking_agrees_with_newton(loss, intercept):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0.3, 1.0, -1.0)
    s = rng.integers(0, 3, size=200).astype(float)
    problem = er.EmpiricalRisk(X, y, loss, l2=1e-2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, er.GradientDescent(), tol=1e-9)
    newton = er.minimize(problem, "newton", tol=1e-12)
    assert solution.certified
    np.testing.assert_allclose(solution.weights, newton.weights, atol=1e-4)


def test_backtracking_finds_its_step_on_any_scale():
    for scale in (1e-6, 1e6):
        rng = np.random.default_rng(0)
        X = scale * rng.normal(size=(100, 3))
        problem = er.EmpiricalRisk(X, rng.normal(size=100), "squared", l2=0.1 * scale**2, fit_intercept=False)
        assert er.minimize(problem, er.GradientDescent(), tol=1e-8).passes < 100


def test_it_finds_a_stationary_point_of_a_loss_that_is_not_convex():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X @ np.array([1.0, -1.0, 0.5]) + np.where(rng.random(200) < 0.2, 20.0, 0.1 * rng.normal(size=200))
    problem = er.EmpiricalRisk(X, y, Welsch(), l2=1e-3)
    solution = er.minimize(problem, er.GradientDescent(epsilon=1e-7), tol=1e-12)
    assert solution.status is er.Status.PRECISION_REACHED
    assert norm_at(problem, solution) <= 1e-7
    np.testing.assert_allclose(solution.weights, [1.0, -1.0, 0.5], atol=0.1)  # the outliers do not count


@pytest.mark.parametrize("options", [{"alpha": -1.0}, {"alpha": math.nan}, {"epsilon": -1.0}, {"epsilon": math.inf}])
def test_bad_parameters_are_refused(options):
    with pytest.raises(ValueError, match=r"must be a (finite )?number"):
        er.minimize(least_squares(), er.GradientDescent(**options))

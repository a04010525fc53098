"""Tables as people have them: amounts beside groups of zeros and ones, which each sum to one: `auto` certifies them.

Each of these ended uncertified, with the solver in its comment at work; where another solver of the package did it.
"""

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.selection import choose

pytestmark = pytest.mark.interpreted


def census(n=120, seed=0, groups=(4, 3), sizes=(40.0, 2e5)):
    """Amounts of these sizes, groups of zeros and ones beside an intercept: as many collinear columns as groups."""
    rng = np.random.default_rng(seed)
    amounts = np.column_stack([size * rng.lognormal(0.0, 0.5, n) for size in sizes])
    members = [np.eye(k)[rng.integers(0, k, n)] for k in groups]
    X = np.column_stack([amounts, *members])
    z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0.0, X.std(axis=0), 1.0) @ rng.standard_normal(X.shape[1])
    return X, z + rng.standard_normal(n)


def counts(loss):
    X, z = census()
    if "regression" not in er.losses.as_loss(loss).tasks():
        signs = np.where(z > 0.0, 1.0, -1.0)
        signs[::4] *= -1.0  # no plane separates rare columns from the rest: there is a minimiser
        return X, signs
    return X, np.maximum(0.0, np.round(30.0 + 5.0 * z))


@pytest.mark.parametrize(
    "loss",
    [
        "squared",  # normal_equations: the limit of floating point
        "huber",  # newton, at the pass limit
        "absolute",  # proximal_newton, at an objective of 1e282
        "quantile",
        "epsilon_insensitive",
        "squared_epsilon_insensitive",
        "poisson",  # newton: the limit of floating point
        "logistic",
        "hinge",  # proximal_newton
        "smoothed_hinge",
        "squared_hinge",
    ],
)
def test_without_l2_collinear_columns_of_any_size_are_certified(loss):
    X, y = counts(loss)
    problem = er.EmpiricalRisk(X, y, loss, l2=0.0)
    found = er.minimize(problem)
    assert found.certified, (found.status, found.certificate)
    assert found.certificate.verify(problem, found.point).holds


def test_columns_that_depend_on_others_are_left_where_they_are():
    """A shift of the diagonal would turn the rounding of the gradient into weights of any size."""
    X, y = counts("squared")
    found = er.minimize(er.EmpiricalRisk(X, y, "squared", l2=0.0))
    rounded = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=1e-12)[0]
    assert np.linalg.norm(found.weights) <= 10.0 * np.linalg.norm(rounded)


def test_least_squares_on_a_wide_dense_table_are_factored():
    """dual_newton ended at a gap of 0.09."""
    rng = np.random.default_rng(0)
    X = np.column_stack([census(n=90)[0], np.eye(80)[rng.integers(0, 80, 90)]])
    _, reason = choose(er.EmpiricalRisk(X, X[:, 0], "squared", l2=1e-4))
    assert reason.startswith("normal_equations: ")


@pytest.mark.parametrize(("loss", "then"), [("hinge", "smoothed_newton"), ("absolute", "smoothed_newton")])
def test_no_solver_for_kinks_is_the_last_where_another_is_cheap(loss, then):
    X, y = counts(loss)
    chosen, _ = choose(er.EmpiricalRisk(X, y, loss, l2=1e-4))
    assert [name_of(solver) for solver in chosen.solver.solvers][1:] == [then]


def test_columns_far_from_zero_and_large_are_certified_under_l2():
    """Coordinates in units of 1e-8: the rounding of the dual sum was all that was left."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((300, 2)), rng.normal(-9e7, 5e6, 300), rng.normal(3e7, 5e6, 300)])
    y = 0.3 * X[:, 0] + 2e-8 * X[:, 2] + 0.1 * rng.standard_normal(300)
    found = er.minimize(er.EmpiricalRisk(X, y, "squared", l2=1e-4))
    assert found.certified, (found.status, found.certificate)

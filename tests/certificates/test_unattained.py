"""Logistic regression without a penalty on data that a plane separates: no minimiser, and the direction proves it."""

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.certificates import UnattainedInfimum, certificate_from_json
from empirisk.certificates.unattained import separating_point
from empirisk.problems.linear_point import LinearPoint

pytestmark = pytest.mark.interpreted


def separable(seed=0, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ np.arange(1.0, d + 1) > 0.3, 1.0, -1.0)


def quasi_separable():
    """x > 0 is +1 and x < 0 is -1, with both labels at x = 0: no plane separates, one separates the others."""
    X = np.array([[1.0], [2.0], [-1.0], [-3.0], [0.0], [0.0]])
    return X, np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0])


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("solver", ["auto", "lbfgs", "gradient_descent"])
def test_separable_data_have_no_minimiser(loss, make, solver):
    X, y = separable()
    problem = er.EmpiricalRisk(make(X), y, loss, l2=0.0)
    solution = er.minimize(problem, solver)
    assert solution.status is er.Status.UNATTAINED
    assert not solution.certified
    certificate = solution.certificate
    assert (certificate.n_positive, certificate.n_zero) == (len(y), 0)
    assert np.all(y * (X @ certificate.direction[:-1] + certificate.direction[-1]) > 0.0)
    assert certificate.verify(problem, solution.point).holds
    assert "no minimiser" in certificate.sentence()


def test_quasi_separable_data_have_no_minimiser_either():
    X, y = quasi_separable()
    problem = er.EmpiricalRisk(X, y, "logistic", l2=0.0)
    solution = er.minimize(problem)
    assert solution.status is er.Status.UNATTAINED
    assert (solution.certificate.n_positive, solution.certificate.n_zero) == (4, 2)
    assert solution.certificate.verify(problem, solution.point).holds


def test_rows_of_weight_zero_are_as_if_absent():
    X, y = separable()
    X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
    weights = np.append(np.ones(len(y) - 1), 0.0)
    assert er.minimize(er.EmpiricalRisk(X, y, l2=0.0, sample_weight=weights)).status is er.Status.UNATTAINED
    assert er.minimize(er.EmpiricalRisk(X, y, l2=0.0)).certified


@pytest.mark.parametrize(
    "options", [{"l2": 1e-3}, {"l2": 0.0, "l1": 1e-3}, {"l2": 0.0, "constraint": "l2_ball:radius=5"}]
)
def test_whatever_holds_the_weights_makes_a_minimiser(options):
    X, y = separable()
    assert er.minimize(er.EmpiricalRisk(X, y, **options)).certified


def test_losses_that_reach_their_least_value_are_certified():
    X, y = separable()
    solution = er.minimize(er.EmpiricalRisk(X, y, "squared_hinge", l2=0.0))
    assert solution.certified
    assert solution.objective <= 1e-12


def test_overlapping_data_are_certified_with_a_radius():
    X, y = separable()
    y = y.copy()
    y[:15] *= -1.0
    problem = er.EmpiricalRisk(X, y, l2=0.0)
    solution = er.minimize(problem)
    assert solution.certified
    radius = solution.certificate.weights_radius
    assert 1.0 <= radius < math.inf
    assert f"norm up to {radius:g}" in solution.certificate.sentence()
    assert solution.certificate.verify(problem, solution.point).holds
    wider = solution.certificate._replace(weights_radius=10.0 * radius)
    assert not wider.verify(problem, solution.point).holds


def test_an_intercept_that_the_problem_does_not_have_moves_nothing():
    problem = er.EmpiricalRisk(np.array([[1.0], [-1.0]]), np.ones(2), l2=0.0, fit_intercept=False)
    solution = er.minimize(problem)
    assert solution.certified
    forged = er.UnattainedInfimum(solution.objective, 2, 0, np.array([0.0, 1.0]))
    assert (
        not forged.about(LinearPoint(solution.weights, 0.0)).verify(problem, LinearPoint(solution.weights, 0.0)).holds
    )


def test_false_claims_do_not_verify():
    X, y = separable()
    problem = er.EmpiricalRisk(X, y, l2=0.0)
    solution = er.minimize(problem)
    w, b, certificate = solution.weights, solution.intercept, solution.certificate
    assert not certificate._replace(direction=-certificate.direction).verify(problem, LinearPoint(w, b)).holds
    assert (
        not certificate._replace(n_positive=certificate.n_positive - 1, n_zero=1)
        .verify(problem, LinearPoint(w, b))
        .holds
    )
    assert not certificate.verify(er.EmpiricalRisk(X, -y, l2=0.0), LinearPoint(w, b)).holds
    assert not certificate.verify(er.EmpiricalRisk(X, y, l2=0.1), LinearPoint(w, b)).holds
    assert not certificate.verify(problem, LinearPoint(2.0 * w, b)).holds
    assert not certificate._replace(direction=np.zeros(9)).verify(problem, LinearPoint(w, b)).holds
    assert not certificate._replace(objective=certificate.objective + 1e-3).verify(problem, LinearPoint(w, b)).holds
    assert not certificate._replace(direction=certificate.direction * np.nan).verify(problem, LinearPoint(w, b)).holds
    again = certificate_from_json(certificate.to_json(), certificate.arrays())
    assert again.verify(problem, LinearPoint(w, b)).holds


def test_margins_that_underflow_are_decided_exactly():
    """Rows x and -2 x with one label: no plane separates them, though products near 2^-1074 sum to what they like."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, direction = np.ldexp(rng.standard_normal((2, 6)), -537)
        problem = er.EmpiricalRisk(np.array([x, -2.0 * x]), np.ones(2), l2=0.0, fit_intercept=False)
        point = LinearPoint(direction, 0.0)
        assert separating_point(problem, point, math.log(2.0)) is None
        claim = UnattainedInfimum(math.log(2.0), 2, 0, np.append(direction, 0.0)).about(point)
        assert not claim.verify(problem, point).holds

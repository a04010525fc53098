"""Losses that are not convex get a certificate of stationarity."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import certificate_from_json, certify, duality_gap
from empirisk.certificates.stationarity import stationarity
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from empirisk.solution import Status

pytestmark = pytest.mark.interpreted


class Sigmoid(NamedTuple):
    """1 / (1 + exp(y z)): a smooth stand-in for the zero-one loss."""

    scale: float = 1.0

    def tasks(self):
        return ("classification",)

    def is_convex(self):
        return False

    def value(self, z, y):
        return 1.0 / (1.0 + math.exp(min(y * z, 700.0)))

    def derivative(self, z, y):
        p = self.value(z, y)
        return -y * p * (1.0 - p)


def pose(**options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] + 0.5 * rng.normal(size=80) > 0, 1.0, -1.0)
    return er.EmpiricalRisk(X, y, Sigmoid(), **{"l2": 0.01, **options})


@pytest.mark.parametrize("options", [{}, {"l1": 0.01}, {"constraint": "l2_ball:radius=2"}, {"fit_intercept": False}])
def test_the_gradient_vanishes_at_the_answer(options):
    problem = pose(**options)
    solution = er.minimize(problem, tol=1e-6, max_passes=5000)
    assert solution.certified, solution.status
    assert isinstance(solution.certificate, er.Stationarity)
    assert solution.certificate.relative_gap <= 1e-6
    assert solution.certificate.verify(problem, solution.point).holds
    assert "not convex" in solution.certificate.sentence()


def test_the_norm_is_that_of_the_gradient():
    problem = pose()
    w, b, step = np.array([0.3, -0.2, 0.1]), 0.1, 1e-6

    def objective(x):
        scores = problem.rows.whole().values @ x[:3] + x[3]
        return np.mean(1 / (1 + np.exp(problem.labels * scores))) + 0.005 * x[:3] @ x[:3]

    x = np.append(w, b)
    slopes = [(objective(x + step * e) - objective(x - step * e)) / (2 * step) for e in np.eye(4)]
    certificate = certify(problem, LinearPoint(w, b))
    assert certificate.gap == pytest.approx(np.linalg.norm(slopes), rel=1e-6)
    assert certificate.objective == pytest.approx(objective(x), rel=1e-12)


def test_false_claims_do_not_verify():
    problem = pose()
    solution = er.minimize(problem)
    w, b, certificate = solution.weights, solution.intercept, solution.certificate
    assert not certificate._replace(gap=0.5 * certificate.gap).verify(problem, LinearPoint(w, b)).holds
    assert not certificate._replace(objective=certificate.objective - 1e-3).verify(problem, LinearPoint(w, b)).holds
    assert not certificate._replace(scale=2.0 * certificate.scale).verify(problem, LinearPoint(w, b)).holds
    assert not certificate.verify(problem, LinearPoint(w + 1e-9, b)).holds
    again = certificate_from_json(certificate.to_json(), certificate.arrays())
    assert again == certificate


def test_no_duality_gap_is_claimed():
    with pytest.raises(Unsupported, match="not convex"):
        duality_gap(pose(), LinearPoint(np.zeros(3), 0.0))


class Flat(NamedTuple):
    """A loss that counts, and has no slope anywhere."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * (1.0 if y * z <= 0.0 else 0.0)

    def derivative(self, z, y):
        return 0.0

    def is_convex(self):
        return False


def test_a_flat_loss_is_not_certified_and_says_why():
    X, y = np.random.default_rng(0).normal(size=(10, 2)), np.tile([-1.0, 1.0], 5)
    for options in ({"l2": 0.1}, {"l1": 0.1, "l2": 0.0}):
        solution = er.minimize(er.EmpiricalRisk(X, y, Flat(), **options))
        assert not solution.certified
        assert solution.status is Status.FLAT
        assert "flat" in solution.certificate.sentence()
        assert "flat" in solution.certificate.words(1e-6).shortfall
        assert er.verify(solution, er.EmpiricalRisk(X, y, Flat(), **options)).holds


def test_a_small_slope_does_not_certify_a_convex_problem():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.tile([-1.0, 1.0], 10)
    problem = er.EmpiricalRisk(X, y, "logistic", l2=1e-4)
    solution = er.minimize(problem)
    lesser = stationarity(problem, solution.point).about(solution.point)
    assert not lesser.verify(problem, solution.point).holds

"""The gap is never below the true suboptimality, and `verify` believes nothing."""

import json
import math
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import certificate_from_json, duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from tests.certificates.reference import objective, polish

SMOOTH = ("logistic", "squared_hinge", "squared")


def random_problem(seed, *, intercept, weighted, n=None, d=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(2, 30)), d or int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    y[:2] = -1.0, 1.0
    s = rng.integers(0, 4, size=n).astype(float) + rng.random() if weighted else None
    l2 = 10.0 ** rng.uniform(-4, 0)
    return X, y, s, float(l2), intercept


def true_value(name, X, y, s, l1, l2, w, b):
    return objective(name, X, y, np.ones(len(y)) if s is None else s, l1, l2, w, b)


@pytest.mark.parametrize("name", SMOOTH)
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    intercept=st.booleans(),
    weighted=st.booleans(),
    far=st.floats(-14, 1),
)
def test_gap_is_never_below_the_suboptimality(name, seed, intercept, weighted, far):
    X, y, s, l2, intercept = random_problem(seed, intercept=intercept, weighted=weighted)
    problem = er.EmpiricalRisk(X, y, name, l2=l2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, "newton", tol=1e-13)
    ones = np.ones(len(y)) if s is None else s
    minimum = polish(name, X, y, ones, l2, solution.weights, solution.intercept, intercept)
    rng = np.random.default_rng(seed)
    for w, b in (
        (solution.weights, solution.intercept),
        (
            solution.weights + 10.0**far * rng.normal(size=X.shape[1]),
            solution.intercept + (10.0**far * rng.normal() if intercept else 0.0),
        ),
    ):
        certificate = duality_gap(problem, LinearPoint(w, b))
        value = true_value(name, X, y, s, 0.0, l2, w, b)
        assert certificate.gap >= value - minimum
        assert abs(certificate.objective - value) <= certificate.rounding
        assert certificate.about(LinearPoint(w, b)).verify(problem, LinearPoint(w, b)).holds


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), intercept=st.booleans(), weighted=st.booleans(), l1=st.sampled_from([0.0, 0.05]))
def test_gap_of_the_hinge_is_never_below_the_suboptimality(seed, intercept, weighted, l1):
    X, y, s, l2, intercept = random_problem(seed, intercept=intercept, weighted=weighted)
    problem = er.EmpiricalRisk(X, y, "hinge", l1=l1, l2=l2, sample_weight=s, fit_intercept=intercept)
    best = min(
        true_value("hinge", X, y, s, l1, l2, solution.weights, solution.intercept)
        for solution in (er.minimize(problem, "sdca", tol=1e-13, max_passes=400, seed=k) for k in (0, 1))
    )
    for passes in (1, 7, 50):
        solution = er.minimize(problem, "sdca", tol=1e-13, max_passes=passes)
        value = true_value("hinge", X, y, s, l1, l2, solution.weights, solution.intercept)
        assert solution.certificate.gap >= value - best
        assert solution.certificate.verify(problem, solution.point).holds


@pytest.mark.parametrize("intercept", [False, True])
def test_the_gap_of_a_smooth_loss_without_intercept_is_the_gradient_norm(intercept):
    X, y, _, l2, _ = random_problem(5, intercept=intercept, weighted=False, n=40, d=3)
    problem = er.EmpiricalRisk(X, y, "logistic", l2=l2, fit_intercept=False)
    w = np.array([0.1, -0.2, 0.3])
    z = X @ w
    gradient = -(y / (1 + np.exp(y * z))) @ X / len(y) + l2 * w
    assert duality_gap(problem, LinearPoint(w, 0.0)).gap == pytest.approx(gradient @ gradient / (2 * l2), rel=1e-9)


def test_kinks_without_a_dual_point_leave_a_gap():
    """What DESIGN measured: the dual point of the hinge must come from the solver."""
    _, y, _, _, _ = random_problem(3, intercept=False, weighted=False, n=60, d=2)
    X = np.random.default_rng(3).normal(size=(60, 2)) + 0.5 * y[:, None]
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.1, fit_intercept=False)
    solution = er.minimize(problem, tol=1e-9)
    assert solution.certified
    assert 0 < solution.certificate.dual_rows.size < 30
    assert duality_gap(problem, LinearPoint(solution.weights, 0.0)).gap > 1e3 * solution.certificate.gap


@pytest.fixture(scope="module", params=["logistic", "hinge"])
def fitted(request):
    X, y, _, _, _ = random_problem(11, intercept=True, weighted=False, n=50, d=3)
    problem = er.EmpiricalRisk(X, y, request.param, l2=0.05)
    return problem, er.minimize(problem, tol=1e-7)


def test_json_round_trip(fitted):
    problem, solution = fitted
    again = certificate_from_json(json.loads(json.dumps(solution.certificate.to_json())), solution.certificate.arrays())
    assert again.verify(problem, solution.point).holds
    assert again.to_json() == solution.certificate.to_json()


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="unknown kind"):
        certificate_from_json({"kind": "faith"}, {})


@pytest.mark.parametrize(
    "change",
    [
        {"gap": 0.0},
        {"objective": 0.0},
        {"dual_value": 10.0},
        {"subject": "00"},
        {"scale": 1e9},
        {"rounding": 1e3, "objective": 1e-3, "dual_value": 1e-3, "scale": 1e3},
    ],
)
def test_false_claims_do_not_verify(fitted, change):
    problem, solution = fitted
    assert not solution.certificate._replace(**change).verify(problem, solution.point).holds


@pytest.mark.parametrize("factor", [1 + 1e-15, 1 + 1e-9, 1.1, 0.0])
def test_other_weights_do_not_verify(fitted, factor):
    problem, solution = fitted
    w = solution.weights.copy()
    w[0] *= factor
    assert not solution.certificate.verify(problem, LinearPoint(w, solution.intercept)).holds
    # Nor when the digest of the weights is forged too, once the change is large enough to matter.
    if abs(factor - 1) > 1e-3:
        assert (
            not solution.certificate.about(LinearPoint(w, solution.intercept))
            .verify(problem, LinearPoint(w, solution.intercept))
            .holds
        )


def test_a_forged_dual_point_does_not_verify():
    X, y, _, _, _ = random_problem(11, intercept=True, weighted=False, n=50, d=3)
    problem = er.EmpiricalRisk(X, y, "hinge", l2=0.05)
    solution = er.minimize(problem, tol=1e-7)
    certificate = solution.certificate
    for values in (certificate.dual_values * 1e6, -certificate.dual_values, np.zeros_like(certificate.dual_values)):
        forged = certificate._replace(dual_values=values)
        assert not forged.verify(problem, solution.point).holds
    for far in (10**6, 2**61):
        outside = certificate._replace(dual_rows=certificate.dual_rows + far)
        assert "rows that the data do not have" in outside.verify(problem, solution.point).sentence


def test_sparse_and_dense_agree(fitted):
    problem, solution = fitted
    X = scipy.sparse.csr_array(problem.rows.whole().values)
    sparse = er.EmpiricalRisk(X, problem.labels, problem.loss, l2=0.05)
    assert solution.certificate.verify(sparse, solution.point).holds


def test_far_intercepts_are_proven_away(fitted):
    _, solution = fitted
    assert math.isinf(solution.certificate.radius)
    assert "any intercept" in solution.certificate.sentence()


@pytest.mark.parametrize("name", SMOOTH)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_intercept_bound_holds(name, seed):
    from empirisk.certificates.constant_scores import label_masses
    from empirisk.certificates.intercept_bound import intercept_bound

    X, y, _, l2, _ = random_problem(seed, intercept=True, weighted=False)
    problem = er.EmpiricalRisk(X, y, name, l2=l2)
    solution = er.minimize(problem, "newton", tol=1e-12)
    lengths = np.sqrt((X**2).sum(axis=1))
    norms = float(lengths.max()), float(lengths.mean())
    for w, b in ((np.zeros(X.shape[1]), 0.0), (solution.weights, solution.intercept)):
        value = float(true_value(name, X, y, None, 0.0, l2, w, b))
        longest = math.sqrt(2.0 * value / l2)
        bound = intercept_bound(problem, label_masses(problem), value, longest, b, *norms)
        assert bound >= abs(solution.intercept) * (1 - 1e-9)


def test_one_long_row_does_not_spoil_the_certificate():
    X, y, _, _, _ = random_problem(5, intercept=True, weighted=False)
    X[0] *= 1e9 / np.linalg.norm(X[0])
    solution = er.minimize(er.EmpiricalRisk(X, y, "logistic", l2=0.0, constraint="l2_ball:radius=5"), tol=1e-7)
    assert solution.certified
    assert math.isinf(solution.certificate.radius)


def test_what_cannot_be_certified_is_refused():
    X, y, _, _, _ = random_problem(1, intercept=False, weighted=False)
    with pytest.raises(Unsupported, match="not convex"):
        duality_gap(er.EmpiricalRisk(X, y, er.ZeroOne()), LinearPoint(np.zeros(X.shape[1]), 0.0))


class Counts(NamedTuple):
    """A loss that takes negative values: exp(z) - y z, the negative log-likelihood of counts."""

    scale: float = 1.0

    def value(self, z, y):
        return math.exp(min(z, 700.0)) - y * z

    def derivative(self, z, y):
        return math.exp(min(z, 700.0)) - y

    def second_derivative(self, z, y):
        return math.exp(min(z, 700.0))

    def conjugate(self, u, y):
        t = u + y
        if t < 0.0:
            return math.inf
        return t * math.log(t) - t if t > 0.0 else 0.0


@pytest.mark.interpreted
def test_a_loss_with_negative_values_is_certified_at_its_minimum_only():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.round(50 + 10 * np.random.default_rng(1).random(30))
    problem = er.EmpiricalRisk(X, y, Counts(), l2=0.1)
    far = duality_gap(problem, LinearPoint(np.zeros(2), 2.0))
    solution = er.minimize(problem, tol=1e-8)
    assert solution.certified
    assert solution.objective < -100.0
    assert far.gap >= far.objective - solution.objective


def test_an_intercept_that_the_problem_does_not_have_is_refused():
    X, y, _, _, _ = random_problem(2, intercept=False, weighted=False)
    problem = er.EmpiricalRisk(X, y, l2=0.1, fit_intercept=False)
    with_intercept = er.minimize(er.EmpiricalRisk(X, y, l2=0.1))
    b = with_intercept.intercept or 0.5
    assert (
        not with_intercept.certificate.about(LinearPoint(with_intercept.weights, b))
        .verify(problem, LinearPoint(with_intercept.weights, b))
        .holds
    )
    with pytest.raises(ValueError, match="without one"):
        duality_gap(problem, LinearPoint(with_intercept.weights, b))
    with pytest.raises(ValueError, match="weights for"):
        duality_gap(problem, LinearPoint(np.zeros(X.shape[1] + 1), 0.0))


@pytest.mark.parametrize("radius", [-math.inf, math.nan, -1.0])
def test_a_radius_that_means_nothing_does_not_verify(fitted, radius):
    problem, solution = fitted
    assert not solution.certificate._replace(radius=radius).verify(problem, solution.point).holds


@pytest.mark.parametrize("weighted", [False, True])
def test_the_charge_for_the_intercept_is_an_upper_bound(weighted):
    """The residual of the repaired dual point, against exact rationals."""
    from fractions import Fraction

    from empirisk.certificates.conjugates import conjugates_of
    from empirisk.certificates.scores_and_duals import Duals

    for seed in range(40):
        X, y, s, l2, _ = random_problem(seed, intercept=True, weighted=weighted, n=7)
        problem = er.EmpiricalRisk(X, y, "squared", l2=l2, sample_weight=s)
        u = np.random.default_rng(seed).normal(size=7)
        u -= u.mean()
        weights = [Fraction(x) for x in (problem.weights if weighted else np.ones(7))]
        duals = Duals(u, np.empty(0), np.empty(0))
        claimed = conjugates_of(problem, duals, 1.0, 1.0).residual
        exact = abs(sum(w * Fraction(x) for w, x in zip(weights, u.tolist(), strict=True))) / sum(weights)
        assert Fraction(claimed) * (1 + Fraction(1, 10**14)) >= exact

"""The gap under every kind of Omega is never below the suboptimality, at points near and far."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint

OMEGAS = {
    "none": {},
    "l1": {"l1": 0.03},
    "elastic": {"l1": 0.03, "l2": 0.05},
    "l2_ball": {"constraint": "l2_ball:radius=0.7"},
    "l1_ball": {"constraint": "l1_ball:radius=0.7", "l1": 0.02},
    "simplex": {"constraint": "simplex:radius=2", "l2": 0.03},
    "non_negative": {"constraint": "box"},
    "non_negative_l1": {"constraint": "box", "l1": 0.03},
    "box": {"constraint": "box:low=0.1,high=0.6", "l1": 0.02},
    "half_space": {"constraint": er.HalfSpace(np.array([1.0, -2.0, 0.5]), -0.5)},
    "groups": {"regularizer": er.group_lasso([[0, 2], [1]], 0.05)},
    "entropy": {"regularizer": er.NegativeEntropy(0.1), "constraint": "simplex"},
}


def pose(loss, seed, intercept, options):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    X = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-1, 2)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    y[:4] = -1.0, 1.0, -1.0, 1.0
    s = rng.integers(1, 4, size=n).astype(float)
    return er.EmpiricalRisk(X, y, loss, **{"l2": 0.0, **options}, sample_weight=s, fit_intercept=intercept)


@pytest.mark.parametrize("name", OMEGAS)
@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    intercept=st.booleans(),
    far=st.floats(-10, 1),
    loss=st.sampled_from(["squared", "huber"]),
)
def test_gap_is_never_below_the_suboptimality(name, seed, intercept, far, loss):
    problem = pose(loss, seed, intercept, OMEGAS[name])
    best = er.minimize(problem, tol=1e-11, max_passes=2000)
    rng = np.random.default_rng(seed)
    w = best.weights + 10.0**far * rng.normal(size=3)
    problem.regularizer.prox(w.copy(), 0.0, w)
    b = best.intercept + (10.0**far * rng.normal() if intercept else 0.0)
    certificate = duality_gap(problem, LinearPoint(w, b))
    assert certificate.gap >= certificate.objective - best.objective
    assert certificate.about(LinearPoint(w, b)).verify(problem, LinearPoint(w, b)).holds
    if np.isfinite(certificate.weights_radius):  # a claim about a ball: the minimiser must be in it to be compared
        assert certificate.weights_radius >= np.linalg.norm(w)


@pytest.mark.parametrize("name", OMEGAS)
def test_a_point_outside_of_the_constraint_proves_nothing(name):
    problem = pose("squared", 0, True, OMEGAS[name])
    outside = np.full(3, 1e3)
    held = "constraint" in OMEGAS[name] and name not in ("non_negative", "non_negative_l1", "half_space")
    assert np.isinf(duality_gap(problem, LinearPoint(outside, 0.0)).gap) == held
    if name in ("non_negative", "non_negative_l1"):
        assert np.isinf(duality_gap(problem, LinearPoint(-outside, 0.0)).gap)


def test_the_rounding_of_v_is_charged_where_nothing_is_scaled():
    """Large rows cancel exactly, small ones add up to what the plain sum loses; against exact rationals."""
    from fractions import Fraction

    n = 8192
    X = np.full((n, 1), 1e-16)
    X[0], X[-1] = 1.0, -1.0
    y = np.full(n, 1e-3)
    y[0] = y[-1] = 1e7 + 1.0
    problem = er.EmpiricalRisk(X, y, "absolute", l2=0.0, fit_intercept=False)
    w = np.array([-1e6])
    certificate = duality_gap(problem, LinearPoint(w, 0.0))

    def value(at):
        terms = (abs(Fraction(x) * at - Fraction(t)) for x, t in zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return sum(terms) / n

    radius = Fraction(certificate.weights_radius)
    assert certificate.gap >= value(Fraction(-1e6)) - min(value(radius), value(-radius))


def test_the_norm_of_a_minimiser_far_from_zero_is_bounded():
    from empirisk.certificates.penalty_dual import reach_of

    problem = er.EmpiricalRisk(np.ones((4, 1)), np.zeros(4), "squared", l2=1.0, constraint=er.Box(low=5.0))
    solution = er.minimize(problem)
    assert solution.certified
    reach, assumed = reach_of(problem, solution.weights, solution.objective, 1.0, 1.0)
    assert not assumed
    assert reach >= 5.0

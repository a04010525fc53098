"""Certificates from the moments of the data: what they claim is true of the exact numbers, and a pass agrees."""

import importlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import DualityGap, duality_gap
from empirisk.certificates.moment_value import gap_from_moments
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import moments_of


def make(seed, n=12, d=3, offset=0.0, weighted=False, scale=1.0, **options):
    rng = np.random.default_rng(seed)
    X = scale * (rng.normal(size=(n, d)) + offset)
    y = X @ rng.normal(size=d) + rng.normal(size=n)
    s = rng.integers(0, 3, n).astype(float) + (np.arange(n) == 0) if weighted else None
    return X, y, s, er.EmpiricalRisk(X, y, "squared", sample_weight=s, **options)


def exact(X, y, s, problem, l1, w, b):
    """The objective in fractions."""
    weights = [Fraction(float(t)) for t in (np.ones(len(y)) if s is None else s)]
    total = Fraction(0)
    for row, label, weight in zip(X, y, weights, strict=True):
        score = sum(Fraction(float(a)) * Fraction(float(c)) for a, c in zip(row, w, strict=True)) + Fraction(float(b))
        total += weight * (score - Fraction(float(label))) ** 2 / 2
    size = sum(abs(Fraction(float(c))) for c in w)
    square = sum(Fraction(float(c)) ** 2 for c in w)
    return total / sum(weights) + Fraction(l1) * size + Fraction(problem.regularizer.l2) * square / 2


@given(
    st.integers(0, 2**31),
    st.sampled_from([(0.0, 0.1), (0.3, 0.0), (0.3, 0.01), (0.0, 1e-9)]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 1.0, 1e4]),
    st.sampled_from([1e-200, 1e-8, 1.0, 1e8]),
    st.sampled_from([0.0, 1e-9, 1e-3, 1.0]),
)
def test_the_claim_is_true_of_the_exact_numbers(seed, strengths, fit_intercept, weighted, offset, scale, noise):
    l1, l2 = strengths
    parts = make(seed, offset=offset, weighted=weighted, scale=scale, l1=l1, l2=l2, fit_intercept=fit_intercept)
    problem = parts[-1]
    best = er.minimize(problem, tol=1e-9)
    w = best.weights * (1.0 + noise * np.random.default_rng(seed).normal(size=3))
    b = best.intercept
    claim = gap_from_moments(problem, LinearPoint(w, b, moments_of(problem)))
    if claim is None:
        return
    objective = exact(*parts, l1, w, b)
    assert abs(objective - Fraction(claim.objective)) <= Fraction(claim.rounding)
    least = min(exact(*parts, l1, best.weights, best.intercept), exact(*parts, l1, w, b))
    assert least >= Fraction(claim.objective) - Fraction(claim.gap)
    verdict = claim.about(LinearPoint(w, b)).verify(problem, LinearPoint(w, b))
    assert verdict.holds, verdict.sentence


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("strengths", [{"l1": 0.2, "l2": 0.0}, {"l2": 0.01}, {"constraint": er.Box(-0.5, 0.5)}])
def test_a_run_ends_on_its_moments(fit_intercept, strengths, monkeypatch):
    """No pass of a certificate is made; what is claimed survives JSON and holds for a pass."""
    problem = make(0, n=200, **{"l2": 0.0} | strengths, fit_intercept=fit_intercept)[-1]
    monkeypatch.setattr(importlib.import_module("empirisk.certificates.certify"), "duality_gap", None)
    solution = er.minimize(problem)
    monkeypatch.undo()
    assert solution.certified
    back = DualityGap.from_json(solution.certificate.to_json(), solution.certificate.arrays())
    verdict = back.verify(problem, solution.point)
    assert verdict.holds, verdict.sentence
    assert duality_gap(problem, solution.point).gap <= back.gap


def test_more_digits_than_moments_have_take_a_pass():
    problem = make(0, n=200, l2=0.01)[-1]
    loose, strict = er.minimize(problem), er.minimize(problem, tol=1e-12)
    assert strict.certificate.rounding < 0.1 * loose.certificate.rounding
    assert strict.certified


def test_where_moments_do_not_suffice():
    X, y, _, free = make(0, l2=0.0)
    assert gap_from_moments(free, LinearPoint(np.zeros(3), 0.0, moments_of(free))) is None  # no bound on the weights
    huber = er.EmpiricalRisk(X, y, "huber", l2=0.1)
    assert gap_from_moments(huber, LinearPoint(np.zeros(3), 0.0, moments_of(free))) is None
    assert er.minimize(free).certified


@given(
    st.integers(0, 2**31), st.sampled_from([20, 300]), st.sampled_from([1e-130, 1e-60, 1e-9, 1e-4, 1e-3]), st.booleans()
)
def test_small_targets_are_confirmed_by_a_pass(seed, n, size, has_l1):
    """A pass charges for rounding next to one, whatever the size of the targets."""
    X, y, _, _ = make(seed, n=n)
    strengths = {"l1": 0.01 * size, "l2": 0.0} if has_l1 else {"l2": 0.01}
    problem = er.EmpiricalRisk(X, size * y, "squared", **strengths, fit_intercept=False)
    solution = er.minimize(problem)
    verdict = solution.certificate.verify(problem, solution.point)
    assert verdict.holds, verdict.sentence


@pytest.mark.parametrize("y", [[1e154, 1e154], [1e155, 2e155]])
def test_squares_that_overflow_are_no_exception(y):
    problem = er.EmpiricalRisk(np.array([[1.0], [2.0]]), np.array(y), "squared", l2=1e-3)
    solution = er.minimize(problem)
    assert np.all(np.isfinite(solution.weights))
    assert solution.certified == solution.certificate.verify(problem, solution.point).holds


def test_a_start_at_the_edge_of_a_box():
    """By rounding outside, it counts as inside: a pass decides."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 2))
    problem = er.EmpiricalRisk(X, X @ [1.0, 2.0], "squared", l2=1e-6, constraint=er.Box(-0.5, 0.5), fit_intercept=False)
    first = er.minimize(problem)
    again = er.minimize(problem, start=(first.weights * (1.0 + 5e-13), first.intercept))
    assert again.certified


@pytest.mark.parametrize("tol", [1e-6, 0.5])
def test_a_false_claim_is_refused_whatever_it_says_of_its_rounding(tol):
    problem = make(0, n=200, l2=0.01)[-1]
    best = er.minimize(problem)
    w = best.weights * (1.0 + tol)
    claim = duality_gap(problem, LinearPoint(w, best.intercept)).about(LinearPoint(w, best.intercept))
    assert claim.verify(problem, LinearPoint(w, best.intercept)).holds
    for false in (
        claim._replace(objective=claim.objective - claim.gap, rounding=claim.gap),
        claim._replace(dual_value=claim.dual_value + claim.gap, rounding=claim.gap),
        claim._replace(objective=-1e9, dual_value=7.0, rounding=1e12, gap=1e12, scale=1e12),
        claim._replace(rounding=1e12),
    ):
        assert not false.verify(problem, LinearPoint(w, best.intercept)).holds


@pytest.mark.parametrize("name", ["objective", "dual_value", "rounding", "gap", "scale"])
@pytest.mark.parametrize("factor", [0.01, 1.001, 1e6])
def test_a_changed_claim_is_refused_or_weaker(name, factor):
    """Its own word on rounding does not help a false claim: it counts in the gap."""
    problem = make(0, n=200, l2=0.01)[-1]
    solution = er.minimize(problem)
    point = solution.weights, solution.intercept
    claim = solution.certificate._replace(**{name: factor * getattr(solution.certificate, name)})
    if claim.verify(problem, LinearPoint(*point)).holds:
        weaker = {"gap": factor > 1.0, "scale": factor < 1.0, "rounding": claim.rounding <= claim.gap}
        assert weaker.get(name, False)
    false = claim._replace(objective=0.5 * claim.objective, rounding=claim.objective)
    assert not false.verify(problem, LinearPoint(*point)).holds

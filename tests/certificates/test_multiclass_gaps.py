"""The gaps of multi-class problems are never below the true suboptimality, and `verify` believes nothing."""

import json
import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates.class_gaps import ClassGaps, class_gaps
from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.losses import Hinge, Logistic
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.solvers.fista import FISTA
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.newton import Newton
from empirisk.vector_losses import OneVersusRest, Softmax

LONG = np.longdouble


def objective(X, y, s, l1, l2, scale, w, b):
    """In 80-bit arithmetic."""
    w, s = np.asarray(w, LONG), np.asarray(s, LONG)
    Z = np.array([[np.sum(np.asarray(row, LONG) * v) for v in w] for row in X], LONG) + np.asarray(b, LONG)
    best = Z.argmax(axis=1)
    rows, top = np.arange(len(y)), Z.max(axis=1)
    terms = np.exp(Z - top[:, None])
    terms[rows, best] = 0  # one, which log1p adds: the logarithm of 1 + 1e-7 would lose half of the digits
    risk = np.log1p(terms.sum(axis=1)) + (top - Z[rows, y])
    return LONG(scale) * np.sum(s * risk) / s.sum() + LONG(l1) * np.abs(w).sum() + LONG(l2) / 2 * np.sum(w * w)


def minimiser(problem, solver, steps):
    state = solver.init(problem, problem.zero())
    for _ in range(steps):
        state = solver.step(problem, state)
    return solver.point(state)


def random_problem(seed, intercept, weighted, l1=0.0, l2=None):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(6, 30)), int(rng.integers(1, 5)), int(rng.integers(2, 6))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 2)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    s = rng.integers(0, 4, n) + rng.random() if weighted else np.ones(n)
    drawn = float(10.0 ** rng.uniform(-3, 0))
    l2 = drawn if l2 is None else l2
    scale = float(rng.choice([1.0, 2.5]))
    rows = scipy.sparse.csr_array(X) if seed % 2 else X
    problem = MulticlassRisk(
        rows, y, k, Softmax(scale), l1=l1, l2=l2, sample_weight=s if weighted else None, fit_intercept=intercept
    )
    return problem, lambda w, b: objective(X, y, s, l1, l2, scale, w, b), rng


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), intercept=st.booleans(), weighted=st.booleans(), far=st.floats(-14, 1))
def test_gap_is_never_below_the_suboptimality(seed, intercept, weighted, far):
    problem, value, rng = random_problem(seed, intercept, weighted)
    w, b, _ = minimiser(problem, Newton("cholesky"), 25)
    minimum = value(w, b)
    assert duality_gap(problem, LinearPoint(w, b)).relative_gap <= 1e-9
    moved = w + 10.0**far * rng.normal(size=w.shape), b + intercept * 10.0**far * rng.normal(size=b.shape)
    for at in ((w, b), moved, problem.zero()[:2]):
        certificate = duality_gap(problem, LinearPoint(*at))
        exact = value(*at)
        assert certificate.gap >= exact - minimum
        assert abs(certificate.objective - exact) <= certificate.rounding
        assert certificate.about(LinearPoint(*at)).verify(problem, LinearPoint(*at)).holds
        assert math.isinf(certificate.radius)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), far=st.floats(-8, 0))
def test_gap_with_l1_is_never_below_the_suboptimality(seed, weighted, far):
    problem, value, rng = random_problem(seed, True, weighted, l1=0.03)
    w, b, _ = minimiser(problem, MulticlassSDCA(), 300)
    for at in ((w, b), (w + 10.0**far * rng.normal(size=w.shape), b)):
        assert duality_gap(problem, LinearPoint(*at)).gap >= value(*at) - value(w, b)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    intercept=st.booleans(),
    weighted=st.booleans(),
    l1=st.sampled_from([0.3, 0.03, 0.0]),
    far=st.floats(-14, 1),
)
def test_gap_without_l2_is_never_below_the_suboptimality(seed, intercept, weighted, l1, far):
    problem, value, rng = random_problem(seed, intercept, weighted, l1, l2=0.0)
    w, b, _ = minimiser(problem, FISTA(), 150)
    moved = w + 10.0**far * rng.normal(size=w.shape), b + intercept * 10.0**far * rng.normal(size=b.shape)
    for at in ((w, b), moved, problem.zero()[:2]):
        certificate = duality_gap(problem, LinearPoint(*at))
        assert abs(certificate.objective - value(*at)) <= certificate.rounding
        assert certificate.about(LinearPoint(*at)).verify(problem, LinearPoint(*at)).holds
        if np.linalg.norm(w) <= certificate.weights_radius:  # else the claim does not reach as far as these weights
            assert certificate.gap >= value(*at) - value(w, b)
        assert math.isinf(certificate.weights_radius) or l1 == 0.0


@pytest.mark.parametrize("l1", [0.02, 0.0])
def test_without_l2_a_minimiser_is_certified(l1):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 3))
    y = np.argmax(X + 2.0 * rng.normal(size=(150, 3)), axis=1)
    problem = MulticlassRisk(X, y, 3, Softmax(1.0), l1=l1, l2=0.0)
    w, b, _ = minimiser(problem, FISTA(), 200)
    certificate = duality_gap(problem, LinearPoint(w, b))
    assert certificate.is_within(1e-9)
    assert math.isinf(certificate.radius)
    assert math.isinf(certificate.weights_radius) == (l1 > 0.0)
    # Between the minimiser and zero the gap falls with the suboptimality: it is no constant bound.
    gaps = [duality_gap(problem, LinearPoint(c * w, c * b)).gap for c in (0.0, 0.9, 0.999, 1.0)]
    assert gaps == sorted(gaps, reverse=True)


def test_the_radius_of_the_weights_is_said_and_checked():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 3, 80)
    problem = MulticlassRisk(X, y, 3, Softmax(1.0), l2=0.0)
    w, b, _ = minimiser(problem, FISTA(), 100)
    w *= 1.001
    certificate = duality_gap(problem, LinearPoint(w, b)).about(LinearPoint(w, b))
    assert certificate.weights_radius == pytest.approx(10.0 * np.linalg.norm(w))
    assert f"weights of norm up to {certificate.weights_radius:g}" in certificate.sentence()
    assert certificate.verify(problem, LinearPoint(w, b)).holds
    for radius in (math.inf, 1.01 * certificate.weights_radius, math.nan, -1.0):
        verdict = certificate._replace(weights_radius=radius).verify(problem, LinearPoint(w, b))
        assert not verdict.holds
        assert "radius of the weights" in verdict.sentence
    same = np.ascontiguousarray(w)  # another layout in memory, as read from a file
    assert certificate.verify(problem, LinearPoint(same, b)).holds
    written = json.loads(json.dumps(certificate.to_json()))
    assert DualityGap.from_json(written, {})[:8] == certificate[:8]


def test_a_class_without_rows_has_a_radius():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    problem = MulticlassRisk(X, y, 4, Softmax(1.0), l2=0.1)
    w, b, _ = minimiser(problem, Newton(), 20)
    certificate = duality_gap(problem, LinearPoint(w, b))
    assert 1.0 <= certificate.radius < math.inf
    assert "intercepts up to" in certificate.sentence()
    assert certificate.is_within(1e-6)
    assert b[3] < b[:3].min() - 5.0


@pytest.fixture(scope="module")
def softmax_case():
    problem, _, _ = random_problem(11, True, True)
    w, b, _ = minimiser(problem, Newton(), 12)
    return problem, w, b, duality_gap(problem, LinearPoint(w, b)).about(LinearPoint(w, b))


LIES = {
    "gap": lambda c: c._replace(gap=0.1 * c.gap),
    "objective": lambda c: c._replace(objective=c.objective * (1 + 1e-6)),
    "dual value": lambda c: c._replace(dual_value=c.dual_value * (1 - 1e-6)),
    "scale": lambda c: c._replace(scale=2.0 * c.scale),
    "radius": lambda c: c._replace(radius=math.nan),
    "other weights": lambda c: c._replace(subject="0" * 32),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_verify_rejects_lies(softmax_case, lie):
    problem, w, b, certificate = softmax_case
    assert certificate.verify(problem, LinearPoint(w, b)).holds
    assert not lie(certificate).verify(problem, LinearPoint(w, b)).holds


def test_verify_rejects_other_weights_and_other_data(softmax_case):
    problem, w, b, certificate = softmax_case
    assert not certificate.verify(problem, LinearPoint(1.001 * w, b)).holds
    other = w + 0.1
    assert not certificate.about(LinearPoint(other, b)).verify(problem, LinearPoint(other, b)).holds
    assert "do not fit" in certificate.about(LinearPoint(w[:-1], b)).verify(problem, LinearPoint(w[:-1], b)).sentence
    swapped = MulticlassRisk(
        problem.rows.whole(), problem.labels[::-1].copy(), problem.n_classes, problem.loss, l2=problem.regularizer.l2
    )
    assert not certificate.verify(swapped, LinearPoint(w, b)).holds


def test_the_gap_of_softmax_through_json(softmax_case):
    problem, w, b, certificate = softmax_case
    again = DualityGap.from_json(json.loads(json.dumps(certificate.to_json())), certificate.arrays())
    assert again[:8] == certificate[:8]
    assert again.verify(problem, LinearPoint(w, b)).holds
    assert certificate.with_evidence(LinearPoint(w, b)).dual is None
    assert not certificate.is_rounding_only() or certificate.gap <= 4 * certificate.rounding


def test_overflow_proves_nothing(softmax_case):
    problem, w, b, _ = softmax_case
    huge = np.full(w.shape, 1e200)
    certificate = duality_gap(problem, LinearPoint(huge, b))
    assert certificate.gap == math.inf
    assert "overflow" in certificate.about(LinearPoint(huge, b)).verify(problem, LinearPoint(huge, b)).sentence


def test_intercepts_in_a_problem_without_them():
    through_zero = MulticlassRisk(np.eye(3), np.arange(3), 3, Softmax(1.0), fit_intercept=False)
    with pytest.raises(ValueError, match="without them"):
        duality_gap(through_zero, LinearPoint(np.zeros((3, 3)), np.ones(3)))


@pytest.mark.parametrize("base", [Logistic(1.0), Hinge(1.0)], ids=str)
def test_class_gaps_are_those_of_the_classes(base):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    problem = MulticlassRisk(X, y, 3, OneVersusRest(base), l2=0.1)
    w, b, dual = minimiser(problem, MulticlassSDCA(), 300)
    certificate = class_gaps(problem, LinearPoint(w, b, dual)).about(LinearPoint(w, b))
    assert certificate.is_within(1e-5)
    singles = [
        duality_gap(problem.of_class(j), LinearPoint(w[j].copy(), float(b[j]), None if dual is None else dual[j]))
        for j in range(3)
    ]
    assert certificate.objective == pytest.approx(sum(gap.objective for gap in singles), rel=1e-14)
    assert certificate.gap == pytest.approx(sum(gap.gap for gap in singles), rel=1e-6)
    assert certificate.relative_gap == pytest.approx(max(gap.relative_gap for gap in singles), rel=1e-6)
    assert certificate.verify(problem, LinearPoint(w, b)).holds
    stored = certificate.with_evidence(LinearPoint(w, b)).dual
    assert (stored is None) == (base.__class__ is Logistic)
    again = ClassGaps.from_json(json.loads(json.dumps(certificate.to_json())), certificate.arrays())
    assert again.verify(problem, LinearPoint(w, b)).holds
    assert "3 classes" in again.sentence()


def test_class_gaps_fail_when_one_class_does():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    problem = MulticlassRisk(X, y, 3, OneVersusRest(Logistic(1.0)), l2=0.1)
    w, b, _ = minimiser(problem, Newton(), 10)
    good = class_gaps(problem, LinearPoint(w, b))
    assert good.is_within(1e-8)
    off = w.copy()
    off[1] += 0.1
    bad = class_gaps(problem, LinearPoint(off, b))
    assert not bad.is_within(1e-4)
    assert [gap.is_within(1e-8) for gap in bad.gaps] == [True, False, True]
    lie = bad._replace(gaps=(bad.gaps[0], good.gaps[1], bad.gaps[2])).about(LinearPoint(off, b))
    verdict = lie.verify(problem, LinearPoint(off, b))
    assert not verdict.holds
    assert verdict.sentence.startswith("Class 1")
    assert not good.about(LinearPoint(w, b)).verify(problem, LinearPoint(off, b)).holds
    assert not good.about(LinearPoint(w, b)).verify(problem.of_classes(0, 2), LinearPoint(w, b)).holds
    with pytest.raises(ValueError, match="do not fit 3 classes"):
        class_gaps(problem, LinearPoint(w[:2], b[:2]))


def test_the_assumed_radius_does_not_depend_on_the_order_of_the_weights_in_memory():
    rng, radii = np.random.default_rng(0), []
    for _ in range(60):
        problem = MulticlassRisk(rng.normal(size=(9, 3)), np.arange(9) % 4, 4, Softmax(), l2=0.0, fit_intercept=False)
        w = er.minimize(problem, "newton", max_passes=6).weights
        points = [LinearPoint(order(w), np.zeros(4)) for order in (np.ascontiguousarray, np.asfortranarray)]
        radii.append([duality_gap(problem, point).weights_radius for point in points])
    assert sum(math.isfinite(one) for one, _ in radii) > 10
    assert all(one == other for one, other in radii)

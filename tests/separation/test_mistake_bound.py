"""The bound on the mistakes: true of every run, recomputed by `verify`, and false after any tampering."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.separation.mistake_bound import MistakeBound
from empirisk.separation.perceptron import FORMS, perceptron
from tests.certificates.sealed import as_text, is_refused, sealed_again, through_text

pytestmark = pytest.mark.compiled

IRIS, SPECIES = load_iris(return_X_y=True)
SETOSA = SPECIES == 0
RANDOM = np.random.default_rng(1)
X = RANDOM.standard_normal((200, 4))
Y = np.where(X @ [1.0, 2.0, -1.0, 0.5] + 0.3 > 0.0, 1, 0)
START = (np.array([3.0, -20.0, 2.0, 1.0]), 5.0)


@st.composite
def separable_sets(draw):
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = random.standard_normal((n, d)) * 2.0 ** random.integers(-4, 5, d)
    scores = rows @ random.standard_normal(d)
    signs = np.where(scores > np.median(scores), 1, -1)
    start = (random.standard_normal(d) * 10.0, 0.5) if draw(st.booleans()) else None
    return rows, signs, start


@settings(max_examples=40)
@given(separable_sets(), st.sampled_from(FORMS), st.sampled_from(["cyclic", "random"]), st.booleans())
def test_the_theorem_holds_on_every_run(case, form, order, widest):
    rows, signs, start = case
    run = perceptron(rows, signs, form=form, order=order, start=start, max_passes=100, widest_gap=widest)
    claim = run.certificate
    assert claim.holds
    assert claim.counted <= claim.bound
    assert run.trace.holds
    assert claim.b_low <= claim.b_high * (1.0 + 1e-12)
    assert er.verify(claim, rows, signs).holds
    a, (inner, square) = claim.step, claim._start()
    assert (
        a * claim.mistakes + inner <= claim.b_high * math.sqrt(square + a**2 * claim.squares * claim.radius**2) * 1.0001
    )
    again = through_text(claim)
    assert as_text(again) == as_text(claim)
    assert er.verify(again, scipy.sparse.csr_array(rows), signs).holds


def test_the_three_inequalities_are_those_of_the_issue():
    online = perceptron(X, Y).certificate
    assert online.counted == online.mistakes
    assert online.bound == pytest.approx((online.radius * online.b_high) ** 2)
    batch = perceptron(X, Y, form="batch").certificate
    assert batch.counted == batch.mistakes**2 / batch.squares
    assert batch.bound == pytest.approx((batch.radius * batch.b_high) ** 2)
    moved = perceptron(X, Y, start=START).certificate
    # The bound is the largest t with t + <w*, w_0> <= B sqrt(||w_0||^2 + t R^2).
    inner, square = moved._start()

    def slack(t):
        return moved.b_high * math.sqrt(square + t * moved.radius**2) - t - inner

    assert slack(0.999 * moved.bound) > 0.0 > slack(1.001 * moved.bound)
    assert moved.mistakes <= moved.bound


def test_radius_and_norm_are_bounds_in_exact_arithmetic():
    run = perceptron(X, Y)
    points = [[Fraction(x) for x in (*row, 1.0)] for row in X.tolist()]
    assert max(sum(x * x for x in point) for point in points) <= Fraction(run.radius) ** 2
    assert run.b_low <= run.b_high
    plane = [*map(Fraction, run.plane.weights.tolist()), Fraction(run.plane.intercept)]
    margins = [
        (1 if y else -1) * sum(a * b for a, b in zip(plane, p, strict=True)) for y, p in zip(Y, points, strict=True)
    ]
    assert sum(a * a for a in plane) / min(margins) ** 2 <= Fraction(run.b_high) ** 2


def test_the_widest_gap_makes_the_bound_smaller():
    found, widest = perceptron(X, Y), perceptron(X, Y, widest_gap=True)
    assert widest.mistakes == found.mistakes
    assert widest.bound < 0.5 * found.bound
    assert widest.b_high <= widest.b_low * (1.0 + 1e-5)
    assert found.b_low <= widest.b_high  # two intervals for one number
    assert widest.b_low <= found.b_high
    assert er.verify(widest.certificate, X, Y).holds
    # The mistakes show a lower end: B >= t / ||w_t||.
    assert found.b_low == pytest.approx(found.mistakes / np.linalg.norm([*found.weights, found.intercept]))


def test_the_trace_is_that_of_the_run():
    run = perceptron(IRIS, SETOSA)
    plane = np.append(run.plane.weights, run.plane.intercept)
    points = np.where(SETOSA, 1.0, -1.0)[:, None] * np.c_[IRIS, np.ones(150)]
    w, inner, squares, visits = np.zeros(5), [], [], []
    for k in range(run.visits):
        if w @ points[k % 150] <= 0.0:
            w = w + points[k % 150]
            inner.append(plane @ w)
            squares.append(w @ w)
            visits.append(k + 1)
    trace = run.trace
    assert trace.mistakes.tolist() == list(range(1, run.mistakes + 1))  # so few are all noted
    assert trace.visits[:-1].tolist() == visits[:-1]
    np.testing.assert_allclose(trace.inner, inner)
    np.testing.assert_allclose(trace.squared_norm, squares)
    t = np.arange(1, run.mistakes + 1)
    np.testing.assert_allclose(trace.least_inner, t)
    np.testing.assert_allclose(trace.largest_squared_norm, t * run.radius**2)
    np.testing.assert_allclose(trace.least_cosine, np.sqrt(t) / (run.radius * np.linalg.norm(plane)))
    assert np.all(trace.cosine >= trace.least_cosine)
    assert trace.worst_inner == pytest.approx(np.min(inner / t - 1.0))
    assert trace.worst_norm == pytest.approx(np.min(1.0 - squares / (t * run.radius**2)))
    assert "held at every step" in trace.sentence()


def test_a_long_run_is_noted_at_growing_steps():
    run = perceptron(X, Y, max_passes=5000)
    noted = run.trace.mistakes
    assert noted[-1] == run.mistakes
    assert np.all(np.diff(noted) > 0)
    assert noted.size <= 20 + 10 * math.log(run.mistakes)


def test_a_trace_that_fails_is_told():
    trace = perceptron(X, Y).trace
    for field in ("worst_inner", "worst_norm", "worst_cosine"):
        wrong = trace._replace(**{field: -1e-6})
        assert not wrong.holds
        assert "did NOT hold" in wrong.sentence()


@pytest.fixture(scope="module")
def claim():
    return perceptron(X, Y, order="random", seed=3, start=START).certificate


FORGERIES = {
    "form": "averaged",
    "order": "cyclic",
    "step": 0.5,
    "seed": 4,
    "start_weights": (START[0] + 1.0),
    "start_intercept": 4.0,
    "visits": lambda claim: claim.visits + 200,
    "mistakes": lambda claim: claim.mistakes - 1,
    "squares": lambda claim: claim.squares + 1,
    "steps": lambda claim: claim.steps - 1,
    "errors": 1,
    "subject": "0" * 32,
}


def forged(claim, field):
    value = FORGERIES[field]
    return claim._replace(**{field: value(claim) if callable(value) else value})


def test_every_field_is_forged_below():
    assert set(FORGERIES) | {"plane"} == set(MistakeBound._fields)


@pytest.mark.parametrize("field", FORGERIES)
def test_tampering_is_found(claim, field):
    other = forged(claim, field)
    assert not er.verify(other, X, Y).holds
    with pytest.raises(ValueError, match="altered"):
        from_sealed_json({**sealed_json(other), "seal": sealed_json(claim)["seal"]})


@pytest.mark.parametrize("field", FORGERIES)
def test_tampering_is_found_by_running_again(claim, field):
    assert is_refused(forged(claim, field), X, Y)


@pytest.mark.parametrize("field", ["radius", "b_high", "b_low", "intercept", "weights", "margin"])
def test_a_forged_plane_is_found(claim, field):
    value = getattr(claim.plane, field)
    other = claim._replace(plane=claim.plane._replace(**{field: value * 0.99}))
    assert not er.verify(other, X, Y).holds
    assert is_refused(other, X, Y)


def test_a_damaged_text_is_refused(claim):
    data = json.loads(as_text(claim))
    for key in claim.to_json():
        for wrong in (None, "x", "", [], {}, -1.5, 10**400):
            damaged = {**data, key: wrong}
            with pytest.raises(ValueError, match="certificate"):
                from_sealed_json(damaged)
            with pytest.raises(ValueError, match=r"damaged|certificate"):
                from_sealed_json(sealed_again(damaged))
        short = {name: value for name, value in data.items() if name != key}
        for damaged in (short, sealed_again(short)):
            with pytest.raises(ValueError, match="certificate"):
                from_sealed_json(damaged)


def test_what_is_no_bound_is_refused(claim):
    for text in (None, [], 1, "x", {"kind": "separation"}, {**claim.to_json(), "more": 1}):
        with pytest.raises(ValueError, match="certificate"):
            MistakeBound.from_json(text, claim.arrays())


@pytest.mark.parametrize("form", ["online", "batch"])
@given(data=separable_sets(), power=st.integers(-2, 12), is_separating=st.booleans())
@settings(max_examples=40)
def test_from_far_away_the_bound_is_never_below_the_count(form, data, power, is_separating):
    """Large numbers leave little of each other: a start that separates leaves no room for mistakes, nor less."""
    rows, signs, _ = data
    plane = perceptron(rows, signs)
    start = plane.weights if is_separating else np.ones(rows.shape[1])
    run = perceptron(rows, signs, form=form, start=(start * 10.0**power, plane.intercept * 10.0**power))
    if run.certificate is not None:
        assert run.certificate.counted <= run.certificate.bound
        assert er.verify(run.certificate, rows, signs).holds


@pytest.mark.parametrize(
    ("scale", "options"),
    [
        (1e-200, {"fit_intercept": False}),
        (1e-200, {"fit_intercept": False, "form": "batch"}),
        (1.0, {"form": "gradient", "alpha": 1e-170}),
        (1.0, {"form": "gradient", "alpha": 1e-300}),
        (1.0, {"form": "gradient", "alpha": 1e160}),
        (1.0, {"start": (np.full(2, 1e200), 0.0)}),
        (1.0, {"start": (np.full(2, 1e154), 0.0)}),
    ],
)
def test_numbers_whose_squares_are_lost_have_no_certificate(scale, options):
    points, labels = np.array([[1.0, 2.0], [3.0, 1.0], [-1.0, -1.0], [-2.0, 0.5]]), [1, 1, 0, 0]
    run = perceptron(scale * points, labels, **options)
    assert run.certificate is None
    assert run.trace is None
    assert "perceptron" in run.sentence()


def test_a_budget_beyond_what_can_be_counted():
    assert er.verify(perceptron([[1.0], [-1.0]], [1, 0], max_passes=10**19).certificate, [[1.0], [-1.0]], [1, 0]).holds


def test_other_data_are_refused(claim):
    assert er.verify(claim, X, Y).holds
    assert "Run again" in er.verify(claim, X, Y).sentence
    assert not er.verify(claim, X[::-1], Y[::-1]).holds
    assert not er.verify(claim, X[:-1], Y[:-1]).holds
    assert not er.verify(claim, X[:, :3], Y).holds
    assert not er.verify(claim, X, 1 - Y).holds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"mistakes in \d+ visits of rows \([\d.]+ passes\): at most \(R B\)\^2"),
        ({"form": "batch"}, r"\(sum m_t\)\^2 / sum m_t\^2 = .*, at most \(R B\)\^2"),
        ({"start": START}, r"from w_0: at most .* by t \+ <w\*, w_0>"),
    ],
)
def test_sentences(options, words):
    assert re.search(words, perceptron(X, Y, **options).certificate.sentence())

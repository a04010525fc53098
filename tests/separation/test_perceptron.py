"""The perceptron against its textbook, in exact arithmetic, and on data that are hard."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.perceptron import FORMS, PerceptronStatus, perceptron
from empirisk.separation.perceptron_runs import run as perceptron_run
from empirisk.separation.separate import Undecided
from tests.separation import textbook_perceptron as textbook

pytestmark = pytest.mark.compiled

KINDS = [np.asarray, scipy.sparse.csr_array, np.float32]
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((300, 5))
Y = np.where(X @ [1.0, 2.0, -1.0, 0.0, 0.5] + 0.3 > 0.0, 1.0, -1.0)
NOISY = np.where(RANDOM.random(300) < 0.1, -Y, Y)


@st.composite
def small_sets(draw, most_rows=8):
    """Points whose sums are exact in floating point: multiples of 1/4; and a start."""
    n, d = draw(st.integers(2, most_rows)), draw(st.integers(1, 3))
    numbers = st.integers(-12, 12).map(lambda k: k / 4)
    rows = np.array(draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))
    signs = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    signs[:2] = -1.0, 1.0
    has_intercept = draw(st.booleans())
    w = np.array(draw(st.lists(numbers, min_size=d, max_size=d)))
    start = None if draw(st.booleans()) else (w, draw(numbers) if has_intercept else 0.0)
    return rows, signs, has_intercept, start, KINDS[draw(st.integers(0, 2))]


def start_of(start, d, has_intercept):
    w, b = (np.zeros(d), 0.0) if start is None else start
    return [*map(Fraction, w.tolist()), *([Fraction(b)] if has_intercept else [])]


def plane_of(run, has_intercept):
    return [*map(Fraction, run.last[0].tolist()), *([Fraction(run.last[1])] if has_intercept else [])]


def exact_margins(rows, signs, w, b, has_intercept):
    z = textbook.exact_points(rows, signs, has_intercept)
    return [textbook.dot(point, [*map(Fraction, w), *([Fraction(b)] if has_intercept else [])]) for point in z]


@given(small_sets())
def test_online_is_the_textbook(case):
    rows, signs, has_intercept, start, kind = case
    passes = 6
    run = perceptron(kind(rows), signs, fit_intercept=has_intercept, start=start, max_passes=passes, certify=False)
    z = textbook.exact_points(rows, signs, has_intercept)
    told = textbook.online(z, start_of(start, rows.shape[1], has_intercept), run.visits)
    assert run.visits == len(told.planes)
    assert run.mistakes == run.steps == told.mistakes
    assert plane_of(run, has_intercept) == told.planes[-1]
    wrong = sum(textbook.dot(told.planes[-1], point) <= 0 for point in z)
    assert run.errors == wrong
    assert run.is_separated == (wrong == 0)
    if not told.is_separated and run.status is not PerceptronStatus.REPEATED:
        assert run.passes >= passes  # nothing but the budget ended it


@given(small_sets())
def test_batch_is_the_textbook(case):
    rows, signs, has_intercept, start, kind = case
    n = 1 << (len(rows).bit_length() - 1)  # a power of two: 1/n is exact
    rows, signs = rows[:n], signs[:n]
    run = perceptron(
        kind(rows), signs, form="batch", fit_intercept=has_intercept, start=start, max_passes=6, certify=False
    )
    z = textbook.exact_points(rows, signs, has_intercept)
    w, wrong, is_separated = textbook.batch(z, start_of(start, rows.shape[1], has_intercept), Fraction(1, n), 6)
    assert run.is_separated == (is_separated or all(textbook.dot(w, point) > 0 for point in z))
    if run.status is not PerceptronStatus.REPEATED:
        assert run.mistakes == sum(wrong)
        assert run.steps == len(wrong)
        assert plane_of(run, has_intercept) == w


@given(small_sets())
def test_averaged_and_voted_are_the_textbook(case):
    rows, signs, has_intercept, start, kind = case
    averaged, voted = (
        perceptron(kind(rows), signs, form=form, fit_intercept=has_intercept, start=start, max_passes=5, certify=False)
        for form in ("averaged", "voted")
    )
    z = textbook.exact_points(rows, signs, has_intercept)
    told = textbook.online(z, start_of(start, rows.shape[1], has_intercept), averaged.visits)
    mean = [float(sum(column) / len(told.planes)) for column in zip(*told.planes, strict=True)]
    answer = [*averaged.weights, averaged.intercept] if has_intercept else averaged.weights
    np.testing.assert_allclose(answer, mean, rtol=1e-12, atol=1e-12)
    points = textbook.exact_points(rows, np.ones(len(rows)), has_intercept)
    votes = [np.mean([1.0 if textbook.dot(w, x) >= 0 else -1.0 for w in told.planes]) for x in points]
    np.testing.assert_allclose(voted.scores(kind(rows)), votes, rtol=0.0, atol=1e-12)
    assert voted.errors is None


@pytest.mark.parametrize("order", ["cyclic", "random"])
@pytest.mark.parametrize("labels", [Y, NOISY], ids=["separable", "noisy"])
def test_pocket_keeps_the_fewest_errors(labels, order):
    run = perceptron(X, labels, form="pocket", order=order, max_passes=200, certify=False)
    assert run.errors == run.best.errors == np.sum(labels * (X @ run.weights + run.intercept) <= 0.0)
    assert run.errors <= np.sum(labels * (X @ run.last[0] + run.last[1]) <= 0.0)
    assert run.errors <= 50
    assert run.is_separated == (labels is Y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_the_best_plane_is_what_it_says(form, kind):
    run = perceptron(kind(X), NOISY, form=form, max_passes=100, certify=False)
    assert run.best.errors == np.sum(NOISY * (X @ run.best.weights + run.best.intercept) <= 0.0)
    assert run.best.errors < 60
    assert run.status is PerceptronStatus.PASS_LIMIT
    assert 100 <= run.passes < 104


def test_gradient_descent_is_batch_with_another_step():
    one = perceptron(X, Y, form="batch", certify=False)
    two = perceptron(X, Y, form="gradient", alpha=4.0, certify=False)
    np.testing.assert_array_equal(two.weights, 4.0 * one.weights)
    assert two.mistakes == one.mistakes
    assert one.is_separated
    assert two.is_separated


def test_gradient_descent_stops_at_its_precision():
    run = perceptron(X, NOISY, form="gradient", alpha=0.1, epsilon=0.1, max_passes=100, certify=False)
    assert run.status is PerceptronStatus.PRECISE
    wrong = NOISY * (X @ run.weights + run.intercept) <= 0.0
    gradient = (NOISY[wrong, None] * np.c_[X, np.ones(300)][wrong]).sum(axis=0) / 300
    assert 0.0 < np.linalg.norm(gradient) <= 0.1
    assert run.errors == wrong.sum()


@pytest.mark.parametrize("form", FORMS)
def test_random_orders_follow_the_seed(form):
    runs = [perceptron(X, Y, form=form, order="random", seed=seed, certify=False) for seed in (3, 3, 4)]
    np.testing.assert_array_equal(runs[0].weights, runs[1].weights)
    assert runs[0].visits == runs[1].visits
    assert form in ("batch", "gradient") or runs[0].mistakes != runs[2].mistakes
    assert all(run.is_separated for run in runs)
    assert form in ("batch", "gradient") or runs[0].visits % 300 == 0  # a whole pass without a mistake


def test_reading_ahead_changes_nothing(monkeypatch):
    rows = scipy.sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X) * (np.arange(300) != 7)[:, None])  # one is empty
    runs = [perceptron(rows, Y, order="random", max_passes=30, certify=False)]
    monkeypatch.setattr(perceptron_run, "CACHE", 0)
    runs.append(perceptron(rows, Y, order="random", max_passes=30, certify=False))
    np.testing.assert_array_equal(runs[0].weights, runs[1].weights)
    assert runs[0].mistakes == runs[1].mistakes


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 30), st.integers(1, 6), st.sampled_from(FORMS), st.booleans())
def test_a_run_that_ends_has_every_point_right_exactly(seed, n, d, form, has_intercept):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((n, d)) * 10.0 ** random.integers(-3, 4, d)
    signs = np.where(rows @ random.standard_normal(d) + (0.1 if has_intercept else 0.0) > 0.0, 1.0, -1.0)
    if abs(signs.sum()) == n:
        signs[0] = -signs[0]
    run = perceptron(rows, signs, form=form, fit_intercept=has_intercept, max_passes=300, certify=False)
    margins = exact_margins(rows, signs, *run.last, has_intercept)
    assert run.is_separated == (min(margins) > 0)
    if form in ("online", "batch", "gradient"):
        assert run.errors == sum(m <= 0 for m in margins)


def test_wide_columns_are_decided_beyond_rounding():
    """Along the way margins are far below the rounding of their terms."""
    rows = X * np.array([1e12, 1.0, 1e-12, 1e6, 1e-6])
    run = perceptron(rows, Y, max_passes=3000)
    if run.is_separated:
        assert min(exact_margins(rows, Y, *run.last, True)) > 0
    else:
        assert run.verdict.is_separable is not False
    huge = np.array([[2.0**52, 1.0], [-(2.0**52), -1.0], [2.0**52, -1.0]])
    run = perceptron(huge, [1, -1, 1], fit_intercept=False)
    assert run.is_separated
    assert min(exact_margins(huge, [1, -1, 1], *run.last, False)) > 0


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_twins_with_opposite_labels(form, order, has_intercept):
    rows, labels = np.vstack([X, X[7]]), np.append(Y, -Y[7])
    run = perceptron(rows, labels, form=form, order=order, fit_intercept=has_intercept, max_passes=20)
    assert not run.is_separated
    assert isinstance(run.verdict, Inseparability)
    assert er.verify(run.verdict, rows, labels).holds
    assert run.certificate is None
    assert run.trace is None
    assert np.isnan([run.bound, run.radius, run.b_low, run.b_high]).all()
    assert run.verdict.sentence() in run.sentence()


def test_a_run_in_a_circle_is_its_own_proof():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    run = perceptron(corners, [1, 1, 0, 0])
    assert run.status is PerceptronStatus.REPEATED
    assert run.passes < 50
    assert run.verdict.rows == (0, 1, 2, 3)
    assert run.verdict.weights == (1, 1, 1, 1)
    assert er.verify(run.verdict, corners, [1, 1, 0, 0]).holds


def test_rows_of_zeros():
    rows = np.vstack([X, np.zeros(5)])
    labels = np.append(Y, 1.0)
    assert perceptron(rows, labels, max_passes=2000).is_separated  # the 1 of the augmented point is left
    run = perceptron(rows, labels, fit_intercept=False, max_passes=10)
    assert run.verdict.rows == (300,)
    nothing = perceptron(np.zeros((4, 2)), [0, 1, 0, 1], fit_intercept=False)
    assert nothing.status is PerceptronStatus.REPEATED
    assert nothing.verdict.is_separable is False


def test_more_columns_than_rows():
    rows = RANDOM.standard_normal((10, 50))
    labels = np.arange(10) % 2
    run = perceptron(rows, labels)
    assert run.is_separated
    assert er.verify(run.certificate, rows, labels).holds


def test_a_start_that_is_right_already():
    run = perceptron(X, Y, start=([1.0, 2.0, -1.0, 0.0, 0.5], 0.3))
    assert (run.mistakes, run.visits, run.passes) == (0, 300, 1.0)
    assert run.is_separated
    assert er.verify(run.certificate, X, Y).holds


def test_limits():
    run = perceptron(X, NOISY, time_limit=0.0)
    assert run.status is PerceptronStatus.TIME_LIMIT
    assert run.visits == run.mistakes == 0
    assert isinstance(run.verdict, Undecided)
    short = perceptron(X, Y, max_passes=1)
    assert short.status is PerceptronStatus.PASS_LIMIT
    assert short.visits == 300
    assert short.verdict.is_separable
    assert er.verify(short.certificate, X, Y).holds  # the bound is that of the plane that `separate` found


def test_numbers_that_overflow():
    run = perceptron(X * 1e200, Y, max_passes=5, time_limit=5.0)
    assert run.status is PerceptronStatus.OVERFLOW
    assert np.all(np.isfinite(run.weights))
    far = np.full(5, 1e308), 0.0
    run = perceptron(X * 1e150, Y, start=far, form="gradient", alpha=1e10, max_passes=5, certify=False)
    assert run.status is PerceptronStatus.OVERFLOW
    assert np.all(np.isfinite(run.best.weights))


def test_labels_are_mapped_back():
    run = perceptron(X, np.where(Y > 0.0, "yes", "no"))
    assert run.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(run.predict(X), np.where(Y > 0.0, "yes", "no"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1e-320, 1e-170])
def test_errors_are_counted_exactly_at_the_ends_of_double_precision(form, size):
    given = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 1.0], [1.0, -3.0]]) * size
    y = np.array([1.0, 1.0, -1.0, -1.0])
    run = perceptron(given, y, form=form, fit_intercept=False, max_passes=20)
    for w, errors in ((run.weights, run.errors), (run.best.weights, run.best.errors)):
        scores = [sum(Fraction(v) * Fraction(x) for v, x in zip(w, row, strict=True)) for row in given.tolist()]
        assert errors in (None, sum(int(label) * score <= 0 for label, score in zip(y, scores, strict=True)))

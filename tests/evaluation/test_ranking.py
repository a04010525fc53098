"""Areas below curves: against counted pairs, scikit-learn, and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from empirisk.evaluation.measures import mean_of_dependent
from empirisk.evaluation.ranking import area_below_roc, average_precision, curve_of, mean_area, placements


def counted_pairs(scores, is_positive, weights=None):
    """The area by its definition, pair by pair."""
    weights = np.ones(len(scores)) if weights is None else weights
    total = right = 0.0
    for i, j in itertools.product(np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        total += weights[i] * weights[j]
        right += weights[i] * weights[j] * (1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0)
    return right / total


few_scores = st.lists(st.tuples(st.integers(-3, 3), st.booleans(), st.integers(1, 4)), min_size=2, max_size=25)


@given(few_scores)
def test_the_area_counts_pairs_and_halves_ties(rows):
    scores, is_positive, weights = (np.array(column) for column in zip(*rows, strict=True))
    scores, weights = scores.astype(float), weights.astype(float)
    if is_positive.all() or not is_positive.any():
        assert math.isnan(area_below_roc(scores, is_positive, None, 0.95).value)
        return
    found = area_below_roc(scores, is_positive, None, 0.95)
    assert found.value == pytest.approx(counted_pairs(scores, is_positive))
    assert 0.0 <= found.interval.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval.high <= 1.0
    weighted = area_below_roc(scores, is_positive, weights, 0.95)
    assert weighted.value == pytest.approx(counted_pairs(scores, is_positive, weights))
    assert weighted.interval is None


@settings(max_examples=20)
@given(few_scores)
def test_both_areas_are_those_of_scikit_learn(rows):
    scores, is_positive, weights = (np.array(column) for column in zip(*rows, strict=True))
    if is_positive.all() or not is_positive.any():
        return
    scores, weights = scores.astype(float), weights.astype(float)
    for each in (None, weights):
        expected = metrics.average_precision_score(is_positive, scores, sample_weight=each)
        assert average_precision(scores, is_positive, each, 0.95).value == pytest.approx(expected)
        expected = metrics.roc_auc_score(is_positive, scores, sample_weight=each)
        assert area_below_roc(scores, is_positive, each, 0.95).value == pytest.approx(expected)
        false, true, _ = metrics.roc_curve(is_positive, scores, sample_weight=each, drop_intermediate=False)
        curve = curve_of(scores, is_positive, each)
        assert curve.false_positive_rates == pytest.approx(false)
        assert curve.true_positive_rates == pytest.approx(true)


def test_the_interval_is_that_of_delong():
    """Recomputed from the definition: the variance of the placements of both classes."""
    rng = np.random.default_rng(2)
    is_positive = rng.random(60) < 0.4
    scores = np.round(rng.normal(size=60) + is_positive, 1)
    kernel = (scores[is_positive][:, None] > scores[~is_positive]) + 0.5 * (
        scores[is_positive][:, None] == scores[~is_positive]
    )
    area = kernel.mean()
    variance = kernel.mean(axis=1).var(ddof=1) / kernel.shape[0] + kernel.mean(axis=0).var(ddof=1) / kernel.shape[1]
    half = 1.959963984540054 * math.sqrt(variance) / (area * (1 - area))
    ends = [1 / (1 + math.exp(-(math.log(area / (1 - area)) + sign * half))) for sign in (-1, 1)]
    found = area_below_roc(scores, is_positive, None, 0.95)
    assert found.value == pytest.approx(area)
    assert found.interval[:2] == pytest.approx(ends)
    assert "DeLong" in found.interval.method


@pytest.mark.parametrize("scores", [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
def test_where_delong_has_no_variance_the_interval_still_has_a_width(scores):
    found = area_below_roc(np.array(scores), np.array([False, False, True, True]), None, 0.95)
    assert found.interval.low < found.interval.high
    assert found.interval.low <= found.value <= found.interval.high
    assert "Hanley" in found.interval.method


def share_covered(draw, true, n=250):
    rng = np.random.default_rng(11)
    found = [draw(rng).interval for _ in range(n)]
    return sum(interval.low <= true <= interval.high for interval in found) / n


@pytest.mark.parametrize(("shift", "m", "n"), [(1.0, 30, 60), (3.0, 15, 15), (0.0, 40, 40)])
def test_the_area_is_covered(shift, m, n):
    """Normal scores: the true area is Phi(shift / sqrt(2))."""
    is_positive = np.arange(m + n) < m

    def draw(rng):
        return area_below_roc(rng.normal(size=m + n) + shift * is_positive, is_positive, None, 0.95)

    assert share_covered(draw, 0.5 * (1 + math.erf(shift / 2.0))) >= 0.92


def test_average_precision_is_covered():
    is_positive = np.arange(200_000) < 60_000
    rng = np.random.default_rng(0)
    true = average_precision(rng.normal(size=200_000) + 1.5 * is_positive, is_positive, None, 0.95).value
    few = np.arange(200) < 60

    def draw(rng):
        return average_precision(rng.normal(size=200) + 1.5 * few, few, None, 0.95)

    assert share_covered(draw, true) >= 0.92


def test_perfect_precision_has_the_interval_of_a_count():
    found = average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, True, False]), None, 0.95)
    assert found.value == 1.0
    assert found.interval.high == 1.0
    assert found.interval.low == pytest.approx(0.025 ** (1 / 2))


def test_the_mean_over_classes_is_that_of_scikit_learn_and_its_variance_that_of_delong_for_two():
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 3, 90)
    scores = rng.normal(size=(90, 3)) + (numbers[:, None] == np.arange(3))
    areas = [area_below_roc(scores[:, k], numbers == k, None, 0.95) for k in range(3)]
    found = mean_area(scores, numbers, areas, None, 0.95)
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    by_chances = [area_below_roc(chances[:, k], numbers == k, None, 0.95) for k in range(3)]
    expected = metrics.roc_auc_score(numbers, chances, multi_class="ovr")
    assert mean_area(chances, numbers, by_chances, None, 0.95).value == pytest.approx(expected)
    assert found.interval.low < found.value < found.interval.high

    two = np.where(numbers == 2, 1, numbers)
    pair = np.column_stack([-scores[:, 1], scores[:, 1]])
    area = area_below_roc(scores[:, 1], two == 1, None, 0.95)
    assert mean_area(pair, two, [area, area], None, 0.95).interval[:2] == pytest.approx(area.interval[:2])


def test_the_mean_over_classes_is_covered():
    def sample(rng, n):
        numbers = rng.integers(0, 3, n)
        return rng.normal(size=(n, 3)) + (numbers[:, None] == np.arange(3)), numbers

    def measured(rng, n):
        scores, numbers = sample(rng, n)
        areas = [area_below_roc(scores[:, k], numbers == k, None, 0.95) for k in range(3)]
        return mean_area(scores, numbers, areas, None, 0.95)

    true = measured(np.random.default_rng(1), 50_000).value
    assert share_covered(lambda rng: measured(rng, 90), true) >= 0.92


@pytest.mark.parametrize("shared", [0.0, 3.0])
def test_the_mean_of_average_precisions_is_covered(shared):
    """Whether the scores of a row have little or much in common."""

    def measured(rng, n):
        numbers = rng.integers(0, 3, n)
        scores = rng.normal(size=(n, 3)) + shared * rng.normal(size=(n, 1)) + 2 * (numbers[:, None] == np.arange(3))
        parts = [average_precision(scores[:, k], numbers == k, None, 0.95) for k in range(3)]
        return mean_of_dependent(parts, 0.95, "the classes")

    true = measured(np.random.default_rng(1), 50_000).value
    assert share_covered(lambda rng: measured(rng, 120), true) >= 0.95


def test_placements_are_shares_of_the_other_kind():
    scores, is_positive = np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True])
    assert placements(scores, is_positive).tolist() == [1.0, 0.75, 0.75, 1.0]

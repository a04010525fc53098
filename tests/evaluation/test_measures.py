"""Intervals against SciPy, closed forms and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from empirisk.bounds.tails import binomial_interval
from empirisk.evaluation.measures import (
    complement,
    f_measure,
    mean_of,
    mean_of_independent,
    on_logit_scale,
    proportion,
)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("part", "whole"), [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (5, 10**5), (99_999, 10**5)])
def test_proportions_have_the_interval_of_clopper_and_pearson(part, whole, level):
    found = proportion(part, whole, level, counted=True)
    exact = stats.binomtest(part, whole).proportion_ci(level, method="exact")
    assert found.value == part / whole
    assert (found.interval.low, found.interval.high) == pytest.approx((exact.low, exact.high), rel=1e-9, abs=1e-12)
    assert (found.interval.level, found.interval.method) == (level, "Clopper-Pearson")


def test_the_ends_of_clopper_pearson_have_the_tails_they_are_named_for():
    interval = proportion(7, 31, 0.9, counted=True).interval
    assert stats.binom.sf(6, 31, interval.low) == pytest.approx(0.05)
    assert stats.binom.cdf(7, 31, interval.high) == pytest.approx(0.05)
    assert interval[:2] == binomial_interval(7, 31, 1.0 - 0.9)  # one that is rounded outward


def test_a_complement_has_the_mirrored_interval():
    error = proportion(3, 20, 0.95, counted=True)
    accuracy, direct = complement(error), proportion(17, 20, 0.95, counted=True)
    assert accuracy.value == pytest.approx(direct.value)
    assert accuracy.interval[:2] == pytest.approx(direct.interval[:2])


def test_weighted_rows_have_no_interval_and_say_so():
    assert proportion(1.5, 4.0, 0.95, counted=False) == (0.375, None, "no interval: the rows have unequal weights")
    found = mean_of(np.array([1.0, 3.0]), np.array([1.0, 3.0]), 0.95)
    assert found == (2.5, None, "no interval: the rows have unequal weights")


def test_means_have_the_interval_of_student():
    values = np.random.default_rng(0).exponential(size=40)
    found = mean_of(values, None, 0.9)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert found.interval[:2] == pytest.approx((expected.low, expected.high))


def test_means_of_one_row_and_of_infinite_ones_say_what_they_lack():
    assert mean_of(np.array([2.0]), None, 0.95) == (2.0, None, "no interval: one row")
    infinite = mean_of(np.array([1.0, np.inf]), None, 0.95)
    assert math.isinf(infinite.value)
    assert infinite.to_json()["value"] is None
    assert infinite.note.startswith("infinite")
    assert mean_of(np.array([1e200, 2e200]), None, 0.95).note == "no interval: the squares overflow"


def test_the_logit_scale_stays_inside_the_unit_interval():
    interval = on_logit_scale(0.99, 0.05, 0.95, "some")
    assert 0.0 < interval.low < 0.99 < interval.high < 1.0


def covered(draw, true, n=400):
    """The share of samples whose interval holds the true value."""
    rng = np.random.default_rng(5)
    found = [draw(rng).interval for _ in range(n)]
    return sum(interval.low <= true <= interval.high for interval in found) / n


@pytest.mark.parametrize("p", [0.02, 0.3, 0.9])
def test_f_measures_are_covered(p):
    """Rows of four kinds: right and wrong among what is, and is not, of the class."""
    shares = np.array([p * 0.3, (1 - p) * 0.3, 0.05, 0.65])
    true = 2 * shares[0] / (2 * shares[0] + shares[1] + shares[2])

    def draw(rng):
        both, missed, false, _ = rng.multinomial(300, shares)
        return f_measure(both, both + missed + false, 0.95, counted=True)

    assert covered(draw, true) >= 0.93


@pytest.mark.parametrize("recalls", [(0.9, 0.5), (1.0, 0.97, 0.8)])
def test_the_mean_of_recalls_is_covered(recalls):
    sizes = (40, 25, 30)[: len(recalls)]

    def draw(rng):
        return mean_of_independent(
            [proportion(rng.binomial(n, p), n, 0.95, counted=True) for n, p in zip(sizes, recalls, strict=True)], 0.95
        )

    assert covered(draw, sum(recalls) / len(recalls)) >= 0.93


def test_f_is_what_its_definition_says():
    found = f_measure(3, 3 + 2 + 4, 0.95, counted=True)
    assert found.value == pytest.approx(2 * 3 / (2 * 3 + 2 + 4))
    assert found.interval.low < found.value < found.interval.high

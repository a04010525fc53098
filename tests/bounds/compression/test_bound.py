"""The formula against SciPy, and validity where the union over sets of rows is what holds it up."""

import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import beta, binom

from empirisk.bounds.compression.bound import compression_bound, passes_cost


@pytest.mark.parametrize(("errors", "n", "kept"), [(0, 100, 5), (7, 100, 20), (3, 5000, 0), (2, 60, 59)])
def test_agrees_with_the_formula(errors, n, kept):
    errors = min(errors, n - kept)
    log_sets = math.log(n + 1) + gammaln(n + 1) - gammaln(kept + 1) - gammaln(n - kept + 1)
    others = n - kept
    expected = beta.isf(0.05 * math.exp(-log_sets), errors + 1, others - errors) if errors < others else 1.0
    found = compression_bound(errors, n, kept, math.log(0.05))
    assert found == pytest.approx(expected, rel=1e-9)
    assert found >= expected * (1.0 - 1e-12)


def test_a_level_below_the_smallest_number_is_no_trouble():
    found = compression_bound(0, 100_000, 2_000, math.log(0.05))
    assert 0.09 < found < 0.11


def test_no_row_is_left():
    assert compression_bound(0, 10, 10, math.log(0.05)) == 1.0
    with pytest.raises(ValueError, match="kept"):
        compression_bound(0, 10, 11, math.log(0.05))


def test_messages_cost_no_more_than_all_of_delta():
    assert sum(math.exp(-passes_cost(p)) for p in range(10_000)) < 1.0
    assert passes_cost(0) == pytest.approx(math.log(2.0))


def test_the_union_over_sets_is_needed():
    """An adversary keeps rows that are wrong: a test on the rest alone is no test."""
    rng, draws, n, risk, m = np.random.default_rng(0), 300, 100, 0.1, 5
    broken = broken_without = 0
    for _ in range(draws):
        wrong = int(rng.binomial(n, risk))  # of a fixed predictor; the kept rows are some that it errs on
        errors = max(0, wrong - m)
        broken += compression_bound(errors, n, m, math.log(0.05)) < risk
        broken_without += beta.isf(0.05, errors + 1, n - m - errors) < risk
    limit = binom.ppf(1.0 - 1e-6, draws, 0.05)
    assert broken <= limit < broken_without

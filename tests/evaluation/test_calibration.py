"""Groups of rows by their chances."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from empirisk.evaluation.calibration import reliability


def test_groups_are_those_of_scikit_learn_where_no_chances_are_equal():
    rng = np.random.default_rng(0)
    chances = rng.random(200)
    is_class = rng.random(200) < chances
    found = reliability(chances, is_class, None)
    share, mean = calibration_curve(is_class, chances, n_bins=10, strategy="quantile")
    assert [group.rows for group in found] == [20] * 10
    assert [group.share.value for group in found] == pytest.approx(share, abs=0.051)  # an edge may fall on either side
    assert [group.chance for group in found] == pytest.approx(mean, abs=0.01)
    assert sum(group.rows * group.share.value for group in found) == pytest.approx(is_class.sum())
    assert all(group.share.interval.method == "Clopper-Pearson" for group in found)


def test_equal_chances_stay_together():
    chances = np.array([0.2] * 30 + [0.9] * 30)
    found = reliability(chances, np.arange(60) % 3 == 0, None)
    assert [(group.rows, group.chance) for group in found] == [(30, pytest.approx(0.2)), (30, pytest.approx(0.9))]
    (alone,) = reliability(np.full(5, 0.5), np.arange(5) < 2, np.ones(5))
    assert alone.share.value == pytest.approx(0.4)
    assert alone.share.interval is None

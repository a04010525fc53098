"""Scikit-learn's own checks of the estimator contract, for the online estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from empirisk import OnlineClassifier, OnlineRegressor

pytestmark = pytest.mark.interpreted

NOT_REPEATED = "a weight of 2 is one longer step, and a row met twice is two: no online learner takes them for the same"


@pytest.fixture(autouse=True)
def _array_api(monkeypatch):
    """Without this variable scikit-learn skips its array-API check."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(
    [
        OnlineClassifier(),
        OnlineClassifier(learner="adagrad", l2=1e-3),
        OnlineClassifier(learner="gradient_descent", loss="hinge", l2=1e-3),
        OnlineRegressor(),
        OnlineRegressor(learner="gradient_descent", loss="huber", constraint="l2_ball:radius=100"),
    ],
    expected_failed_checks=lambda estimator: {
        f"check_sample_weight_equivalence_on_{kind}_data": NOT_REPEATED for kind in ("dense", "sparse")
    },
)
def test_contract(estimator, check):
    check(estimator)

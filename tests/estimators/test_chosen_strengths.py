"""Estimators whose strengths are chosen by cross-validation."""

import numpy as np
import pytest
from sklearn.base import clone

from empirisk import LinearClassifier, LinearRegressor, load, save

RANDOM = np.random.default_rng(8)
X = RANDOM.standard_normal((80, 3))
TARGET = X @ [1.0, -1.0, 0.0] + RANDOM.standard_normal(80)
LABELS = np.where(TARGET > 0.0, "high", "low")


@pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])
def test_attributes(kind, y, tmp_path):
    asked = kind(l2="cv", folds=4, n_strengths=6)
    fitted = clone(asked).fit(X, y)
    assert fitted.l2 == "cv"  # what was asked stays
    assert fitted.l1_ == 0.0
    found = fitted.cv_results_
    assert found["l2"].shape == found["mean_loss"].shape == found["standard_error"].shape == (6,)
    assert found["fold_losses"].shape == (4, 6)
    assert ("mean_error" in found) == (kind is LinearClassifier)
    assert fitted.l2_ == found["l2"][np.argmin(found["mean_loss"])]
    assert fitted.model_.certified
    assert np.array_equal(fitted.coef_, kind(l2=fitted.l2_).fit(X, y).coef_)
    save(fitted, tmp_path / "model")
    assert load(tmp_path / "model").cross_validation.l2.tolist() == found["l2"].tolist()


def test_a_fit_without_forgets_the_one_with():
    model = LinearRegressor(l2="cv", folds=2, n_strengths=3).fit(X, TARGET)
    model.set_params(l2=0.5).fit(X, TARGET)
    assert model.cv_results_ is None
    assert (model.l1_, model.l2_) == (0.0, 0.5)


def test_the_seed_shuffles_the_folds():
    def losses(seed):
        model = LinearRegressor(l2="cv", folds=3, n_strengths=3, random_state=seed).fit(X, TARGET)
        return model.cv_results_["fold_losses"].tobytes()

    assert losses(1) == losses(1) != losses(2)


def test_too_many_folds():
    with pytest.warns(UserWarning, match="2 folds instead of 5, as the class 'b' has 2 rows with a positive weight"):
        model = LinearClassifier(l2="cv", n_strengths=2).fit(X[:10], ["a"] * 8 + ["b"] * 2)
    assert model.cv_results_["fold_weights"].size == 2
    with pytest.raises(ValueError, match="needs more than one sample of each class, and the class 'b' has 1 row with"):
        LinearClassifier(l2="cv").fit(X[:10], ["a"] * 9 + ["b"])

"""Calibrated probabilities and tuned thresholds: scikit-learn's own classes around the classifier."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import balanced_accuracy_score, get_scorer, log_loss
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, TunedThresholdClassifierCV

from empirisk import LinearClassifier

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(8)
X = RANDOM.standard_normal((400, 3))
CHANCE = 1.0 / (1.0 + np.exp(-(X @ [2.0, -1.0, 0.5] - 2.0)))  # one row in five is positive
LABELS = np.where(RANDOM.uniform(size=400) < CHANCE, "rare", "common")
WEIGHTS = RANDOM.integers(1, 4, 400).astype(float)
HINGE = LinearClassifier(loss="hinge", l2=0.01)


def test_a_calibrated_hinge_has_probabilities_near_the_true_ones():
    assert not hasattr(HINGE, "predict_proba")
    calibrated = CalibratedClassifierCV(HINGE, cv=5).fit(X, LABELS)
    chances = calibrated.predict_proba(X)
    assert calibrated.classes_.tolist() == ["common", "rare"]
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    ideal = log_loss(LABELS, np.column_stack([1.0 - CHANCE, CHANCE]))
    assert log_loss(LABELS, chances) < 1.1 * ideal
    assert all(part.estimator.model_.certified for part in calibrated.calibrated_classifiers_)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_passes_weights_to_the_fits(method):
    splits = list(StratifiedKFold(3).split(X, LABELS))
    calibrated = CalibratedClassifierCV(HINGE, method=method, cv=splits).fit(X, LABELS, sample_weight=WEIGHTS)
    for part, (train, _) in zip(calibrated.calibrated_classifiers_, splits, strict=True):
        alone = LinearClassifier(loss="hinge", l2=0.01).fit(X[train], LABELS[train], sample_weight=WEIGHTS[train])
        assert part.estimator.coef_.tobytes() == alone.coef_.tobytes()


def test_calibration_counts_weights_as_copies():
    model = LinearClassifier(loss="hinge", l2=0.01, tol=1e-10)
    train, rest = next(StratifiedKFold(2).split(X, LABELS))
    weighted = CalibratedClassifierCV(model, cv=[(train, rest)]).fit(X, LABELS, sample_weight=WEIGHTS)
    copies = np.repeat(np.arange(400), WEIGHTS.astype(int))
    split = [np.flatnonzero(np.isin(copies, part)) for part in (train, rest)]
    repeated = CalibratedClassifierCV(model, cv=[split]).fit(X[copies], LABELS[copies])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-3)
    unweighted = CalibratedClassifierCV(model, cv=[(train, rest)]).fit(X, LABELS)
    assert np.max(np.abs(weighted.predict_proba(X) - unweighted.predict_proba(X))) > 1e-2


@pytest.mark.parametrize("model", [HINGE, LinearClassifier(l2=0.01)], ids=["scores", "probabilities"])
def test_a_tuned_threshold_finds_the_rare_class(model):
    tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=5).fit(X, LABELS)
    plain = balanced_accuracy_score(LABELS, tuned.estimator_.predict(X))
    assert balanced_accuracy_score(LABELS, tuned.predict(X)) > plain + 0.03
    assert tuned.estimator_.coef_.tobytes() == model.fit(X, LABELS).coef_.tobytes()


def test_a_tuned_threshold_passes_weights_to_the_fit():
    with sklearn.config_context(enable_metadata_routing=True):
        model = LinearClassifier(loss="hinge", l2=0.01).set_fit_request(sample_weight=True)
        scoring = get_scorer("balanced_accuracy").set_score_request(sample_weight=True)
        tuned = TunedThresholdClassifierCV(model, scoring=scoring, cv=3).fit(X, LABELS, sample_weight=WEIGHTS)
    alone = LinearClassifier(loss="hinge", l2=0.01).fit(X, LABELS, sample_weight=WEIGHTS)
    assert tuned.estimator_.coef_.tobytes() == alone.coef_.tobytes()


def test_a_fixed_threshold_is_on_the_scores():
    fixed = FixedThresholdClassifier(HINGE, threshold=-0.5, response_method="decision_function", pos_label="rare")
    fixed.fit(X, LABELS)
    expected = np.where(fixed.estimator_.decision_function(X) >= -0.5, "rare", "common")
    assert np.array_equal(fixed.predict(X), expected)
    assert np.count_nonzero(expected == "rare") > np.count_nonzero(fixed.estimator_.predict(X) == "rare")


def test_a_fixed_threshold_passes_weights_to_the_fit():
    with sklearn.config_context(enable_metadata_routing=True):
        model = LinearClassifier(l2=0.01).set_fit_request(sample_weight=True)
        fixed = FixedThresholdClassifier(model, threshold=0.2, pos_label="rare")
        fixed.fit(X, LABELS, sample_weight=WEIGHTS)
    alone = LinearClassifier(l2=0.01).fit(X, LABELS, sample_weight=WEIGHTS)
    assert np.array_equal(fixed.predict(X) == "rare", alone.predict_proba(X)[:, 1] >= 0.2)

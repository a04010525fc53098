"""score: every number against scikit-learn's, for models, planes, estimators, pipelines and searches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.models import FitOptions, fit_linear
from empirisk.protocols import Unsupported


@pytest.fixture(scope="module")
def two():
    X, y = make_classification(120, 5, flip_y=0.2, random_state=0)
    return X, np.where(y == 1, "yes", "no")


@pytest.fixture(scope="module")
def three():
    X, y = load_iris(return_X_y=True)
    return X[:, :2], y


def test_two_classes_agree_with_scikit_learn(two):
    X, y = two
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    found = er.score(model, X, y)
    called, chances, truth = model.predict(X), model.predict_proba(X), y == "yes"
    assert isinstance(found, er.ClassificationScore)
    assert (found.rows, found.classes, found.task) == (120, ("no", "yes"), "classification")
    assert found.errors == np.count_nonzero(called != y)
    assert found.error.value == found.errors / 120
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(y, called))
    assert found.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(y, called))
    assert found.log_loss.value == pytest.approx(metrics.log_loss(y, chances))
    assert found.brier.value == pytest.approx(metrics.brier_score_loss(truth, chances[:, 1]))
    assert found.auc_roc.value == pytest.approx(metrics.roc_auc_score(truth, model.decision_function(X)))
    assert found.auc_pr.value == pytest.approx(metrics.average_precision_score(truth, model.decision_function(X)))
    assert found.confusion.tolist() == metrics.confusion_matrix(y, called).tolist()
    for measure in found.measures().values():
        assert measure.interval.low <= measure.value <= measure.interval.high
        assert measure.interval.level == 0.95


def test_every_class_agrees_with_scikit_learn(three):
    X, y = three
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    found = er.score(model, X, y)
    called, chances = model.predict(X), model.predict_proba(X)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(y, called)
    for k, one in enumerate(found.per_class):
        assert (one.label, one.rows) == (k, support[k])
        assert (one.precision.value, one.recall.value) == pytest.approx((precision[k], recall[k]))
        assert one.f1.value == pytest.approx(f1[k])
        assert one.auc_roc.value == pytest.approx(metrics.roc_auc_score(y == k, chances[:, k]))
        assert one.recall.interval.method == "Clopper-Pearson"
    assert found.log_loss.value == pytest.approx(metrics.log_loss(y, chances))
    truth = np.eye(3)[y]
    assert found.brier.value == pytest.approx(np.mean(np.sum((chances - truth) ** 2, axis=1)))
    assert found.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(y, called))
    assert found.auc_roc.value == pytest.approx(metrics.roc_auc_score(y, chances, multi_class="ovr"))
    expected = metrics.average_precision_score(truth, chances)
    assert found.auc_pr.value == pytest.approx(expected)
    assert found.confusion.tolist() == metrics.confusion_matrix(y, called).tolist()


def test_classes_that_are_fitted_one_by_one_are_ranked_by_their_scores(three):
    X, y = three
    model = er.LinearClassifier(loss="hinge", l2=0.01, tol=1e-3).fit(X, y)
    for k, one in enumerate(er.score(model, X, y).per_class):
        assert one.auc_roc.value == pytest.approx(metrics.roc_auc_score(y == k, model.decision_function(X)[:, k]))


def test_weights_count_as_scikit_learn_has_them(two):
    X, y = two
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    weights = np.random.default_rng(1).integers(0, 4, 120).astype(float)
    found = er.score(model, X, y, weights)
    called, chances, truth = model.predict(X), model.predict_proba(X), y == "yes"
    assert found.rows == np.count_nonzero(weights)
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(y, called, sample_weight=weights))
    assert found.log_loss.value == pytest.approx(metrics.log_loss(y, chances, sample_weight=weights))
    expected = metrics.roc_auc_score(truth, model.decision_function(X), sample_weight=weights)
    assert found.auc_roc.value == pytest.approx(expected)
    for measure in found.measures().values():
        assert measure.interval is None
        assert "unequal weights" in measure.note


def test_equal_weights_are_as_none_and_rows_of_weight_zero_as_absent(two):
    X, y = two
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    assert er.score(model, X, y, np.full(120, 3.0)).to_json() == er.score(model, X, y).to_json()
    weights = np.repeat([1.0, 0.0], 60)
    odd = np.where(weights > 0.0, y, "neither")  # what weighs nothing may hold any label
    assert er.score(model, X, odd, weights).to_json() == er.score(model, X[:60], y[:60]).to_json()


def test_a_regression_agrees_with_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    model = er.LinearRegressor(l2=1e-3).fit(X, y)
    found, predicted = er.score(model, X, y), model.predict(X)
    assert isinstance(found, er.RegressionScore)
    assert found.root_mean_squared_error.value == pytest.approx(metrics.root_mean_squared_error(y, predicted))
    assert found.mean_absolute_error.value == pytest.approx(metrics.mean_absolute_error(y, predicted))
    assert found.r_squared.value == pytest.approx(metrics.r2_score(y, predicted))
    assert found.pinball_loss.value == pytest.approx(metrics.mean_pinball_loss(y, predicted))
    assert found.quantile == 0.5
    weights = np.random.default_rng(0).random(y.size)
    weighted = er.score(model, X, y, weights)
    assert weighted.r_squared.value == pytest.approx(metrics.r2_score(y, predicted, sample_weight=weights))
    assert weighted.r_squared.interval is None


def test_the_pinball_loss_is_at_the_quantile_of_the_model():
    X, y = load_diabetes(return_X_y=True)
    model = er.LinearRegressor(loss="quantile:level=0.9", l2=1e-2, max_passes=50, tol=0.1).fit(X[:80, :3], y[:80])
    pipeline = make_pipeline(StandardScaler(), model).fit(X[:80, :3], y[:80])
    for found in (model, model.model_, pipeline):
        score = er.score(found, X[:80, :3], y[:80])
        assert score.quantile == 0.9
        expected = metrics.mean_pinball_loss(y[:80], found.predict(X[:80, :3]), alpha=0.9)
        assert score.pinball_loss.value == pytest.approx(expected)


def covered(measured, true, n=250):
    rng = np.random.default_rng(7)
    found = [measured(rng).interval for _ in range(n)]
    return sum(interval.low <= true <= interval.high for interval in found) / n


@pytest.mark.parametrize(
    ("name", "true"),
    [
        ("root_mean_squared_error", 1.0),
        ("mean_absolute_error", math.sqrt(2.0 / math.pi)),
        ("r_squared", 0.8),
        ("pinball_loss", 0.5 * math.sqrt(2.0 / math.pi)),
    ],
)
def test_measures_of_a_regression_are_covered(name, true):
    """Labels 2 x + noise, x and the noise standard normal, and the model 2 x."""
    model = fit_linear(np.array([[0.0], [1.0]]), [0.0, 2.0], FitOptions(task="regression", l2=0.0)).model

    def measured(rng):
        x = rng.normal(size=(150, 1))
        return er.score(model, x, 2.0 * x[:, 0] + rng.normal(size=150)).measures()[name]

    assert covered(measured, true) >= 0.91


def test_the_same_object_for_model_estimator_and_file(two, tmp_path):
    X, y = two
    estimator = er.LinearClassifier(l2=0.01).fit(X, y)
    er.save(estimator, tmp_path / "model")
    expected = er.score(estimator, X, y).to_json()
    assert er.score(estimator.model_, X, y).to_json() == expected
    assert er.score(er.load(tmp_path / "model"), X, y).to_json() == expected


def test_planes_are_judged_without_probabilities():
    X, y = load_iris(return_X_y=True)
    for plane in (er.Perceptron(), er.MaxMarginClassifier(), er.ExactClassifier()):
        model = plane.fit(X[:80], y[:80] > 0)
        for found in (model, model.model_):
            score = er.score(found, X[:80], y[:80] > 0)
            assert (score.error.value, score.auc_roc.value) == (0.0, 1.0)
            assert score.classes == (False, True)
            assert math.isnan(score.log_loss.value)
            assert "no probabilities" in score.log_loss.note
            assert score.to_json()["brier"]["value"] is None


def test_pipelines_searches_and_foreign_estimators_are_judged(two):
    X, y = two
    pipeline = make_pipeline(StandardScaler(), er.LinearClassifier(l2=0.01)).fit(X, y)
    search = GridSearchCV(pipeline, {"linearclassifier__l2": [0.01]}, cv=2).fit(X, y)
    expected = er.score(pipeline, X, y)
    assert expected.log_loss.value == pytest.approx(metrics.log_loss(y, pipeline.predict_proba(X)))
    assert er.score(search, X, y).to_json() == expected.to_json()
    theirs = LogisticRegression(C=1 / (120 * 0.01), tol=1e-8).fit(StandardScaler().fit_transform(X), y)
    found = er.score(make_pipeline(StandardScaler().fit(X), theirs), X, y)
    assert found.log_loss.value == pytest.approx(expected.log_loss.value, abs=1e-5)


def test_log_loss_is_exact_where_chances_have_no_digits_left():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = fit_linear(X, [0, 0, 1, 1], FitOptions(l2=1e-3)).model._replace(weights=np.array([500.0]), intercept=0.0)
    found = er.score(model, np.array([[1.0], [-1.0]]), [0, 1])  # both wrong by 500
    assert found.log_loss.value == pytest.approx(500.0)


def test_classes_without_rows_are_said(three):
    X, y = three
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    found = er.score(model, X[:100], y[:100])
    assert math.isnan(found.per_class[2].recall.value)
    assert found.per_class[2].recall.note == "no row of the class"
    assert "classes that have rows" in found.balanced_accuracy.note
    one = er.score(model, X[:50], y[:50])
    assert math.isnan(one.auc_roc.value)
    assert one.to_json()["auc_roc"] == {"value": None, "interval": None, "note": "the rows are of one class"}


def test_what_cannot_be_judged_is_refused_with_a_sentence(two):
    X, y = two
    model = er.LinearClassifier(l2=0.01).fit(X, y)
    with pytest.raises(
        ValueError, match=r"the label 'maybe' in row 3 \(.*\), and the model knows the classes 'no', 'yes'"
    ):
        er.score(model, X[:5], ["yes", "no", "yes", "maybe", "no"])
    with pytest.raises(ValueError, match="one label for each of the 120 rows"):
        er.score(model, X, y[:-1])
    with pytest.raises(ValueError, match="there is no row"):
        er.score(model.model_, X[:0], y[:0])
    with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
        er.score(model, X, y, level=95)
    with pytest.raises(Unsupported, match="not fitted yet"):
        er.score(er.LinearClassifier(), X, y)
    with pytest.raises(Unsupported, match="takes a model or a fitted estimator, got int"):
        er.score(3, X, y)
    with pytest.raises(ValueError, match="non-negative"):
        er.score(model, X, y, -np.ones(120))


def test_constant_labels_have_no_r_squared():
    model = fit_linear(np.array([[0.0], [1.0]]), [0.0, 2.0], FitOptions(task="regression")).model
    found = er.score(model, np.array([[0.0], [1.0]]), [1.0, 1.0])
    assert found.r_squared.note == "the labels are all equal"
    assert found.to_json()["r_squared"]["value"] is None

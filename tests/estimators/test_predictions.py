"""What a fitted estimator says: labels, scores, probabilities, shapes."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from empirisk import Hinge, LinearClassifier, LinearRegressor, Logistic

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(2)
X = RANDOM.standard_normal((50, 3))
POSITIVE = X @ [2.0, -1.0, 0.5] + 0.3 * RANDOM.standard_normal(50) > 0.2


@pytest.mark.parametrize(
    "classes",
    [
        ("cat", "dog"),
        (False, True),
        (0, 1),
        (-1, 1),
        (3, 7),
        (-2.0, 5.0),
        (np.uint8(0), np.uint8(255)),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_labels_map_back(classes, as_list):
    y = np.where(POSITIVE, classes[1], classes[0])
    fitted = LinearClassifier(l2=0.01).fit(X, y.tolist() if as_list else y)
    assert fitted.classes_.tolist() == sorted(classes)
    predicted = fitted.predict(X)
    assert set(predicted.tolist()) == set(classes)
    assert np.mean(predicted == y) > 0.9
    assert as_list or predicted.dtype == y.dtype
    # The model is the same whatever the labels are called: the last one in sorted order is +1.
    assert fitted.coef_.tobytes() == LinearClassifier(l2=0.01).fit(X, POSITIVE).coef_.tobytes()


def test_labels_of_mixed_kinds_are_refused():
    y = np.where(POSITIVE, "1", "0").astype(object)
    y[0] = 1
    with pytest.raises(ValueError, match="Unknown label type"):
        LinearClassifier().fit(X, y)


def test_shapes():
    classifier = LinearClassifier(l2=0.01).fit(X, POSITIVE)
    assert classifier.coef_.shape == (1, 3)
    assert classifier.intercept_.shape == (1,)
    assert classifier.decision_function(X).shape == (50,)
    assert classifier.predict_proba(X).shape == (50, 2)
    assert isinstance(classifier.n_iter_, int)
    assert classifier.n_iter_ >= 1
    regressor = LinearRegressor(l2=0.01).fit(X, X[:, 0])
    assert regressor.coef_.shape == (3,)
    assert isinstance(regressor.intercept_, float)
    assert regressor.predict(X).shape == (50,)
    assert not hasattr(regressor, "classes_")


def test_scores_are_linear_and_labels_are_their_signs():
    fitted = LinearClassifier(l2=0.01).fit(X, POSITIVE)
    scores = fitted.decision_function(X)
    np.testing.assert_allclose(scores, X @ fitted.coef_[0] + fitted.intercept_, rtol=1e-12)
    assert np.array_equal(fitted.predict(X), scores >= 0.0)


def test_a_score_of_zero_is_the_last_class():
    fitted = LinearClassifier(fit_intercept=False, l2=0.1).fit(X, POSITIVE)
    assert fitted.predict(np.zeros((1, 3))).tolist() == [True]
    assert fitted.intercept_.tolist() == [0.0]


def test_probabilities_of_a_likelihood():
    fitted = LinearClassifier(l2=0.01).fit(X, POSITIVE)
    chances = fitted.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1.0 / (1.0 + np.exp(-fitted.decision_function(X))), rtol=1e-12)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(fitted.predict_log_proba(X), np.log(chances))


def test_extreme_probabilities_raise_no_warning():
    fitted = LinearClassifier(l2=1e-3).fit(X, POSITIVE)
    far = 1e6 * X[:4]
    assert np.all(np.isin(fitted.predict_proba(far), [0.0, 1.0]))
    assert np.all(np.isin(fitted.predict_log_proba(far), [0.0, -np.inf]))


@pytest.mark.parametrize("loss", ["logistic", "logistic:scale=2", Logistic()])
def test_likelihoods_have_probabilities(loss):
    assert hasattr(LinearClassifier(loss=loss), "predict_proba")
    assert hasattr(LinearClassifier(loss=loss), "predict_log_proba")


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "squared", Hinge(), "unknown"])
@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_other_losses_have_none(loss, method):
    assert not hasattr(LinearClassifier(loss=loss), method)
    with pytest.raises(AttributeError, match=method):
        getattr(LinearClassifier(loss=loss), method)


@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba", "predict_log_proba"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(LinearClassifier(), method)(X)


def test_other_columns_than_those_of_the_fit():
    fitted = LinearClassifier(l2=0.01).fit(X, POSITIVE)
    with pytest.raises(ValueError, match="X has 2 features, but LinearClassifier is expecting 3 features"):
        fitted.predict(X[:, :2])

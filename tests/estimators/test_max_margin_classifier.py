"""The classifier of the widest gap."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators import max_margin_classifier as module
from empirisk.estimators.max_margin_classifier import MaxMarginClassifier, NotSeparated
from empirisk.separation.inseparability import Inseparability

pytestmark = pytest.mark.compiled

INSEPARABLE = "its data have no widest gap"
REFUSED = dict.fromkeys(
    [
        "check_classifier_data_not_an_array",
        "check_classifiers_train",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_dtypes",
        "check_estimators_nan_inf",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_supervised_y_2d",
    ],
    INSEPARABLE,
)


@pytest.fixture
def setosa():
    X, y = load_iris(return_X_y=True)
    return X, np.where(y == 0, "setosa", "other")


@parametrize_with_checks([MaxMarginClassifier()], expected_failed_checks=lambda estimator: REFUSED)
def test_scikit_learn_contract(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_attributes(make, setosa):
    X, y = setosa
    model = MaxMarginClassifier().fit(make(X), y)
    signs = np.where(y == "setosa", 1.0, -1.0)
    assert model.score(make(X), y) == 1.0
    assert model.classes_.tolist() == ["other", "setosa"]
    assert model.coef_.shape == (1, 4)
    assert model.n_features_in_ == 4
    margins = signs * model.decision_function(make(X))
    assert margins.min() == pytest.approx(1.0, abs=1e-7)
    np.testing.assert_allclose(margins[model.support_], 1.0, atol=1e-6)
    assert model.margin_ == pytest.approx(1.0 / np.linalg.norm(model.coef_), rel=1e-7)
    between = model.dual_coef_[0] @ X[model.support_]
    assert 2.0 * model.margin_ == pytest.approx(np.linalg.norm(between), rel=1e-6)
    assert er.verify(model.certificate_, make(X), y).holds
    assert er.verify(model.ball_, make(X)).holds
    low, high = model.relative_margin_
    assert low <= model.margin_ / model.ball_.radius_high * (1.0 + 1e-9)
    assert high == pytest.approx(low, rel=1e-6)


def test_peer_agrees(setosa):
    X, y = setosa
    model, peer = MaxMarginClassifier().fit(X, y), SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-4)


def test_through_the_origin(setosa):
    X, y = setosa
    model = MaxMarginClassifier(fit_intercept=False).fit(X, y)
    assert model.intercept_[0] == 0.0
    assert model.score(X, y) == 1.0


def test_inseparable_data_raise_the_verdict():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotSeparated, match=r"no widest gap to fit\. Inseparable") as caught:
        MaxMarginClassifier().fit(X[50:], y[50:])
    verdict = caught.value.verdict
    assert isinstance(verdict, Inseparability)
    assert er.verify(verdict, X[50:], y[50:]).holds
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.verdict.rows == verdict.rows


def test_uncertified_fit_warns(setosa, monkeypatch):
    X, y = setosa
    find = module.widest_gap_of_points
    # Half as sharp a lower end: what a time limit may leave.
    monkeypatch.setattr(module, "widest_gap_of_points", lambda *parts, **options: _wider(find(*parts, **options)))
    with pytest.warns(ConvergenceWarning, match="the gap is not certified to 1e-06"):
        MaxMarginClassifier().fit(X, y)


def _wider(gap):
    return gap._replace(norm_low=0.5 * gap.norm_low)


def test_within_scikit_learn(setosa):
    X, y = setosa
    assert cross_val_score(MaxMarginClassifier(), X, y, error_score="raise").min() >= 0.9
    three = load_iris(return_X_y=True)[1]
    with pytest.raises(ValueError, match="y has 3 classes"):
        MaxMarginClassifier().fit(X, three)
    names = np.array(["a", "b", "c"])[three]
    keep = np.r_[0:50, 100:150]
    pairs = OneVsOneClassifier(MaxMarginClassifier()).fit(X[keep], names[keep])
    assert pairs.score(X[keep], names[keep]) == 1.0
    model = MaxMarginClassifier().fit(X, y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [({"tol": -1.0}, "tol"), ({"fit_intercept": "yes"}, "fit_intercept"), ({"time_limit": -1.0}, "time_limit")],
)
def test_bad_parameters(parameters, said, setosa):
    with pytest.raises((ValueError, TypeError), match=said):
        MaxMarginClassifier(**parameters).fit(*setosa)


def test_bad_data(setosa):
    X, y = setosa
    with pytest.raises(ValueError, match="one class"):
        MaxMarginClassifier().fit(X[:50], y[:50])
    hole = X.copy()
    hole[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1"):
        MaxMarginClassifier().fit(hole, y)
    model = MaxMarginClassifier().fit(X, y)
    with pytest.raises(ValueError, match="row 3, column 1"):
        model.predict(hole)
    with pytest.raises(NotFittedError):
        MaxMarginClassifier().predict(X)

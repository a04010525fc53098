"""The classifier with the fewest training errors."""

import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators.exact_classifier import ExactClassifier

pytestmark = pytest.mark.compiled


# Some of scikit-learn's data have ten columns and random labels: what cannot be proven in a moment warns.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([ExactClassifier(max_nodes=2000)])
def test_scikit_learn_contract(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


@pytest.fixture
def tumors():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:150, :3], np.where(y[:150] == 1, "benign", "malignant")


def test_fewer_errors_than_surrogates(tumors):
    X, y = tumors
    model = ExactClassifier().fit(X, y)
    assert model.is_optimal_
    assert model.errors_ == model.bound_ == np.sum(model.predict(X) != y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    for other in (LogisticRegression(), LinearSVC()):
        assert model.errors_ < np.sum(other.fit(scaled, y).predict(scaled) != y)


def test_attributes(tumors):
    X, y = tumors
    model = ExactClassifier().fit(X, y)
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)
    assert model.classes_.tolist() == ["benign", "malignant"]
    assert er.verify(model.certificate_, X, y).holds
    assert model.n_nodes_ > 0
    assert model.status_ == "the fewest errors, proven"
    assert np.allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


def test_sparse_and_frames(tumors):
    X, y = tumors
    dense = ExactClassifier().fit(X, y)
    sparse = ExactClassifier().fit(scipy.sparse.csr_array(X), y)
    frame = ExactClassifier().fit(pandas.DataFrame(X, columns=["a", "b", "c"]), y)
    assert dense.errors_ == sparse.errors_ == frame.errors_
    assert frame.feature_names_in_.tolist() == ["a", "b", "c"]
    assert np.array_equal(dense.predict(scipy.sparse.csr_array(X)), dense.predict(X))


def test_weights_stand_for_copies(tumors):
    X, y = tumors
    s = np.random.default_rng(0).integers(0, 4, y.size)
    weighted = ExactClassifier().fit(X, y, sample_weight=s)
    copied = ExactClassifier().fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert weighted.errors_ == copied.errors_
    assert er.verify(weighted.certificate_, X, y, s).holds


def test_without_an_intercept(tumors):
    X, y = tumors
    model = ExactClassifier(fit_intercept=False).fit(X, y)
    assert model.intercept_[0] == 0.0
    assert model.errors_ >= ExactClassifier().fit(X, y).errors_


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"max_nodes": 0}, {"callback": lambda progress: True}])
def test_an_end_without_proof_warns(tumors, limits):
    X, y = tumors
    model = ExactClassifier(**limits)
    with pytest.warns(ConvergenceWarning, match="every plane makes at least"):
        model.fit(X, y)
    assert model.bound_ <= model.errors_
    assert er.verify(model.certificate_, X, y).holds


def test_many_classes_are_left_to_a_wrapper():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.where(X[:, 0] > 0.5, 2, np.where(X[:, 1] > 0.0, 1, 0))
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        ExactClassifier().fit(X, y)
    assert OneVsRestClassifier(ExactClassifier()).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"time_limit": -1.0}, ValueError),
        ({"max_nodes": -1}, ValueError),
        ({"fit_intercept": "yes"}, (TypeError, ValueError)),
        ({"callback": 3}, (TypeError, ValueError)),
        ({"random_state": "a"}, (TypeError, ValueError)),
    ],
)
def test_bad_parameters(tumors, parameters, error):
    with pytest.raises(error, match=next(iter(parameters))):
        ExactClassifier(**parameters).fit(*tumors)

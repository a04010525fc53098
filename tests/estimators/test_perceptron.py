"""The perceptron as a scikit-learn estimator."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators.perceptron import Perceptron
from empirisk.separation.perceptron import FORMS, perceptron

pytestmark = pytest.mark.compiled
IRIS, SPECIES = load_iris(return_X_y=True)
SETOSA = np.where(SPECIES == 0, "setosa", "other")


@pytest.fixture(autouse=True)
def _array_api(monkeypatch):
    """Without this variable scikit-learn skips its array-API check."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# Some of their data are not separable: those fits warn.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([Perceptron(form=form, max_passes=50) for form in FORMS] + [Perceptron(order="random")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_fit_leaves(form):
    model = Perceptron(form=form, random_state=1).fit(IRIS, SETOSA)
    run = perceptron(IRIS, SETOSA, form=form, seed=1)
    assert model.classes_.tolist() == ["other", "setosa"]
    assert model.coef_.shape == (1, 4)
    assert model.intercept_.shape == (1,)
    np.testing.assert_array_equal(model.coef_[0], run.weights)
    assert model.mistakes_ == run.mistakes
    assert er.verify(model.certificate_, IRIS, SETOSA).holds
    assert model.verdict_ is None
    assert model.n_iter_ == np.ceil(run.passes)
    np.testing.assert_array_equal(model.predict(IRIS), run.predict(IRIS))
    np.testing.assert_array_equal(model.decision_function(IRIS) >= 0.0, model.predict(IRIS) == "setosa")
    assert model.score(IRIS, SETOSA) == 1.0


def test_a_budget_that_is_too_small_for_separable_data():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"at the pass limit.*at most \(R B\)\^2.*Separable: a plane has"):
        model = make_pipeline(StandardScaler(), Perceptron(max_passes=50)).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    assert model[-1].verdict_.is_separable
    assert er.verify(model[-1].verdict_, scaled, y).holds
    assert er.verify(model[-1].certificate_, scaled, y).holds


def test_inseparable_data_warn_with_the_conflict():
    X = np.vstack([IRIS[:100], IRIS[0]])
    y = np.append(SETOSA[:100], "other")
    with pytest.warns(ConvergenceWarning, match=r"Perceptron: .* 2 rows 0, 100"):
        model = Perceptron(max_passes=20).fit(X, y)
    assert model.verdict_.rows == (0, 100)
    assert er.verify(model.verdict_, X, y).holds
    assert model.certificate_ is model.verdict_  # the model holds what is proven, and that is not about its plane
    assert er.verify(model, X, y).holds
    assert not model.model_.certified
    assert model.solution_.certificate is None
    assert model.solution_.best.errors <= 2


def test_warm_start_continues():
    rows, y = IRIS[50:], SPECIES[50:]
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_passes=3, warm_start=True, certify=False).fit(rows, y)
    first = model.solution_.last
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, y)
    again = perceptron(rows, y, start=first, max_passes=3, certify=False)
    np.testing.assert_array_equal(model.coef_[0], again.weights)
    cold = clone(model).set_params(warm_start=False)
    with pytest.warns(ConvergenceWarning):
        cold.fit(rows, y).fit(rows, y)
    np.testing.assert_array_equal(cold.coef_[0], first[0])
    model.set_params(fit_intercept=False)
    with pytest.warns(ConvergenceWarning):
        assert model.fit(rows, y).intercept_[0] == 0.0
    assert Perceptron(warm_start=True).fit(IRIS, SETOSA).fit(IRIS[:, :2], SETOSA).coef_.shape == (1, 2)


def test_many_classes_by_wrapping():
    pocket = OneVsRestClassifier(Perceptron(form="pocket", order="random", max_passes=50, certify=False))
    with pytest.warns(ConvergenceWarning):
        assert pocket.fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.6


def test_sparse_and_single_precision_give_the_same_plane():
    single = IRIS.astype(np.float32)
    model = Perceptron().fit(single, SETOSA)
    for rows in (scipy.sparse.csr_array(single), scipy.sparse.csc_matrix(single), single.astype(np.float64)):
        np.testing.assert_array_equal(Perceptron().fit(rows, SETOSA).coef_, model.coef_)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"form": "newton"}, ValueError, "form must be one of 'online', 'batch'"),
        ({"order": 3}, TypeError, "order must be one of 'cyclic', 'random', got 3"),
        ({"alpha": 0.0, "form": "gradient"}, ValueError, "alpha must be a positive finite number"),
        ({"alpha": 0.5}, ValueError, "alpha and epsilon belong to form='gradient', and this is form='online'"),
        ({"epsilon": -1.0, "form": "gradient"}, ValueError, "epsilon must be a finite number >= 0"),
        ({"max_passes": 0}, ValueError, "max_passes must be an integer >= 1, got 0"),
        ({"max_passes": 2.5}, TypeError, "max_passes must be an integer >= 1"),
        ({"time_limit": -1.0}, ValueError, "time_limit must be a number of seconds >= 0 or None"),
        ({"fit_intercept": 1}, TypeError, "fit_intercept must be True or False"),
        ({"widest_gap": "yes"}, TypeError, "widest_gap must be True or False"),
        ({"certify": None}, TypeError, "certify must be True or False"),
        ({"warm_start": 1}, TypeError, "warm_start must be True or False"),
        ({"random_state": -1}, ValueError, "random_state must be None, an integer >= 0"),
    ],
)
def test_wrong_parameters(parameters, error, words):
    with pytest.raises(error, match=words):
        Perceptron(**parameters).fit(IRIS, SETOSA)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_data_that_are_not_finite(value, word):
    wrong = IRIS.copy()
    wrong[7, 2] = value
    with pytest.raises(ValueError, match=rf"X contains {word} \(row 7, column 2"):
        Perceptron().fit(wrong, SETOSA)
    with pytest.raises(ValueError, match=rf"X contains {word} \(row 7, column 2"):
        Perceptron().fit(IRIS, SETOSA).predict(wrong)


def test_one_class():
    with pytest.raises(ValueError, match="only one class"):
        Perceptron().fit(IRIS, np.zeros(150))

"""The estimators inside scikit-learn: pipelines, searches, routing, cloning, pickling, named columns."""

import doctest
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from empirisk import LinearClassifier, LinearRegressor, Logistic
from empirisk.estimators import linear_classifier, linear_regressor

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((80, 3)) * [1.0, 10.0, 0.1] + 2.0
TARGET = X @ [1.0, -0.3, 2.0] + 0.5 * RANDOM.standard_normal(80)
LABELS = np.where(np.median(TARGET) < TARGET, "yes", "no")
WEIGHTS = RANDOM.uniform(0.1, 3.0, 80)
BOTH = pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])


@pytest.mark.parametrize("module", [linear_classifier, linear_regressor])
def test_examples_of_the_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)


def test_kinds():
    assert is_classifier(LinearClassifier())
    assert is_regressor(LinearRegressor())


@BOTH
def test_grid_search_over_a_pipeline(kind, y):
    name = kind.__name__.lower()
    grid = {f"{name}__l2": [10.0, 1e-3], f"{name}__fit_intercept": [True, False]}
    search = GridSearchCV(make_pipeline(StandardScaler(), kind()), grid, cv=3).fit(X, y)
    assert search.best_params_[f"{name}__l2"] == 1e-3
    assert search.score(X, y) > 0.8
    assert search.best_estimator_[-1].model_.certified


def test_grid_search_over_objects():
    losses = [Logistic(), Logistic(scale=3.0)]
    search = GridSearchCV(LinearClassifier(l2=0.1), {"loss": losses}, cv=2).fit(X, LABELS)
    assert search.best_params_["loss"] in losses
    assert list(search.cv_results_["param_loss"]) == losses


@BOTH
def test_weights_are_routed_to_the_fit(kind, y):
    with sklearn.config_context(enable_metadata_routing=True):
        model = kind(l2=0.01).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        search = GridSearchCV(pipeline, {f"{kind.__name__.lower()}__l2": [0.01]}, cv=2)
        search.fit(X, y, sample_weight=WEIGHTS)
        scores = cross_val_score(model, X, y, params={"sample_weight": WEIGHTS}, cv=2)
    expected = kind(l2=0.01).fit(StandardScaler().fit_transform(X), y, sample_weight=WEIGHTS)
    assert search.best_estimator_[-1].coef_.tobytes() == expected.coef_.tobytes()
    assert np.all(np.isfinite(scores))


@BOTH
def test_clone_has_the_parameters_and_nothing_fitted(kind, y):
    fitted = kind(l2=0.5, solver="lbfgs", tol=1e-4).fit(X, y)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]


@BOTH
@pytest.mark.parametrize("through", ["pickle", "joblib"])
def test_pickled_predictions_have_the_same_bytes(kind, y, through):
    fitted = kind(l2=0.01).fit(X, y)
    if through == "pickle":
        copy = pickle.loads(pickle.dumps(fitted))
    else:
        stream = io.BytesIO()
        joblib.dump(fitted, stream)
        stream.seek(0)
        copy = joblib.load(stream)
    assert copy.predict(X).tobytes() == fitted.predict(X).tobytes()
    assert copy.certificate_.gap == fitted.certificate_.gap
    assert copy.solution_.status is fitted.solution_.status


@BOTH
def test_named_columns(kind, y):
    names = ["age", "height", "weight"]
    frame = pd.DataFrame(X, columns=names)
    fitted = kind(l2=0.01).fit(frame, pd.Series(y))
    assert fitted.feature_names_in_.tolist() == names
    assert fitted.model_.feature_names == tuple(names)
    assert fitted.n_features_in_ == 3
    assert np.array_equal(fitted.predict(frame), kind(l2=0.01).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[names[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(X)


@BOTH
def test_names_of_an_earlier_fit_are_forgotten(kind, y):
    fitted = kind(l2=0.01).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y).fit(X, y)
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.model_.feature_names is None


@BOTH
def test_sparse_and_dense_agree(kind, y):
    dense = kind(l2=0.01, tol=1e-10).fit(X, y)
    for container in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        sparse = kind(l2=0.01, tol=1e-10).fit(container(X), y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
        assert np.array_equal(sparse.predict(container(X)) == y, dense.predict(X) == y)


@BOTH
def test_single_precision_gives_the_same_model(kind, y):
    single = X.astype(np.float32)
    fitted = kind(l2=0.01, tol=1e-10).fit(single, y)
    same_values = kind(l2=0.01, tol=1e-10).fit(single.astype(np.float64), y)
    np.testing.assert_allclose(fitted.coef_, same_values.coef_, rtol=1e-5)


def test_the_path_of_a_fit_is_kept_where_asked():
    model = LinearClassifier(l2=0.1, solver="newton", keep_points=True).fit(X, LABELS)
    trace = model.solution_.trace
    assert len(trace.points) == len(trace.checks) > 1
    np.testing.assert_array_equal(trace.points[-1].weights, model.coef_[0])
    assert LinearClassifier(l2=0.1).fit(X, LABELS).solution_.trace.points is None

"""Three classes or more inside scikit-learn: shapes, peers, probabilities, weights, searches."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import empirisk as er
from empirisk import LinearClassifier

pytestmark = pytest.mark.compiled

IRIS = load_iris()
X, Y = scale(IRIS.data), IRIS.target
NAMES = IRIS.target_names[Y]
L2 = 0.01
WAYS = pytest.mark.parametrize("multiclass", ["softmax", "one_vs_rest"])


@WAYS
def test_shapes_and_labels(multiclass):
    fitted = LinearClassifier(l2=L2, multiclass=multiclass).fit(X, NAMES)
    assert fitted.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert (fitted.coef_.shape, fitted.intercept_.shape) == ((3, 4), (3,))
    scores = fitted.decision_function(X)
    assert scores.shape == (150, 3)
    np.testing.assert_allclose(scores, X @ fitted.coef_.T + fitted.intercept_, rtol=1e-10, atol=1e-10)
    assert fitted.predict(X).tolist() == fitted.classes_[scores.argmax(axis=1)].tolist()
    assert fitted.score(X, NAMES) > 0.9
    chances = fitted.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(fitted.predict_log_proba(X), np.log(chances))
    assert roc_auc_score(Y, chances, multi_class="ovr") > 0.95
    assert fitted.certificate_.relative_gap <= 1e-6
    assert er.verify(fitted, X, NAMES).holds


def softmax_objective(coef, intercept):
    z = X @ coef.T + intercept
    log_sum = np.log(np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1)) + z.max(axis=1)
    return np.mean(log_sum - z[np.arange(150), Y]) + 0.5 * L2 * np.sum(coef * coef)


@pytest.mark.parametrize("solver", ["auto", "newton", "lbfgs", "sdca"])
def test_softmax_against_scikit_learn(solver):
    theirs = LogisticRegression(C=1.0 / (150 * L2), tol=1e-10, max_iter=10_000).fit(X, Y)
    ours = LinearClassifier(l2=L2, tol=1e-8, solver=solver, max_passes=20_000).fit(X, Y)
    found = softmax_objective(ours.coef_, ours.intercept_)
    assert found == pytest.approx(ours.certificate_.objective, rel=1e-12)
    # The certificate is a promise about every other point, theirs included.
    assert found - ours.certificate_.gap <= softmax_objective(theirs.coef_, theirs.intercept_)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge"])
def test_one_against_the_rest_against_scikit_learn(loss):
    ours = LinearClassifier(loss=loss, l2=0.1, multiclass="one_vs_rest", tol=1e-8, max_passes=20_000).fit(X, Y)
    theirs = OneVsRestClassifier(LinearClassifier(loss=loss, l2=0.1, tol=1e-8, max_passes=20_000)).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, np.vstack([e.coef_ for e in theirs.estimators_]), atol=2e-3)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    if loss == "logistic":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def test_a_constraint_holds_for_each_class():
    fitted = LinearClassifier(l2=L2, multiclass="one_vs_rest", constraint="l2_ball:radius=0.5").fit(X, Y)
    assert np.all(np.linalg.norm(fitted.coef_, axis=1) <= 0.5 + 1e-9)
    assert fitted.model_.certified
    assert er.verify(fitted, X, Y).holds


def test_integer_weights_are_repeated_rows():
    counts = np.random.default_rng(0).integers(0, 3, 150)
    weighted = LinearClassifier(l2=L2, tol=1e-9).fit(X, Y, sample_weight=counts)
    repeated = LinearClassifier(l2=L2, tol=1e-9).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-5)


def test_balanced_classes_weigh_the_same():
    kept = np.r_[:50, 50:70, 100:110]
    counts = np.bincount(Y[kept])
    by_name = LinearClassifier(l2=L2, tol=1e-9, class_weight="balanced").fit(X[kept], Y[kept])
    by_row = LinearClassifier(l2=L2, tol=1e-9).fit(X[kept], Y[kept], sample_weight=(80 / (3 * counts))[Y[kept]])
    np.testing.assert_allclose(by_name.coef_, by_row.coef_, rtol=1e-6, atol=1e-8)


@WAYS
def test_frames_sparse_rows_and_single_precision(multiclass):
    model = LinearClassifier(l2=L2, multiclass=multiclass)
    expected = model.fit(X, NAMES).predict(X)
    frame = pd.DataFrame(X, columns=IRIS.feature_names)
    assert model.fit(frame, pd.Series(NAMES)).predict(frame).tolist() == expected.tolist()
    assert model.fit(scipy.sparse.csr_array(X), NAMES).predict(X).tolist() == expected.tolist()
    assert np.mean(model.fit(X.astype(np.float32), NAMES).predict(X) == expected) > 0.98


def test_a_warm_start_with_other_classes_starts_anew():
    kept = Y < 2
    model = LinearClassifier(l2=L2, warm_start=True)
    assert model.fit(X, Y).fit(X[kept], Y[kept]).coef_.shape == (1, 4)
    again = model.fit(X, Y)
    assert again.coef_.tobytes() == LinearClassifier(l2=L2).fit(X, Y).coef_.tobytes()
    with pytest.warns(ConvergenceWarning, match="pass limit"):
        cold = LinearClassifier(l2=L2, solver="lbfgs", max_passes=3).fit(X, Y)
    assert not cold.model_.certified


def test_a_search_over_the_ways():
    grid = {"linearclassifier__multiclass": ["softmax", "one_vs_rest"], "linearclassifier__l2": [1.0, 1e-3]}
    search = GridSearchCV(make_pipeline(StandardScaler(), LinearClassifier()), grid, cv=3).fit(IRIS.data, NAMES)
    assert search.best_params_["linearclassifier__l2"] == 1e-3
    assert search.score(IRIS.data, NAMES) > 0.9

"""A model that was read from a file does what scikit-learn asks of a fitted estimator, on frames too."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import empirisk as er
from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from empirisk.encodings.columns import fit_columns
from empirisk.models import FitOptions
from empirisk.models.examples import Examples, fit_examples
from empirisk.protocols import Unsupported

TEXT = """age,color,member,label
21,red,True,no
34,blue,False,yes
45,green,True,yes
52,red,False,yes
19,blue,True,no
27,green,False,no
38,red,True,yes
23,blue,False,no
"""
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((40, 3))
SIGNS = X @ [1.0, -1.0, 0.5] > 0.1
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
TARGET = X @ [1.0, -1.0, 0.5] + 0.1 * RANDOM.standard_normal(40)


@pytest.fixture
def table(tmp_path):
    """A CSV file with categories, and the model of the command line for it, from its file."""
    path = tmp_path / "train.csv"
    path.write_text(TEXT)
    read = read_csv(str(path))
    columns = fit_columns(read, exclude=["label"])
    cells = read.columns[read.names.index("label")]
    examples = Examples(columns.encode(read, ignore_new=True), cells, None, str(path), "label", None, columns)
    er.save(fit_examples(examples, FitOptions(l2=0.01)).model, tmp_path / "model")
    return path, er.load(tmp_path / "model"), examples


def reloaded(estimator, path):
    er.save(estimator, path)
    return er.load(path)


@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (er.LinearClassifier(l2=0.1), SIGNS),
        (er.LinearClassifier(l2=0.1), THREE),
        (er.LinearClassifier(loss="hinge", l2=0.1), SIGNS),
        (er.LinearRegressor(l2=0.1), TARGET),
        (er.Perceptron(), SIGNS),
        (er.MaxMarginClassifier(), SIGNS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_loaded_model_answers_as_the_estimator_it_came_from(estimator, y, tmp_path):
    estimator.fit(X, y)
    model = reloaded(estimator, tmp_path / "model")
    np.testing.assert_array_equal(model.coef_, estimator.coef_)
    np.testing.assert_array_equal(model.intercept_, estimator.intercept_)
    assert np.shape(model.coef_) == np.shape(estimator.coef_)
    assert np.shape(model.intercept_) == np.shape(estimator.intercept_)
    np.testing.assert_array_equal(model.predict(X), estimator.predict(X))
    assert model.score(X, y) == pytest.approx(estimator.score(X, y), rel=1e-12)
    weights = np.arange(40.0)
    assert model.score(X, y, weights) == pytest.approx(estimator.score(X, y, weights), rel=1e-12)
    for name in ("predict_proba", "predict_log_proba", "decision_function", "classes_", "feature_names_in_"):
        assert hasattr(model, name) == hasattr(estimator, name), name
        if hasattr(estimator, name) and name.startswith(("predict", "decision")):
            np.testing.assert_array_equal(getattr(model, name)(X), getattr(estimator, name)(X))
    assert (is_classifier(model), is_regressor(model)) == (is_classifier(estimator), is_regressor(estimator))
    assert model.n_features_in_ == 3


def test_the_frame_of_the_file_is_encoded_as_the_command_line_did(table):
    path, model, examples = table
    frame = pd.read_csv(path)
    expected = model.scores(examples.matrix)
    for given in (frame, frame.drop(columns="label"), frame[["member", "label", "color", "age"]]):
        np.testing.assert_array_equal(model.decision_function(given), expected)
    as_categories = frame.astype({"color": "category", "member": object})
    np.testing.assert_array_equal(model.decision_function(as_categories), expected)
    np.testing.assert_array_equal(model.decision_function(pl.read_csv(path)), expected)
    np.testing.assert_array_equal(model.decision_function(pyarrow.Table.from_pandas(frame)), expected)
    assert model.score(frame, frame["label"]) == np.mean(model.predict(examples.matrix) == examples.labels)
    assert er.verify(model, frame, frame["label"]).holds


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.assign(color="pink"), "expected a category of the fit .* found 'pink' in row 1"),
        (lambda frame: frame.drop(columns="age"), "^the data frame: expected the column 'age' of the fit"),
        (lambda frame: frame.assign(extra=1.0), "found also the column 'extra'"),
        (lambda frame: frame.assign(age="old"), "column 'age': expected a number as in the data of the fit"),
        (lambda frame: frame.assign(color=None), "found '' in row 1"),
        (lambda frame: frame.assign(age=np.nan), r"missing values in the column 'age' \(8 of 8 rows\)"),
    ],
)
def test_another_frame_is_refused_in_a_sentence(table, change, said):
    path, model, _ = table
    with pytest.raises(DataError, match=said):
        model.predict(change(pd.read_csv(path)))


def test_rows_leave_out_what_is_new_where_asked(table):
    path, model, examples = table
    frame = pd.read_csv(path)
    rows = model.rows(frame.assign(extra=1.0), ignore_new=True)
    np.testing.assert_array_equal(model.scores(rows), model.scores(examples.matrix))
    assert not model.rows(frame.assign(color="pink"), unknown="zero")[:, 1:4].any()


def test_frames_of_a_model_from_python_are_matched_by_name(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = reloaded(er.LinearClassifier(l2=0.1).fit(frame, SIGNS), tmp_path / "model")
    np.testing.assert_array_equal(model.predict(frame[["c", "a", "b"]]), model.predict(X))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert er.verify(model, frame, SIGNS).holds
    unnamed = reloaded(er.LinearClassifier(l2=0.1).fit(X, SIGNS), tmp_path / "model")
    np.testing.assert_array_equal(unnamed.predict(pd.DataFrame(X)), model.predict(X))


def test_a_pipeline_ends_in_a_loaded_model(table):
    path, model, _ = table
    frame = pd.read_csv(path)
    pipe = make_pipeline(FunctionTransformer(), model)
    assert "LinearModel of 6 features" in repr(pipe)
    assert clone(pipe)[-1] is model
    np.testing.assert_array_equal(pipe.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(pipe.predict_proba(frame), model.predict_proba(frame))
    assert pipe.score(frame, frame["label"]) == model.score(frame, frame["label"])
    for name in ("roc_auc", "neg_log_loss", "accuracy"):
        assert np.isfinite(get_scorer(name)(pipe, frame, frame["label"]))
    with pytest.raises(Unsupported, match=r"this model is fitted.*FrozenEstimator"):
        pipe.fit(frame, frame["label"])


def test_the_steps_before_a_frozen_model_can_be_fitted(tmp_path):
    model = reloaded(er.Perceptron().fit(StandardScaler().fit_transform(X), SIGNS), tmp_path / "model")
    pipe = make_pipeline(StandardScaler(), FrozenEstimator(model)).fit(X, SIGNS)
    assert pipe.score(X, SIGNS) == 1.0


def test_a_score_needs_labels_that_the_model_knows(tmp_path):
    model = reloaded(er.LinearClassifier(l2=0.1).fit(X, THREE), tmp_path / "model")
    with pytest.raises(ValueError, match="y holds none of the classes of the model, 'a', 'b', 'c'"):
        model.score(X, SIGNS)
    with pytest.raises(ValueError, match="y must have the shape"):
        model.score(X, THREE[:5])


def test_scikit_learn_is_not_loaded(table):
    path, _, _ = table
    code = (
        "import sys, pandas, empirisk as er; model = er.load(sys.argv[1]); frame = pandas.read_csv(sys.argv[2]);"
        "model.score(frame, frame['label']); model.predict_proba(frame); repr(model); model.coef_, model.classes_;"
        "sys.exit('sklearn' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(path.parent / "model"), str(path)], check=True)

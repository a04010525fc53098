"""The perceptron of three classes or more: a run for each against the rest, each with its own proof."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import empirisk as er
from empirisk.model_file.planes_parts import planes_from_parts, planes_to_parts

pytestmark = pytest.mark.interpreted


def apart(n=60, names=("red", "green", "blue")):
    """Three clouds that planes separate from the rest."""
    rng = np.random.default_rng(0)
    centers = 6.0 * np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    places = rng.integers(0, 3, n)
    return centers[places] + rng.standard_normal((n, 3)), np.array(names)[places]


@pytest.mark.parametrize("form", ["online", "averaged", "voted", "pocket", "batch"])
def test_each_class_has_its_run(form):
    X, y = apart()
    model = er.Perceptron(form=form).fit(X, y)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 3), (3,))
    assert model.score(X, y) == 1.0
    assert model.decision_function(X).shape == (60, 3)
    assert np.array_equal(model.predict(X), model.classes_[np.argmax(model.decision_function(X), axis=1)])
    for label, plane, run, bound in zip(model.classes_, model.coef_, model.solution_, model.certificate_, strict=True):
        alone = er.perceptron(X, y == label, form=form)
        assert np.array_equal(alone.weights, plane)
        assert run.mistakes == bound.mistakes == alone.mistakes
        assert er.verify(bound, X, y == label).holds
    assert model.mistakes_ == sum(run.mistakes for run in model.solution_)
    assert er.verify(model, X, y).holds
    assert not er.verify(model, X, np.roll(y, 1)).holds
    assert not er.verify(model, X, np.where(y == "red", "blue", y)).holds


def test_classes_that_no_plane_tells_from_the_rest():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="2 of 3 left errors; 1 against the rest: Online"):
        model = er.Perceptron(max_passes=20).fit(X, y)
    assert [type(proof).__name__ for proof in model.certificate_] == [
        "MistakeBound",
        "Inseparability",
        "Inseparability",
    ]
    assert [verdict and verdict.is_separable for verdict in model.verdict_] == [None, False, False]
    assert er.verify(model, X, y).holds
    assert not model.model_.certified
    assert model.model_.shortfall(0.0).startswith("for 1, ")


def test_the_file(tmp_path):
    X, y = apart()
    model = er.Perceptron(form="voted").fit(X, y)
    er.save(model, tmp_path / "m")
    again = er.load(tmp_path / "m")
    assert np.array_equal(again.scores(X), model.decision_function(X))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.score(X, y) == 1.0
    assert again.certified
    assert er.verify(again, X, y).holds
    assert "3 classes" in repr(again)
    with pytest.raises(AttributeError, match="gives no probabilities"):
        again.predict_proba(X)


def broken(fields, arrays):
    """What no model is: name -> fields and arrays."""
    first, *others = fields["planes"]
    yield {**fields, "planes": [first]}, arrays
    yield {**fields, "planes": {}}, arrays
    yield {**fields, "planes": [1, *others]}, arrays
    yield {**fields, "planes": [{**first, "certified": True, "certificate": None}, *others]}, arrays
    yield {**fields, "planes": [{**first, "tol": 0.5}, *others]}, arrays
    yield {**fields, "planes": [{**first, "feature_names": ["a", "b", "c"]}, *others]}, arrays
    yield {**fields, "planes": [{**first, "classes": fields["classes"]}, *others]}, arrays
    yield {**fields, "more": 1}, arrays
    yield fields, {**arrays, "7.weights": arrays["0.weights"]}
    yield fields, {**arrays, "weights": arrays["0.weights"]}
    yield fields, {**arrays, "1.weights": arrays["0.weights"][:2]}
    yield fields, {name: array for name, array in arrays.items() if name != "2.weights"}


def test_files_that_are_damaged_are_refused():
    X, y = apart()
    fields, arrays = planes_to_parts(er.Perceptron().fit(X, y).model_)
    assert planes_from_parts(fields, arrays).classes.size == 3
    for changed, other in broken(fields, arrays):
        with pytest.raises((ValueError, TypeError, KeyError)):
            planes_from_parts(changed, other)


def test_a_warm_start_goes_on_where_each_run_ended():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = er.Perceptron(max_passes=2, warm_start=True, certify=False).fit(X, y)
        last = [run.last[0].copy() for run in model.solution_]
        model.fit(X, y)
        expected = [er.perceptron(X, y == k, start=(last[k], 0.0), max_passes=2, certify=False) for k in range(3)]
        assert [run.visits for run in model.solution_] == [run.visits for run in expected]
        two = model.fit(X[:100], y[:100])  # two classes after three
    assert two.coef_.shape == (1, 4)
    assert two.certificate_ is None

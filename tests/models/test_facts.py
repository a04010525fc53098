"""The facts of a fit, without a command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from empirisk.models import FitOptions
from empirisk.models.examples import Examples, fit_examples
from empirisk.models.facts import facts_of, margins_of

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0], [3.0, 0.0], [0.5, 2.0], [2.5, 1.0]])


def facts(y, options, weights=None):
    examples = Examples(X, np.asarray(y), weights, "here")
    fit = fit_examples(examples, options)
    scores = fit.model.scores(X)
    return facts_of(fit, examples, scores, "it was asked for", 0.25, 3.0), fit, margins_of(fit.model, examples, scores)


def test_a_classification():
    found, fit, margins = facts(list("ababba"), FitOptions(l2=0.1))
    assert json.loads(json.dumps(found)) == found
    assert (found["rows"], found["features"], found["multiclass"]) == (6, 2, None)
    assert (found["seconds"], found["compile_seconds"]) == (0.25, 3.0)
    assert found["task_reason"] == "it was asked for"
    assert found["errors"] == int((margins < 0.0).sum()) > 0
    assert found["training_error"] == pytest.approx(found["errors"] / 6)
    assert found["gap"] == fit.model.certificate.gap
    assert found["condition_number"] == pytest.approx(np.linalg.eigvalsh(X.T @ X / 6)[-1] / 4 / 0.1)


def test_a_row_without_weight_is_no_error():
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    found, _, margins = facts(["a", "b", "b", "b", "b", "b"], FitOptions(l2=0.1), weights)
    assert margins[4] < 0.0  # looks like the first
    assert found["errors"] == int((margins[weights > 0.0] < 0.0).sum())
    assert found["training_error"] == found["errors"] / 5


def test_a_regression():
    y = np.array([1.0, 2.0, 4.0, 3.0, 0.0, 2.5])
    found, fit, residuals = facts(y, FitOptions(task="regression", l2=0.0))
    np.testing.assert_allclose(residuals, y - fit.model.predict(X))
    assert found["root_mean_squared_error"] == pytest.approx(np.sqrt(np.mean(residuals**2)))
    assert found["condition_number"] == "inf"  # no penalty
    assert found["classes"] is None


def test_many_classes_and_a_cross_validation():
    found, _, _ = facts([0, 0, 1, 1, 2, 2], FitOptions(l2="cv", folds=2, n_strengths=3, tol=1e-3))
    assert (found["multiclass"], found["condition_number"]) == ("softmax", None)
    chosen = found["cross_validation"]
    assert (chosen["folds"], chosen["tuned"], len(chosen["mean_loss"])) == (2, ["l2"], 3)
    assert found["l2"] == chosen["l2"][chosen["chosen"]]
    assert json.loads(json.dumps(found)) == found

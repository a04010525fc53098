"""Data and options that the perceptron refuses, in a sentence each."""

import numpy as np
import pytest

from empirisk.separation.perceptron import perceptron

X = np.random.default_rng(0).standard_normal((300, 5))
Y = np.where(X @ [1.0, 2.0, -1.0, 0.0, 0.5] + 0.3 > 0.0, 1.0, -1.0)


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        (X, np.ones(300), "only one class"),
        (X, np.arange(300) % 3, "3 classes"),
        (X[:7], Y, "7 rows"),
        (X[:, 0], Y, "two-dimensional"),
        (np.empty((0, 2)), [], "rows and columns"),
        (np.where(X > 3.0, np.nan, X), Y, "NaN"),
    ],
)
def test_wrong_data(rows, labels, words):
    with pytest.raises(ValueError, match=words):
        perceptron(rows, labels)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"start": 3.0}, TypeError, "start must be a pair"),
        ({"start": (np.zeros(4), 0.0)}, ValueError, r"weights of the shape \(4,\), X has 5 columns"),
        ({"start": (np.full(5, np.nan), 0.0)}, ValueError, "start contains NaN"),
        ({"start": (np.zeros(5), 1.0), "fit_intercept": False}, ValueError, "start has the intercept 1"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number from 0"),
        ({"form": "kernel"}, ValueError, "form must be one of"),
        ({"order": "sorted"}, ValueError, "order must be one of"),
        ({"max_passes": True}, TypeError, "max_passes must be an integer"),
        ({"alpha": np.inf, "form": "gradient"}, ValueError, "alpha must be a positive finite number"),
        ({"time_limit": "1"}, TypeError, "time_limit must be"),
    ],
)
def test_wrong_options(options, error, words):
    with pytest.raises(error, match=words):
        perceptron(X, Y, **options)


def test_rows_to_predict_must_fit():
    for form in ("online", "voted"):
        run = perceptron(X, Y, form=form)
        with pytest.raises(ValueError, match="X has 4 columns"):
            run.scores(X[:, :4])
        with pytest.raises(ValueError, match="X contains NaN"):
            run.predict(np.full((1, 5), np.nan))

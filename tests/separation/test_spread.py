"""The spread of perceptrons beside the widest gap and least squares."""

import json

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.certificates import from_sealed_json
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.spread import perceptron_spread
from empirisk.separation.widest_gap import WidestGap


def two_classes(seed=0, n=80, gap=0.3):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, 3)), np.array([0.6, 0.8, 0.0])
    y = np.where(X @ w + 0.2 > 0.0, 1, -1)
    return X + gap * y[:, None] * w, np.where(y > 0, "yes", "no")


def margin_of(X, y, line):
    return np.min(np.where(y == "yes", 1.0, -1.0) * (X @ line.weights + line.intercept)) / np.linalg.norm(line.weights)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_margins_and_errors_are_those_of_the_planes(make, fit_intercept):
    X, y = two_classes()
    X -= 0.2 * (not fit_intercept) * np.array([-0.6, -0.8, 0.0])
    T, labels = two_classes(seed=1, gap=0.0)
    spread = perceptron_spread(make(X), y, make(T), labels, n_runs=6, fit_intercept=fit_intercept)
    assert isinstance(spread.gap, WidestGap)
    assert len(spread.runs) == 6
    for line in (*spread.runs, spread.widest, spread.least_squares):
        assert line.margin == pytest.approx(margin_of(X, y, line), rel=1e-9)
        wrong = np.count_nonzero(np.where(T @ line.weights + line.intercept >= 0.0, "yes", "no") != labels)
        assert line.test_errors == wrong
        assert line.intercept == 0.0 or fit_intercept
    for line in spread.runs:
        assert line.errors == 0
        assert 0.0 < line.margin <= spread.gap.margin_high
    assert len({line.margin for line in spread.runs}) == 6
    assert spread.widest.margin == pytest.approx(spread.gap.margin_low, rel=1e-6)


def test_least_squares_is_least():
    X, y = two_classes()
    line = perceptron_spread(X, y, n_runs=1).least_squares
    augmented = np.column_stack([X, np.ones(len(X))])
    exact = np.linalg.lstsq(augmented, np.where(y == "yes", 1.0, -1.0))[0]
    np.testing.assert_allclose([*line.weights, line.intercept], exact, atol=1e-6)
    assert line.test_errors is None


def test_same_seed_same_spread():
    X, y = two_classes()
    first, again = (perceptron_spread(X, y, n_runs=3, seed=5).to_json() for _ in range(2))
    assert first == again
    assert perceptron_spread(X, y, n_runs=3, seed=6).to_json()["runs"][1] != first["runs"][1]


def test_table_and_json():
    X, y = two_classes()
    spread = perceptron_spread(X, y, X, y, n_runs=4)
    lines = spread.text().splitlines()
    assert [line.split("  ")[0] for line in lines[1:7]] == [
        "perceptron, from zero",
        *(f"perceptron, start {k}" for k in (1, 2, 3)),
        "widest gap",
        "least squares",
    ]
    assert lines[5].split()[3] == "100.00"
    assert lines[7] == spread.sentence()
    data = json.loads(json.dumps(spread.to_json()))
    assert [run["margin"] for run in data["runs"]] == [run.margin for run in spread.runs]
    assert er.verify(from_sealed_json(data["gap"]), X, y).holds


def test_inseparable_data_have_a_verdict_and_best_planes():
    X, y = two_classes()
    y[:3] = np.where(y[:3] == "yes", "no", "yes")
    spread = perceptron_spread(X, y, n_runs=3, max_passes=50)
    assert spread.widest is None
    assert isinstance(spread.gap, Inseparability)
    assert all(line.errors > 0 and line.margin < 0.0 for line in spread.runs)
    assert spread.gap.sentence() in spread.text()
    data = json.loads(json.dumps(spread.to_json()))
    assert er.verify(from_sealed_json(data["gap"]), X, y).holds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_runs": 0}, "n_runs"),
        ({"n_runs": -3}, "n_runs"),
        ({"X_test": np.zeros((2, 3))}, "both or neither"),
        ({"X_test": np.zeros((2, 2)), "y_test": ["yes", "no"]}, "X_test has 2 columns"),
        ({"X_test": np.zeros((2, 3)), "y_test": ["yes"]}, "y_test has the shape"),
        ({"X_test": np.zeros((2, 3)), "y_test": ["yes", "maybe"]}, "'maybe'"),
        ({"X_test": np.full((1, 3), np.nan), "y_test": ["yes"]}, "NaN"),
    ],
)
def test_bad_options(options, said):
    X, y = two_classes()
    with pytest.raises(ValueError, match=said):
        perceptron_spread(X, y, **options)

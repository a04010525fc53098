"""A linear model without scikit-learn: fit, predict, scale, verify."""

import numpy as np
import pytest
import scipy.sparse

from empirisk.certificates import UnattainedInfimum
from empirisk.constraints import HalfSpace
from empirisk.models import FitOptions, fit_linear, verify
from empirisk.regularizers import NegativeEntropy, group_lasso
from empirisk.solution import Status

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((80, 3)) * [1.0, 50.0, 0.02] + [0.0, 100.0, 1.0]
SCORES = (X - X.mean(axis=0)) / X.std(axis=0) @ [1.0, -1.0, 0.5]
TARGET = SCORES + 0.2 * RANDOM.standard_normal(80)
LABELS = np.where(TARGET + RANDOM.standard_normal(80) > 0.0, "up", "down")
TASKS = pytest.mark.parametrize(("task", "y"), [("classification", LABELS), ("regression", TARGET)])


@TASKS
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("weights", [None, RANDOM.uniform(0.0, 2.0, 80)])
def test_the_certificate_holds_for_these_data_and_no_others(task, y, standardize, weights):
    model = fit_linear(X, y, FitOptions(task=task, standardize=standardize), sample_weight=weights).model
    assert model.certified
    assert verify(model, X, y, weights).holds
    other = X.copy()
    other[3, 1] += 1.0
    verdict = verify(model, other, y, weights)
    assert not verdict.holds
    assert "not the data the model was fitted on" in verdict.sentence


@TASKS
def test_a_model_with_other_weights_is_not_verified(task, y):
    model = fit_linear(X, y, FitOptions(task=task)).model
    assert not verify(model._replace(weights=1.001 * model.weights), X, y).holds


@TASKS
def test_standardising_is_fitting_scaled_columns(task, y):
    options = FitOptions(task=task, l2=0.01, tol=1e-10)
    folded = fit_linear(X, y, options._replace(standardize=True)).model
    scaled = fit_linear((X - X.mean(axis=0)) / X.std(axis=0), y, options).model
    np.testing.assert_allclose(folded.weights * X.std(axis=0), scaled.weights, rtol=1e-6)
    np.testing.assert_allclose(folded.scores(X), X @ folded.weights + folded.intercept, rtol=1e-9, atol=1e-9)


@TASKS
@pytest.mark.parametrize("standardize", [False, True])
def test_a_fit_can_start_where_another_ended(task, y, standardize):
    options = FitOptions(task=task, solver="lbfgs", standardize=standardize, l2=0.01)
    first = fit_linear(X, y, options).model
    again = fit_linear(X, y, options, start=(first.weights, first.intercept)).model
    assert again.certified
    assert again.passes < first.passes


def test_predictions():
    model = fit_linear(X, LABELS, FitOptions()).model
    assert model.classes.tolist() == ["down", "up"]
    assert np.mean(model.predict(X) == LABELS) > 0.7
    last = 1.0 / (1.0 + np.exp(-model.scores(X)))
    np.testing.assert_allclose(model.probabilities(X), np.column_stack([1.0 - last, last]), rtol=1e-12)
    with pytest.raises(ValueError, match="is not a likelihood"):
        fit_linear(X, LABELS, FitOptions(loss="squared")).model.probabilities(X)


@pytest.mark.compiled  # the interpreter warns of a product that machine code leaves to the check
@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
def test_predictions_refuse_what_is_not_finite(container):
    model = fit_linear(X, TARGET, FitOptions(task="regression")).model
    for weights in (model.weights, np.zeros(3)):
        rows = X.copy()
        rows[5, 2] = np.inf
        with pytest.raises(ValueError, match=r"X contains infinity \(row 5, column 2"):
            model._replace(weights=weights).scores(container(rows))
    with pytest.raises(ValueError, match="X has 2 features, but the model is expecting 3"):
        model.scores(container(X[:, :2]))


@pytest.mark.parametrize(
    ("task", "y", "words"),
    [
        ("classification", LABELS[:79], "y must have one label for each of the 80 rows"),
        ("regression", LABELS, "y must hold numbers for regression"),
        ("regression", np.where(np.arange(80) == 4, np.nan, TARGET), r"y contains NaN or infinity \(row 4"),
    ],
)
def test_wrong_labels(task, y, words):
    with pytest.raises(ValueError, match=words):
        fit_linear(X, y, FitOptions(task=task))


@TASKS
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (80, 0)])
def test_no_rows_or_no_columns(task, y, standardize, shape):
    with pytest.raises(ValueError, match="X is empty"):
        fit_linear(np.empty(shape), y[: shape[0]], FitOptions(task=task, standardize=standardize))


def test_a_stored_scaling_that_is_not_that_of_the_data_does_not_verify():
    rng = np.random.default_rng(0)
    X = rng.normal(3.0, 2.0, size=(60, 3))
    y = np.where(X[:, 0] > 3.0, "a", "b")
    model = fit_linear(X, y, FitOptions(standardize=True)).model
    assert verify(model, X, y).holds
    forged = model._replace(scaling=model.scaling._replace(scale=100.0 * model.scaling.scale))
    assert not verify(forged, X, y).holds
    assert not verify(model._replace(scaling=None), X, y).holds


def test_weights_of_one_are_no_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, 1, 0)
    model = fit_linear(X, y, FitOptions()).model
    assert verify(model, X, y, np.ones(40)).holds


def test_scores_that_overflow_are_refused():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, -2.0]])
    model = fit_linear(X, np.array([0, 1, 0, 1]), FitOptions()).model
    with pytest.raises(ValueError, match="score of row 1"):
        model._replace(weights=np.array([1e200, -1e200])).scores(np.array([[0.0, 0.0], [1e200, 1e200]]))


SETS = [
    (FitOptions(constraint="l2_ball:radius=0.5"), lambda w: np.linalg.norm(w) <= 0.5 + 1e-9),
    (FitOptions(constraint="l1_ball:radius=0.5", l1=0.01), lambda w: np.abs(w).sum() <= 0.5 + 1e-9),
    (FitOptions(constraint="box:low=0"), lambda w: np.all(w >= 0.0)),
    (FitOptions(constraint="simplex", l2=0.0), lambda w: np.all(w >= 0.0) and abs(w.sum() - 1.0) <= 1e-9),
    (FitOptions(constraint=HalfSpace(np.array([1.0, 0.0, 0.0]), -0.2)), lambda w: w[0] <= -0.2 + 1e-9),
    (FitOptions(regularizer=group_lasso([[0], [1, 2]], 5.0)), lambda w: not np.any(w)),
    (FitOptions(constraint="simplex", regularizer=NegativeEntropy(), l2=0.0), lambda w: np.all(w > 0.0)),
]


@pytest.mark.parametrize(("options", "holds"), SETS)
def test_constraints_and_regularizers(options, holds):
    rows = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fit_linear(rows, LABELS, options).model
    assert model.certified
    assert holds(model.weights)
    assert verify(model, rows, LABELS).holds


def test_a_constraint_acts_on_the_standardised_weights():
    model = fit_linear(X, LABELS, FitOptions(constraint="l2_ball:radius=0.5", standardize=True)).model
    assert model.certified
    assert np.linalg.norm(model.weights * model.scaling.scale) == pytest.approx(0.5)
    assert verify(model, X, LABELS).holds


def test_counts_are_predicted_on_their_own_scale():
    rows = RANDOM.standard_normal((200, 2))
    counts = RANDOM.poisson(np.exp(rows @ [0.5, -1.0] + 1.0))
    model = fit_linear(rows, counts, FitOptions(task="regression", loss="poisson")).model
    assert verify(model, rows, counts).holds
    np.testing.assert_allclose(model.predict(rows), np.exp(model.scores(rows)), rtol=1e-12)
    assert model.predict(rows).mean() == pytest.approx(counts.mean(), rel=1e-3)  # the intercept sees to that
    with pytest.raises(ValueError, match=r"y must hold numbers >= 0 for the loss 'poisson', found -1 \(row 3"):
        fit_linear(rows, np.where(np.arange(200) == 3, -1, counts), FitOptions(task="regression", loss="poisson"))


@pytest.mark.parametrize("standardize", [False, True])
def test_no_minimiser(standardize):
    y = X[:, 0] > 0.0
    model, solution, _ = fit_linear(X, y, FitOptions(l2=0.0, standardize=standardize))
    assert solution.status is Status.UNATTAINED
    assert isinstance(model.certificate, UnattainedInfimum)
    assert not model.certified
    assert "there is no minimum to be close to" in model.reached()
    assert verify(model, X, y).holds
    assert not verify(model, X, ~y).holds


def test_a_start_of_another_shape_is_not_used():
    again = fit_linear(X, LABELS, FitOptions(l2=0.01), start=(np.ones(7), 1.0)).model
    assert again.weights.tobytes() == fit_linear(X, LABELS, FitOptions(l2=0.01)).model.weights.tobytes()

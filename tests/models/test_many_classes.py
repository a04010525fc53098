"""Three classes or more: softmax, one against the rest, with and without what each class's problem may have."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from empirisk.certificates import ClassGaps, DualityGap
from empirisk.losses import Logistic
from empirisk.models import FitOptions, fit_linear, verify
from empirisk.models.many_classes import uses_softmax
from empirisk.models.posing import pose
from empirisk.protocols import Unsupported
from empirisk.regularizers import group_lasso
from empirisk.solution import Status

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((90, 3)) * [1.0, 20.0, 0.05] + [0.0, 3.0, 1.0]
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)
NUMBERS = np.argmax(SCALED @ RANDOM.standard_normal((3, 4)) + 0.5 * RANDOM.standard_normal((90, 4)), axis=1)
LABELS = np.array(["ape", "bee", "cat", "dog"])[NUMBERS]
WEIGHTS = RANDOM.uniform(0.1, 2.0, 90)

OPTIONS = {
    "softmax": FitOptions(l2=0.01),
    "softmax, lbfgs": FitOptions(l2=0.01, solver="lbfgs", loss="logistic:scale=2"),
    "softmax, balanced": FitOptions(l2=0.01, class_weight="balanced"),
    "softmax, no intercept": FitOptions(l2=0.01, fit_intercept=False),
    "softmax, standardised": FitOptions(l2=0.01, standardize=True),
    "rest, logistic": FitOptions(l2=0.01, multiclass="one_vs_rest"),
    "rest, standardised": FitOptions(l2=0.01, multiclass="one_vs_rest", standardize=True),
    "rest, squared hinge": FitOptions(l2=0.01, loss="squared_hinge"),
    "rest, hinge": FitOptions(l2=0.01, loss="hinge", standardize=True),
    "rest, l1": FitOptions(l2=0.01, l1=0.01, loss="squared_hinge", solver="sdca", standardize=True),
    "rest, ball": FitOptions(l2=0.01, multiclass="one_vs_rest", constraint="l2_ball:radius=0.5", standardize=True),
}


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
def test_fits_are_certified_and_verified(options, weights):
    model, solution, _ = fit_linear(X, LABELS, options, sample_weight=weights)
    assert model.certified, model.reached()
    assert (model.weights.shape, model.intercept.shape) == ((4, 3), (4,))
    assert isinstance(model.certificate, DualityGap if uses_softmax(options.checked()) else ClassGaps)
    assert model.classes.tolist() == ["ape", "bee", "cat", "dog"]
    assert verify(model, X, LABELS, weights).holds
    swapped = LABELS.copy()
    swapped[np.argmax(LABELS == "ape")] = "bee"
    assert "not the data the model was fitted on" in verify(model, X, swapped, weights).sentence
    assert not verify(model._replace(weights=1.001 * model.weights), X, LABELS, weights).holds
    assert solution.trace.last().objective == pytest.approx(solution.objective)


def softmax_objective(point, rows, l2):
    w, b = point[:12].reshape(4, 3), point[12:]
    z = rows @ w.T + b
    z = z - z.max(axis=1, keepdims=True)
    losses = np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), NUMBERS]
    return losses.mean() + 0.5 * l2 * np.sum(w * w)


@pytest.mark.compiled
def test_softmax_is_the_minimum_of_its_formula():
    model = fit_linear(SCALED, LABELS, FitOptions(l2=0.01, tol=1e-10)).model
    point = np.append(model.weights, model.intercept)
    found = softmax_objective(point, SCALED, 0.01)
    assert found == pytest.approx(model.certificate.objective, rel=1e-12)
    best = scipy.optimize.minimize(softmax_objective, point, (SCALED, 0.01), tol=1e-10).fun
    assert found - model.certificate.gap <= best + 1e-14
    assert abs(model.intercept.sum()) <= 1e-8


@pytest.mark.compiled
@pytest.mark.parametrize("options", [OPTIONS["rest, logistic"], OPTIONS["rest, hinge"], OPTIONS["rest, ball"]])
def test_one_against_the_rest_is_as_many_fits_of_two_classes(options):
    options = options._replace(tol=1e-9, max_passes=20_000)
    model = fit_linear(SCALED, LABELS, options).model
    for k, label in enumerate(model.classes.tolist()):
        single = fit_linear(SCALED, label == LABELS, options).model
        np.testing.assert_allclose(model.weights[k], single.weights, rtol=2e-3, atol=2e-4)
        np.testing.assert_allclose(model.intercept[k], single.intercept, rtol=2e-3, atol=2e-4)
        assert model.certificate.gaps[k].objective == pytest.approx(single.certificate.objective, rel=1e-8)


@pytest.mark.compiled
@pytest.mark.parametrize("multiclass", ["softmax", "one_vs_rest"])
def test_predictions(multiclass):
    model = fit_linear(SCALED, LABELS, FitOptions(l2=0.01, multiclass=multiclass)).model
    for container in (np.asarray, scipy.sparse.csr_array, np.float32):
        scores = model.scores(container(SCALED))
        np.testing.assert_allclose(scores, SCALED @ model.weights.T + model.intercept, rtol=1e-4, atol=1e-4)
    assert model.predict(SCALED).tolist() == model.classes[model.scores(SCALED).argmax(axis=1)].tolist()
    assert np.mean(model.predict(SCALED) == LABELS) > 0.7
    chances = model.probabilities(SCALED)
    assert chances.shape == (90, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(chances.argmax(axis=1), model.scores(SCALED).argmax(axis=1))


@pytest.mark.compiled
@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
def test_scores_of_what_is_not_finite_or_too_large(container):
    model = fit_linear(SCALED, LABELS, FitOptions(loss="squared_hinge")).model
    rows = SCALED.copy()
    rows[5, 2] = np.inf
    with pytest.raises(ValueError, match=r"X contains infinity \(row 5, column 2"):
        model.scores(container(rows))
    rows[5, 2] = 1e308
    with pytest.raises(ValueError, match="score of row 5"):
        model._replace(weights=1e10 * model.weights).scores(container(rows))
    with pytest.raises(ValueError, match="X has 2 features, but the model is expecting 3"):
        model.scores(container(rows[:, :2]))


@pytest.mark.compiled
@pytest.mark.parametrize("multiclass", ["softmax", "one_vs_rest"])
def test_two_classes_have_one_weight_vector_whatever_was_asked(multiclass):
    labels = LABELS == "ape"
    model = fit_linear(SCALED, labels, FitOptions(l2=0.01, multiclass=multiclass)).model
    assert model.weights.tobytes() == fit_linear(SCALED, labels, FitOptions(l2=0.01)).model.weights.tobytes()
    hinge = fit_linear(SCALED, labels, FitOptions(l2=0.1, loss="squared_hinge", multiclass="softmax")).model
    assert hinge.weights.shape == (3,)


@pytest.mark.compiled
@pytest.mark.parametrize("options", [OPTIONS["softmax, lbfgs"], OPTIONS["rest, ball"]])
def test_a_fit_can_start_where_another_ended(options):
    first = fit_linear(X, LABELS, options).model
    again = fit_linear(X, LABELS, options, start=(first.weights, first.intercept)).model
    assert again.certified
    assert again.passes < first.passes


class Bent(NamedTuple):
    """Not convex."""

    scale: float = 1.0

    def is_convex(self):
        return False

    def value(self, z, y):
        return self.scale * np.tanh(-y * z)

    def derivative(self, z, y):
        return -self.scale * y / np.cosh(z) ** 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (FitOptions(loss="hinge", multiclass="softmax"), "for logistic; for hinge use multiclass='one_vs_rest'"),
        (FitOptions(constraint="l2_ball"), "softmax takes neither a constraint nor a regularizer"),
        (FitOptions(regularizer=group_lasso([[0, 1, 2]], 1.0)), "with one, use multiclass='one_vs_rest'"),
        (FitOptions(loss=Bent()), "'bent' is not convex.*OneVsRestClassifier"),
        (FitOptions(loss="perceptron"), "least at w = 0"),
        (FitOptions(loss="hinge", solver="newton"), "solver 'newton' needs loss.second_derivative"),
    ],
)
def test_refused(options, words):
    with pytest.raises(Unsupported, match=words):
        fit_linear(X, LABELS, options)


def test_auto_is_softmax_for_logistic_only():
    class Logistic2(NamedTuple):
        scale: float = 1.0

    assert uses_softmax(FitOptions(loss=Logistic(2.0)))
    assert not uses_softmax(FitOptions(loss=Logistic2()))
    assert not uses_softmax(FitOptions(loss=Logistic(), multiclass="one_vs_rest"))


def test_separate_risks_share_the_data():
    problem = pose(X, LABELS, FitOptions(loss="hinge", constraint="l2_ball").checked(), None).problem
    assert problem.of_class(2).rows.whole() is problem.rows.whole()
    assert np.array_equal(problem.of_class(2).labels > 0, LABELS == "cat")


def test_once_the_callback_stops_every_class_stops():
    calls = []

    def stop(trace):
        calls.append(trace.last())
        return True

    options = FitOptions(multiclass="one_vs_rest", constraint="l2_ball", tol=1e-12, max_passes=1000)
    model, solution, _ = fit_linear(SCALED, LABELS, options, callback=stop)
    assert len(calls) == 1
    assert solution.status is Status.CALLBACK
    assert not model.certified
    assert model.weights.shape == (4, 3)


def test_one_uncertified_class_leaves_the_whole_uncertified():
    options = FitOptions(multiclass="one_vs_rest", constraint="l2_ball", tol=1e-14, max_passes=3)
    model, solution, _ = fit_linear(SCALED, LABELS, options)
    assert not model.certified
    assert solution.status is Status.PASS_LIMIT
    assert model.reached().startswith("the relative gap is ")
    assert verify(model, SCALED, LABELS).holds


def test_labels_that_verify_must_not_take():
    model = fit_linear(SCALED, LABELS, FitOptions(loss="squared_hinge", l2=0.1)).model
    for labels, said in [
        (
            np.where(LABELS == "ape", "eel", LABELS),
            "they hold the label 'eel', and the model knows 'ape', 'bee', 'cat'",
        ),
        (np.where(LABELS == "ape", "bee", LABELS), "they hold no label 'ape', a class of the model"),
        (np.full(90, "ape"), "they hold labels of one class only, 'ape'"),
    ]:
        verdict = verify(model, SCALED, labels)
        assert not verdict.holds
        assert said in verdict.sentence


def test_rows_of_weight_zero_are_as_if_absent():
    kept = LABELS != "dog"
    weighted = fit_linear(SCALED, LABELS, FitOptions(loss="squared_hinge"), sample_weight=kept.astype(float)).model
    absent = fit_linear(SCALED[kept], LABELS[kept], FitOptions(loss="squared_hinge")).model
    assert weighted.classes.tolist() == ["ape", "bee", "cat"]
    np.testing.assert_allclose(weighted.weights, absent.weights, rtol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_one_versus_rest_without_a_penalty(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = rng.integers(0, 3, size=120)
    options = FitOptions(loss=loss, l2=0.0, multiclass="one_vs_rest")
    model = fit_linear(X, y, options).model
    assert model.certified
    assert "norm up to" in model.certificate.sentence()

"""Bounds of fitted models: by theory on the rows of the fit, by testing on others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import empirisk as er
from empirisk.protocols import Unsupported

rng = np.random.default_rng(1)
X = rng.normal(size=(600, 3))
Y = np.where(X[:, 0] + 0.4 * rng.normal(size=600) > 0.0, "yes", "no")
NEW = rng.normal(size=(400, 3))
NEW_Y = np.where(NEW[:, 0] > 0.0, "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    return er.LinearClassifier().fit(X, Y)


def test_on_the_rows_of_the_fit_and_on_others(fitted):
    own = fitted.bound(X, Y)
    assert own.kind == "vc_tail"
    assert own.errors == int(np.sum(fitted.predict(X) != Y))
    assert own.ingredients["h"] == 4
    assert er.verify(own, X, Y).holds
    other = fitted.bound(NEW, NEW_Y)
    assert other.kind == "test"
    assert other.errors == int(np.sum(fitted.predict(NEW) != NEW_Y))
    assert other.value < own.value
    assert er.verify(other, NEW, NEW_Y).holds
    assert not er.verify(other, X, Y).holds
    assert fitted.model_.bound(NEW, NEW_Y).value == other.value


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("labels", [Y, np.where(X[:, 1] > 0.5, "maybe", Y)], ids=["two", "three"])
def test_a_fingerprint_that_is_known_is_that_of_the_rows(labels, class_weight):
    model = er.LinearClassifier(class_weight=class_weight).fit(X, labels)
    bound = model.bound(X, labels, kind="vc_tail")
    assert bound.fingerprint == er.bounds.labelled_rows(X, labels).fingerprint()
    assert er.verify(bound, X, labels).holds


@pytest.mark.parametrize(
    "options", [{}, {"loss": "hinge", "l2": 0.1}, {"class_weight": "balanced"}, {"l1": 0.01}], ids=str
)
@pytest.mark.parametrize("labels", [Y, np.where(X[:, 1] > 0.5, "maybe", Y)], ids=["two", "three"])
def test_rows_of_the_fit_in_another_order_are_no_test(labels, options):
    model = er.LinearClassifier(**options).fit(X, labels)
    order = np.random.default_rng(4).permutation(600)
    assert model.bound(X[order], labels[order]).kind != "test"
    assert model.bound(np.vstack([X, X]), np.append(labels, labels)).kind != "test"
    with pytest.raises(ValueError, match="these are rows of the fit, and a test needs others"):
        model.bound(X[order], labels[order], kind="test")
    assert model.bound(X[:500], labels[:500]).kind == "test"  # of a part nothing tells


def test_losses_of_zero_tell_nothing():
    sides = X[:, 0] > 0.0
    far = X + 5.0 * np.where(sides, 1.0, -1.0)[:, None]
    model = er.LinearClassifier(loss="hinge", l2=1e-3).fit(far, sides)
    others = NEW + 9.0 * np.where(NEW[:, :1] > 0.0, 1.0, -1.0)
    assert model.bound(others, NEW[:, 0] > 0.0).kind == "test"


def test_kinds_by_name(fitted):
    assert fitted.bound(X, Y, kind="vapnik").value > fitted.bound(X, Y, kind="vc_tail").value
    assert fitted.bound(NEW, NEW_Y, kind="vc_tail").kind == "vc_tail"
    tight, loose = (fitted.bound(X, Y, delta=delta).value for delta in (0.5, 1e-9))
    assert tight < loose


def test_a_sparse_plane_pays_for_fewer_columns():
    wide = np.hstack([X, rng.normal(size=(600, 60))])
    model = er.LinearClassifier(l1=0.1, l2=0.0).fit(wide, Y)
    assert np.count_nonzero(model.coef_) < 4
    assert model.bound(wide, Y, kind="vc_sparse").value < model.bound(wide, Y, kind="vc_tail").value


def test_planes_frames_and_many_classes():
    far = X + 3.0 * np.where(X[:, :1] > 0.0, 1.0, -1.0)
    sides = X[:, 0] > 0.0
    plane = er.MaxMarginClassifier().fit(far, sides)
    assert plane.bound(far, sides).errors == 0
    assert plane.bound(far[:300] + 0.1, sides[:300]).kind == "test"
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = er.LinearClassifier(fit_intercept=False).fit(frame, Y)
    assert model.bound(frame, Y).ingredients["h"] == 3
    classes = np.argmax(X, axis=1)
    many = er.LinearClassifier().fit(X, classes)
    bound = many.bound(X, classes)
    assert bound.predictor == "the planes"
    assert er.verify(bound, X, classes).holds


@pytest.mark.parametrize("multiclass", ["softmax", "one_vs_rest"])
def test_many_classes_are_bounded_by_the_cells_of_their_planes(multiclass):
    classes = 2 * (X[:, 0] > 0.0) + (X[:, 1] > 0.0)
    model = er.LinearClassifier(multiclass=multiclass).fit(X, classes)
    bound = model.bound(X, classes)
    assert bound.kind == "vc_tail"
    assert bound.errors == int(np.sum(model.predict(X) != classes))
    exact = er.bounds.vc_tail_of_classes(bound.errors, 600, h=4, n_classes=4)
    assert exact <= bound.value <= exact * (1.0 + 1e-12)
    assert bound.value > er.bounds.vc_tail(bound.errors, 600, h=4)
    assert er.verify(bound, X, classes).holds
    fresh = 2 * (NEW[:, 0] > 0.0) + (NEW[:, 1] > 0.0)
    assert model.bound(NEW, fresh).kind == "test"
    with pytest.raises(ValueError, match="the bound 'pac_bayes' does not apply"):
        model.bound(X, classes, kind="pac_bayes")


def test_planes_of_a_perceptron_against_the_rest():
    classes = rng.integers(0, 3, 90)
    clear = 0.2 * rng.normal(size=(90, 2)) + np.array([[0.0, 3.0], [3.0, -2.0], [-3.0, -2.0]])[classes]
    model = er.Perceptron().fit(clear, classes)
    bound = model.bound(clear, classes)
    assert bound.value >= er.bounds.vc_tail_of_classes(0, 90, h=3, n_classes=3)
    assert (bound.kind, bound.errors, bound.ingredients["h"]) == ("vc_tail", 0, 3)
    assert bound.verify(bound.problem_of(clear, classes), model.model_.point).holds
    moved = model.bound(clear + 0.01, classes)
    assert (moved.kind, moved.errors) == ("test", 0)
    with pytest.raises(ValueError, match="those that do: vc_tail, vc_sparse"):
        model.bound(clear, classes, kind="test")
    with pytest.raises(Unsupported, match="planes that vote"):
        er.Perceptron(form="voted").fit(clear, classes).bound(clear, classes)


def test_a_table_of_all_kinds(fitted):
    table = er.bounds.table(fitted, X, Y)
    by_kind = {line.kind: line for line in table.lines}
    assert set(by_kind) == set(er.bounds.KINDS)
    assert by_kind["vc_tail"].bound.value == fitted.bound(X, Y, kind="vc_tail").value
    assert by_kind["test"].why == "these are rows of the fit, and a test needs others"
    assert table.text().endswith("the least of them, picked here, does not.")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda m: m.bound(X, Y, kind="test"),
            "does not apply: these are rows of the fit.*those that do: vapnik, vc_t",
        ),
        (lambda m: m.bound(X, Y, kind="vc"), "'vc' is unknown; there are auto, test"),
        (lambda m: m.bound(X, Y, kind="progressive"), "is not about a fitted plane"),
        (lambda m: m.bound(X, Y, delta=0.0), "delta must be"),
        (lambda m: m.bound(X, Y, delta=float("nan")), "delta must be"),
        (lambda m: m.bound(X[:, :2], Y), "X has 2 columns, the model 3"),
        (lambda m: m.bound(X[:0], Y[:0]), "must have rows"),
        (lambda m: m.bound(X[:2], Y[:2], kind="vapnik"), "needs at least h = 4 rows"),
        (lambda m: m.model_.bound(X, Y, sample_weight=np.ones(600)), "give no sample weights"),
    ],
)
def test_refused(fitted, call, said):
    with pytest.raises(ValueError, match=said):
        call(fitted)


def test_what_has_no_plane_is_refused(fitted):
    with pytest.raises(Unsupported, match="planes that vote"):
        er.Perceptron(form="voted").fit(X[:50] + np.sign(X[:50]), X[:50, 0] > 0.0).bound(X, Y)
    with pytest.raises(NotFittedError):
        er.LinearClassifier().bound(X, Y)

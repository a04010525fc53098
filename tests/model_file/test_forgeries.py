"""A file that somebody changed and sealed again is checked, and what is accepted does not verify."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.model_file import ModelFileError, load, save
from empirisk.models import verify
from empirisk.solution import UNPROVEN, Status
from tests.model_file.files import SIGNS, X, changed, fitted


def put(name: str, value: Any) -> Any:
    return lambda content, arrays: content["model"].update({name: value})


def put_format(value: Any) -> Any:
    return lambda content, arrays: content.update(format=value)


def put_array(name: str, value: Any) -> Any:
    return lambda content, arrays: arrays.update({name: value})


def put_dual(rows: Any) -> Any:
    arrays = {"certificate.dual_rows": rows, "certificate.dual_values": np.zeros(2)}
    return lambda content, others: others.update(arrays)


HOLDOUTS = (
    0.2,
    {"share": 0.2, "seed": 0},
    {"share": 0.2, "seed": 0, "n_rows": 50, "code": 1},
    {"share": 1.0, "seed": 0, "n_rows": 50},
    {"share": "0.2", "seed": 0, "n_rows": 50},
    {"share": 0.2, "seed": -1, "n_rows": 50},
    {"share": 0.2, "seed": 2**40, "n_rows": 50},
    {"share": 0.2, "seed": True, "n_rows": 50},
    {"share": 0.2, "seed": 0, "n_rows": 1},
    {"share": 0.2, "seed": 0, "n_rows": 50.0},
)
FORGERIES = {
    "weights of float32": put_array("weights", np.zeros(3, np.float32)),
    "a matrix of weights": put_array("weights", np.zeros((3, 1))),
    "too few weights": put_array("weights", np.zeros(2)),
    "a weight that is not finite": put_array("weights", np.array([0.0, np.inf, 0.0])),
    "no weights": lambda content, arrays: arrays.pop("weights"),
    "a strange array": put_array("more", np.zeros(1)),
    "a shift without scale": put_array("shift", np.zeros(3)),
    "dual rows without values": put_array("certificate.dual_rows", np.arange(2)),
    "dual rows of int32": lambda c, a: a.update(
        {"certificate.dual_rows": np.arange(2, dtype=np.int32), "certificate.dual_values": np.zeros(2)}
    ),
    "dual rows out of order": lambda c, a: a.update(
        {"certificate.dual_rows": np.array([1, 0]), "certificate.dual_values": np.zeros(2)}
    ),
    "negative dual rows": lambda c, a: a.update(
        {"certificate.dual_rows": np.array([-1, 0]), "certificate.dual_values": np.zeros(2)}
    ),
    "an intercept in words": put("intercept", "one"),
    "no classes": put("classes", None),
    "classes out of order": put("classes", {"type": "int", "dtype": "<i8", "values": [1, -1]}),
    "classes of another type": put("classes", {"type": "int", "dtype": "<f8", "values": [-1, 1]}),
    "huge classes": put("classes", {"type": "str", "dtype": "<U99999999", "values": ["a", "b"]}),
    "a missing field": lambda content, arrays: content["model"].pop("status"),
    "an unknown loss": lambda content, arrays: content["model"]["options"].update(loss="os.system"),
    "an unknown solver": lambda content, arrays: content["model"]["options"].update(solver={"eval": {}}),
    "a negative strength": lambda content, arrays: content["model"]["options"].update(l2=-1.0),
    "a strength in words": lambda content, arrays: content["model"]["options"].update(l2="cv"),
    "an unknown option": lambda content, arrays: content["model"]["options"].update(code="x"),
    "an unknown certificate": put("certificate", {"kind": "trust_me"}),
    "a proof of another kind": lambda c, a: (
        c["model"].update(certificate=er.separate(np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]).to_json()),
        [a.pop(name) for name in list(a) if name.startswith("certificate.")],
        a.update({"certificate.rows": np.array([0, 1, 2])}),
    ),
    "other feature names": put("feature_names", ["a"]),
    "other columns": put("columns", [["a", None]]),
    "a strange first index": put("first_index", 2),
    "a status of another type": put("status", 1),
    "a label name of another type": put("label_name", 1),
    "a certified of another type": put("certified", 1),
    "certified beside a gap of one": lambda c, a: c["model"]["certificate"].update(gap=1.0),
    "a strange field": put("code", 1),
    "a strange field beside the model": lambda content, arrays: content.update(code=1),
    "a strange field of the classes": lambda content, arrays: content["model"]["classes"].update(code=1),
    "a mean of no own loss": put("own_mean", True),
    "an own loss beside another": put("own_loss", "mine"),
    "an own loss of another type": put("own_loss", 1),
    "no loss": lambda content, arrays: content["model"]["options"].update(loss=None),
    "class weights of another type": lambda content, arrays: content["model"]["options"].update(class_weight={}),
    "a class weight of another type": lambda content, arrays: content["model"]["options"].update(
        class_weight=[[-1, True], [1, 1.0]]
    ),
    **{f"passes {x!r}": put("passes", x) for x in ("nan", "1e5", True, -1.0, float("nan"), 3, None, [1.0])},
    **{f"format {x!r}": put_format(x) for x in (0, -1, -(10**30), True, "1", None, 1.0)},
    **{f"first index {x!r}": put("first_index", x) for x in (True, False, 0.0, 1.0, "0", [0])},
    **{f"feature names {x!r}": put("feature_names", x) for x in ("abc", [1, 2, 3], {"a": 1, "b": 2, "c": 3}, 3)},
    **{f"intercept {x!r}": put("intercept", x) for x in (True, "0.5", 1, None, [0.5], float("nan"))},
    **{f"columns {x!r}": put("columns", x) for x in ([["a", None], ["b", None], [1, None]], ["ab", "cd", "ef"], "abc")},
    **{f"holdout {x!r}": put("holdout", x) for x in HOLDOUTS},
    "no model": lambda content, arrays: content.update(model=None),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_file_with_the_right_digest_is_still_checked(forgery, model, tmp_path):
    path = tmp_path / "model"
    save(model._replace(feature_names=("a", "b", "c")), path)
    changed(path, FORGERIES[forgery])
    with pytest.raises(ModelFileError, match="is not a valid model file: "):
        load(path)


def resize(name: str, size: int) -> Any:
    return lambda content, arrays: arrays.update({f"validation_{name}": np.ones(size)})


VALIDATIONS = {
    "no arrays": lambda content, arrays: [arrays.pop(name) for name in list(arrays) if name.startswith("validation")],
    "too few strengths": resize("l1", 2),
    "too few folds": resize("fold_weights", 1),
    "losses in a row": resize("fold_losses", 9),
    "no errors": lambda content, arrays: arrays.pop("validation_fold_errors"),
    "a strange array": resize("more", 1),
    "a loss that is not a number": lambda content, arrays: arrays["validation_fold_losses"].put(0, np.nan),
    "a negative strength": lambda content, arrays: arrays["validation_l1"].put(0, -1.0),
    "another choice": lambda content, arrays: arrays["validation_fold_losses"].fill(1.0),
    "another strength": lambda content, arrays: content["model"]["options"].update(l2=0.125),
    "a field of another type": lambda content, arrays: content["model"]["cross_validation"].update(uncertified=1.5),
    "another field": lambda content, arrays: content["model"]["cross_validation"].update(code=1),
    "a text that is none": lambda content, arrays: content["model"]["cross_validation"].update(extended=1),
    "arrays without the field": put("cross_validation", None),
}


@pytest.mark.parametrize("forgery", VALIDATIONS)
def test_a_forged_cross_validation(forgery, tmp_path):
    path = tmp_path / "model"
    model = fitted(l2="cv", folds=3, n_strengths=3)
    assert model.cross_validation is not None
    assert model.cross_validation.best != 0
    save(model, path)
    changed(path, VALIDATIONS[forgery])
    with pytest.raises(ModelFileError, match="is not a valid model file: "):
        load(path)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_changed_weight_fails_the_verification_even_with_the_right_digest(loss, standardize, tmp_path):
    path = tmp_path / "model"
    model = fitted(loss=loss, standardize=standardize)
    for j in range(3):
        for to in (np.inf, -np.inf):  # the least change there is
            save(model, path)
            changed(
                path, lambda c, arrays, j=j, to=to: arrays["weights"].put(j, np.nextafter(arrays["weights"][j], to))
            )
            verdict = verify(load(path), X, SIGNS)
            assert not verdict.holds
            assert verdict.sentence == "The certificate speaks of other weights than these."
    save(model, path)
    changed(path, lambda content, arrays: content["model"].update(intercept=np.nextafter(model.intercept, 9.0)))
    assert not verify(load(path), X, SIGNS).holds


def test_other_changes_fail_the_verification(tmp_path):
    path = tmp_path / "model"
    model = fitted(loss="hinge", standardize=True)
    assert model.certificate.dual_rows.size
    changes = [
        lambda content, arrays: arrays["scale"].put(1, 2.0),
        lambda content, arrays: arrays["certificate.dual_values"].put(0, 0.5 * arrays["certificate.dual_values"][0]),
        lambda content, arrays: content["model"]["certificate"].update(gap=1e-300),
        lambda content, arrays: content["model"]["certificate"].update(objective=0.0),
        lambda content, arrays: content["model"]["options"].update(l2=0.2),
        lambda content, arrays: content["model"].update(data_fingerprint="0" * 32),
        lambda content, arrays: content["model"]["classes"].update(values=[-1, 2]),
        lambda content, arrays: content["model"]["classes"].update(values=[-2, -1]),
    ]
    for change in changes:
        save(model, path)
        assert verify(load(path), X, SIGNS).holds
        changed(path, change)
        assert not verify(load(path), X, SIGNS).holds


def test_verify_on_other_data_says_so(model):
    for y, said in [
        (-SIGNS, "their fingerprint differs"),
        (np.where(SIGNS > 0, 1, 5), "they hold the label 5, and the model knows -1 and 1"),
        (np.ones(40), "they hold labels of one class only, 1.0"),
    ]:
        verdict = verify(model, X, y)
        assert not verdict.holds
        assert verdict.sentence.startswith("These are not the data the model was fitted on")
        assert said in verdict.sentence
    weights = np.where(SIGNS > 0, 1.0, 0.0)
    assert "one class" in verify(fitted(class_weight="balanced"), X, SIGNS, weights).sentence


def test_an_uncertified_fit_cannot_be_called_certified(tmp_path):
    path = tmp_path / "model"
    model = fitted(loss="hinge", l2=1e-4, solver="sdca", max_passes=1)
    assert not model.certified
    for change in (put("certified", True), put("status", str(Status.CERTIFIED)), put("status", str(Status.AT_ZERO))):
        save(model, path)
        changed(path, change)
        with pytest.raises(ModelFileError, match="certified"):
            load(path)


@pytest.mark.parametrize("status", UNPROVEN)
def test_a_certified_fit_has_no_status_of_what_is_not(status, model, tmp_path):
    path = tmp_path / "model"
    assert model.certified
    save(model, path)
    changed(path, put("status", str(status)))
    with pytest.raises(ModelFileError, match="certified, and a status of what is not"):
        load(path)


def test_a_status_without_a_minimiser_needs_its_proof(tmp_path):
    path = tmp_path / "model"
    endless = fitted(np.where(X[:, 0] > 0.0, 1, -1), l2=0.0)
    assert endless.status == Status.UNATTAINED
    unfinished = fitted(loss="hinge", l2=1e-4, solver="sdca", max_passes=1)
    for model, status in ((endless, Status.STALLED), (unfinished, Status.UNATTAINED)):
        save(model, path)
        assert load(path).status == model.status
        changed(path, put("status", str(status)))
        with pytest.raises(ModelFileError, match="status and certificate disagree on a minimiser"):
            load(path)


def test_a_limit_that_came_after_the_proof_is_no_status():
    """Gradient descent with an epsilon goes on to it, beyond a gap that is within the tolerance."""
    model = fitted(solver=er.solvers.GradientDescent(epsilon=1e-300), tol=0.1, max_passes=5, standardize=True)
    assert model.certified
    assert model.status == Status.CERTIFIED


def test_what_data_cannot_refute_is_told(model):
    told = model.told()
    assert told == {name: getattr(model, name) for name in ("tol", "status", "solver", "passes", "reason")}
    chosen = fitted(l2="cv", folds=3, n_strengths=3)
    assert chosen.told()["cross_validation"] == "3 folds chose the strengths"


def test_the_tolerance_of_a_plane_is_that_of_its_parameters(tmp_path):
    path = tmp_path / "model"
    plane = er.MaxMarginClassifier(tol=1e-3).fit([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]], [0, 0, 1])
    save(plane, path)
    assert load(path).told()["tol"] == 1e-3
    changed(path, put("tol", 0.5))
    with pytest.raises(ModelFileError, match="tol is not the one among the parameters"):
        load(path)


def test_a_certificate_of_another_kind_is_no_proof(tmp_path):
    """A bound on the slope, honest as it is, does not stand for the gap of a convex problem."""
    path = tmp_path / "model"
    model = fitted()
    slope = {"kind": "stationarity", "objective": model.certificate.objective, "gap": 1e-9, "rounding": 1e-12}
    slope |= {"scale": 0.5, "subject": model.certificate.subject}
    save(model, path)
    changed(path, put("certificate", slope))
    assert not verify(load(path), X, SIGNS).holds

"""Model files of planes: every estimator and form comes back, predicts the same and is checked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.certificates.verification import digest
from empirisk.model_file import ModelFileError, load, save, to_bytes
from empirisk.models.plane import PlaneModel, plane_model
from empirisk.protocols import Unsupported
from empirisk.separation.perceptron_runs.answer import FORMS
from tests.model_file.files import assert_same, changed

rng = np.random.default_rng(5)
X = np.round(rng.normal(size=(30, 3)), 3)
Y = np.where(X @ [1.0, -0.5, 0.25] + 0.1 > 0.0, "yes", "no")
NEW = rng.normal(size=(50, 3))


def model_of(form: str, rows: Any = X, **asked: Any) -> PlaneModel:
    run = er.perceptron(rows, Y, form=form, **asked)
    return plane_model(run.found_plane(), run.classes, {"form": form, **asked})


MODELS = {
    **{form: lambda form=form: model_of(form) for form in FORMS},
    "random order": lambda: model_of("voted", order="random", seed=3),
    "from a start": lambda: model_of("averaged", start=(np.array([1.0, 2.0, 3.0]), -1.0))._replace(parameters={}),
    "through the origin": lambda: model_of("voted", fit_intercept=False, max_passes=20),
    "sparse": lambda: model_of("voted", scipy.sparse.csr_array(X.astype(np.float32))),
    "widest gap": lambda: er.MaxMarginClassifier().fit(X, Y).model_,
    "fewest errors": lambda: er.ExactClassifier(time_limit=None).fit(X, Y).model_,
}


@pytest.mark.parametrize("case", MODELS)
def test_it_comes_back_predicts_the_same_and_verifies(case, tmp_path):
    model = MODELS[case]()
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert_same(back._replace(voted=None), model._replace(voted=None))
    assert_same(back.scores(NEW), model.scores(NEW))
    assert back.predict(NEW).tolist() == model.predict(NEW).tolist()
    assert to_bytes(back) == to_bytes(model)
    rows = scipy.sparse.csr_array(X.astype(np.float32)) if case == "sparse" else X
    if model.certificate is not None:
        assert er.verify(back, rows, Y).holds
        assert not er.verify(back, rows[1:], Y[1:]).holds
    assert model.certified == (model.certificate is not None and model.certificate.is_within(model.tol))


@pytest.mark.parametrize("case", MODELS)
def test_other_weights_are_refused(case, tmp_path):
    model = MODELS[case]()
    if model.certificate is None:
        assert er.verify(model, X, Y).sentence == "The model has no certificate."
        return
    rows = scipy.sparse.csr_array(X.astype(np.float32)) if case == "sparse" else X
    others = [model._replace(weights=np.nextafter(model.weights, 9.0)), model._replace(intercept=model.intercept + 0.5)]
    if model.voted is not None:
        survivals = model.voted.survivals.copy()
        survivals[0] += 1
        others.append(model._replace(voted=model.voted._replace(survivals=survivals)))
        others.append(model._replace(voted=None))
    for other in others:
        assert er.verify(other, rows, Y).sentence == "The certificate speaks of other weights than these."


@pytest.mark.parametrize("form", FORMS)
def test_a_run_again_finds_a_digest_that_was_changed_too(form):
    model = model_of(form)
    other = model._replace(weights=model.weights * 2.0)
    forged = other._replace(certificate=model.certificate._replace(subject=digest(other.point)))
    verdict = er.verify(forged, X, Y)
    assert not verdict.holds
    assert verdict.sentence == f"Run again, the {form} perceptron answers with another plane."


def test_a_form_that_was_changed_is_found():
    claims = {form: model_of(form).certificate for form in FORMS}
    for form, other in (("online", "averaged"), ("averaged", "online"), ("online", "voted"), ("online", "batch")):
        assert not er.verify(claims[form]._replace(form=other), X, Y).holds


def test_a_budget_that_is_too_small_leaves_a_plane_that_is_checked():
    model = model_of("pocket", max_passes=1)
    assert er.verify(model, X, Y).holds
    assert "pass limit" in model.status


def test_nothing_to_verify(tmp_path):
    save(er.Perceptron(certify=False).fit(X, Y), tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.certificate is None
    assert not back.certified
    assert not er.verify(back, X, Y).holds


def test_labels_of_others_are_named():
    verdict = er.verify(model_of("online"), X, np.where(Y == "yes", "maybe", Y))
    assert not verdict.holds
    assert "they hold the label 'maybe', and the model knows 'no' and 'yes'" in verdict.sentence


def test_planes_give_no_probabilities_and_refuse_bad_rows():
    model = model_of("voted")
    with pytest.raises(Unsupported, match="a plane, which gives no probabilities"):
        model.chances(model.scores(X))
    with pytest.raises(ValueError, match="X has 2 features, but the model is expecting 3"):
        model.predict(X[:, :2])
    for one in (model, model_of("online")):
        with pytest.raises(ValueError, match=r"X contains NaN \(row 0, column 1"):
            one.predict([[0.0, np.nan, 0.0]])


def put(**fields: Any) -> Any:
    return lambda content, arrays: content["model"].update(fields)


def put_array(**values: Any) -> Any:
    return lambda content, arrays: arrays.update(values)


def put_voted(**fields: Any) -> Any:
    return lambda content, arrays: content["model"]["voted"].update(fields)


def conflict() -> dict[str, Any]:
    return er.separate(np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]).to_json()


FORGERIES = {
    "an unknown method": put(method="eval"),
    "a method with another proof": put(method="widest_gap"),
    "a proof that knows no plane": lambda c, a: (
        c["model"].update(certificate=conflict()),
        [a.pop(name) for name in list(a) if name.startswith("certificate.")],
        a.update({"certificate.rows": np.array([0, 1, 2])}),
    ),
    "no proof, but its arrays": put(certificate=None, certified=False),
    "parameters of another type": put(parameters=[1]),
    "a parameter with parts": put(parameters={"form": ["voted"]}),
    "a strange field": put(code=1),
    "a strange field of the vote": put_voted(code=1),
    **{f"fit_intercept {x!r}": put(parameters={"fit_intercept": x}) for x in (1, "yes", None, 1.5)},
    **{f"intercept {x!r}": put(intercept=x) for x in (True, 1, None, float("nan"))},
    **{f"first index {x!r}": put(first_index=x) for x in (True, 0.0)},
    "feature names that are a text": put(feature_names="abc"),
    "an intercept in words": put(intercept="one"),
    "an intercept without one": put(intercept=1.0, parameters={"fit_intercept": False}),
    "three classes": put(classes={"type": "int", "dtype": "<i8", "values": [0, 1, 2]}),
    "classes out of order": put(classes={"type": "str", "dtype": "<U3", "values": ["yes", "no"]}),
    "certified in words": put(certified="yes"),
    "a status of another type": put(status=1),
    "a tolerance in words": put(tol="small"),
    "other feature names": put(feature_names=["a"]),
    "a missing field": lambda content, arrays: content["model"].pop("status"),
    "weights of float32": put_array(weights=np.zeros(3, np.float32)),
    "too few weights": put_array(weights=np.zeros(2)),
    "no weights": lambda content, arrays: arrays.pop("weights"),
    "a strange array": put_array(more=np.zeros(1)),
    "a vote without its rows": lambda content, arrays: arrays.pop("voted_rows"),
    "rows that are not finite": lambda c, a: a["voted_rows"].put(0, np.nan),
    "rows of another size": put_voted(n_rows=1),
    "signs that are none": lambda c, a: a["voted_signs"].put(0, 2.0),
    "a sequence beyond the rows": lambda c, a: a["voted_sequence"].put(0, 10**6),
    "too few survivals": lambda c, a: a.update(voted_survivals=a["voted_survivals"][1:]),
    "negative survivals": lambda c, a: a["voted_survivals"].put(0, -1),
    "a strange array of the vote": put_array(voted_more=np.zeros(1)),
    "a start in words": put_voted(start_intercept="0"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_parts_are_refused(forgery, tmp_path):
    save(model_of("voted"), tmp_path / "model")
    changed(tmp_path / "model", FORGERIES[forgery])
    with pytest.raises(ModelFileError, match="is not a valid model file: "):
        load(tmp_path / "model")


@pytest.mark.parametrize("name", ["voted_values", "voted_indices", "voted_starts"])
def test_sparse_rows_that_were_damaged(name, tmp_path):
    save(MODELS["sparse"](), tmp_path / "model")
    changed(tmp_path / "model", lambda c, a: a.update({name: a[name][:-1]}))
    with pytest.raises(ModelFileError, match="is not a valid model file: "):
        load(tmp_path / "model")


def test_predicting_needs_no_search(tmp_path):
    save(MODELS["fewest errors"](), tmp_path / "model")
    code = "import json, sys, empirisk; empirisk.load(sys.argv[1]); print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model")], capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    assert "empirisk.zero_one.optimality" in loaded
    assert not {"sklearn", "empirisk.zero_one.fewest_errors", "empirisk.separation.widest_gap"} & set(loaded)

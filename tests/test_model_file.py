"""A model file is read back bit for bit, or refused; writing it leaves the old file or the new one."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from typing import Any, NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

import empirisk as er
from empirisk.model_file import ModelFileError, load, save, to_bytes
from empirisk.models import FitOptions, LinearModel, fit_linear, verify
from empirisk.models.columns import Column, Columns
from empirisk.models.linear import OwnLoss
from empirisk.protocols import Unsupported

rng = np.random.default_rng(7)
X = rng.normal(size=(40, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
SIGNS = np.where(X @ [1.0, 0.3, -2.0] + rng.normal(size=40) > 0.0, 1, -1)


class Absolute(NamedTuple):
    """A user's own loss."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * np.sqrt(1.0 + (z - y) ** 2)

    def derivative(self, z, y):
        return self.scale * (z - y) / np.sqrt(1.0 + (z - y) ** 2)

    def smoothness(self):
        return self.scale

    def conjugate(self, u, y):
        return u * y - np.sqrt(max(0.0, self.scale**2 - u * u))


def fitted(y: Any = SIGNS, **options: Any) -> LinearModel:
    return fit_linear(X, y, FitOptions(**{"l2": 0.1, **options}))[0]


@pytest.fixture(scope="module")
def model() -> LinearModel:
    return fitted()


def assert_same(a: Any, b: Any) -> None:
    """Equal to the last bit, types included; a NumPy number counts as the Python one."""
    assert type(a) is type(b) or (isinstance(a, float) and isinstance(b, float))
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, float):
        assert np.float64(a).tobytes() == np.float64(b).tobytes()
    else:
        assert a == b


def changed(path: Any, change: Any) -> None:
    """Rewrite a model file as an attacker would: change its parts, then compute the digest again."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    content = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["empirisk"])
    arrays = {name: np.array(array) for name, array in load_arrays(data).items()}
    change(content, arrays)
    content["sha256"] = "0" * 64
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    forged = save_arrays(arrays, {"empirisk": text})
    digest = hashlib.sha256(forged).hexdigest().encode()
    path.write_bytes(forged.replace(b'\\"sha256\\":\\"' + b"0" * 64, b'\\"sha256\\":\\"' + digest))


LABELS = {
    "int": SIGNS,
    "int32": SIGNS.astype(np.int32),
    "float": SIGNS * 0.1,
    "bool": SIGNS > 0,
    "text": np.where(SIGNS > 0, "yes", "no"),
    "object": np.where(SIGNS > 0, 'quote " \\ \n é', "\ud800 sha256").astype(object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_classes_come_back_with_their_type(kind, tmp_path):
    y = LABELS[kind]
    model = fitted(y)
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model"), model)
    assert verify(load(tmp_path / "model"), X, y).holds


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "logistic:scale=2", "solver": "lbfgs", "class_weight": "balanced", "n_threads": 1},
        {"loss": er.Logistic(scale=np.float64(0.3)), "random_state": 5},
        {"loss": "hinge", "solver": er.SDCA(seed=3), "l1": 0.01, "max_passes": 7, "tol": 0.5},
        {"task": "regression", "standardize": True, "fit_intercept": False},
        {"class_weight": {-1: 2, 1: 0.5}, "standardize": True},
    ],
    ids=lambda options: ",".join(options),
)
def test_every_option_survives(options, tmp_path):
    model = fitted(**options)
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model")._replace(options=None), model._replace(options=None))
    kept, asked = load(tmp_path / "model").options, model.options
    assert type(kept.loss) is type(asked.loss)
    assert type(kept.solver) is type(asked.solver)
    assert kept == asked
    assert verify(load(tmp_path / "model"), X, SIGNS).holds


def test_names_and_columns_survive(model, tmp_path):
    columns = Columns((Column("color", ("", '\\"sha256\\":\\"' + "0" * 64)), Column("größe")))
    model = model._replace(
        columns=columns, feature_names=columns.feature_names, label_name="y", weights_name="w", first_index=0
    )
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model"), model)


def test_saving_is_deterministic_and_an_estimator_saves_its_model(model):
    class Estimator:
        model_ = model

    assert to_bytes(model) == to_bytes(model) == to_bytes(Estimator())


def test_the_public_names():
    assert er.save is save
    assert er.load is load


@pytest.mark.parametrize("thing", [object(), er.Logistic(), None])
def test_only_fitted_models_are_saved(thing, tmp_path):
    with pytest.raises(TypeError, match="save takes a fitted model or estimator, got"):
        save(thing, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_read_is_not_written(model, tmp_path):
    with pytest.raises(ModelFileError, match="this model cannot be saved: weights must be finite"):
        save(model._replace(weights=np.array([1.0, np.nan, 0.0])), tmp_path / "model")
    with pytest.raises(ModelFileError, match="this model cannot be saved: labels must be text"):
        save(model._replace(classes=np.array([b"a", b"b"])), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_an_own_loss_saves_predicts_and_asks_for_the_loss_to_verify(tmp_path):
    y = X @ [1.0, 0.3, -2.0]
    model = fitted(y, task="regression", loss=Absolute(2.0), solver="lbfgs")
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.options.loss == OwnLoss("absolute")
    assert_same(back.predict(X), model.predict(X))
    assert to_bytes(back) == to_bytes(model)
    with pytest.raises(Unsupported, match="own loss 'absolute': to verify it, give the loss object"):
        verify(back, X, y)
    assert verify(back, X, y, loss=Absolute(2.0)).holds
    assert not verify(back, X, y, loss=Absolute(3.0)).holds
    with pytest.raises(Unsupported, match="own loss 'absolute', which gives no probabilities"):
        back.probabilities(X)


def test_an_own_loss_with_a_built_in_name_is_not_taken_for_it(tmp_path):
    class Logistic(NamedTuple):
        scale: float = 1.0

        value = Absolute.value
        derivative = Absolute.derivative
        smoothness = Absolute.smoothness
        conjugate = Absolute.conjugate

    save(fitted(loss=Logistic(), solver="lbfgs"), tmp_path / "model")
    assert load(tmp_path / "model").options.loss == OwnLoss("logistic")


def test_any_changed_byte_is_refused(model, tmp_path):
    path = tmp_path / "model"
    data = to_bytes(model)
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
        with pytest.raises(ModelFileError, match=r"model is (damaged|not an empirisk model file)"):
            load(path)


def test_any_missing_or_appended_byte_is_refused(model, tmp_path):
    path = tmp_path / "model"
    data = to_bytes(model)
    for short in [data[:n] for n in range(len(data))] + [data[:n] + data[n + 1 :] for n in range(0, len(data), 7)]:
        path.write_bytes(short)
        with pytest.raises(ModelFileError, match=r"model is (damaged|not an empirisk model file)"):
            load(path)
    for extra in (b"\0", b"\n", data):
        path.write_bytes(data + extra)
        with pytest.raises(ModelFileError, match="model is damaged"):
            load(path)


def test_what_is_no_model_file(tmp_path):
    with pytest.raises(ModelFileError, match=f"{tmp_path} is not a file"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing")
    for content in (b"", b"a,b\n1,2\n", b"\xff" * 100, save_arrays({"weights": np.ones(3)})):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(ModelFileError, match="is not an empirisk model file"):
            load(tmp_path / "file")


def test_a_newer_format_and_an_unknown_kind_are_refused(model, tmp_path):
    path = tmp_path / "model"
    for change, said in [({"format": 2}, "upgrade empirisk"), ({"kind": "tree"}, "unknown kind 'tree'; known: linear")]:
        save(model, path)
        changed(path, lambda content, arrays, change=change: content.update(change))
        with pytest.raises(ModelFileError, match=said):
            load(path)


def put(name: str, value: Any) -> Any:
    return lambda content, arrays: content["model"].update({name: value})


def put_array(name: str, value: Any) -> Any:
    return lambda content, arrays: arrays.update({name: value})


FORGERIES = {
    "weights of float32": put_array("weights", np.zeros(3, np.float32)),
    "a matrix of weights": put_array("weights", np.zeros((3, 1))),
    "too few weights": put_array("weights", np.zeros(2)),
    "a weight that is not finite": put_array("weights", np.array([0.0, np.inf, 0.0])),
    "no weights": lambda content, arrays: arrays.pop("weights"),
    "a strange array": put_array("more", np.zeros(1)),
    "a shift without scale": put_array("shift", np.zeros(3)),
    "dual rows without values": put_array("dual_rows", np.arange(2)),
    "dual rows of int32": lambda c, a: a.update(dual_rows=np.arange(2, dtype=np.int32), dual_values=np.zeros(2)),
    "dual rows out of order": lambda c, a: a.update(dual_rows=np.array([1, 0]), dual_values=np.zeros(2)),
    "negative dual rows": lambda c, a: a.update(dual_rows=np.array([-1, 0]), dual_values=np.zeros(2)),
    "an intercept in words": put("intercept", "one"),
    "no classes": put("classes", None),
    "classes out of order": put("classes", {"type": "int", "dtype": "<i8", "values": [1, -1]}),
    "classes of another type": put("classes", {"type": "int", "dtype": "<f8", "values": [-1, 1]}),
    "huge classes": put("classes", {"type": "str", "dtype": "<U99999999", "values": ["a", "b"]}),
    "a missing field": lambda content, arrays: content["model"].pop("status"),
    "an unknown loss": lambda content, arrays: content["model"]["options"].update(loss="os.system"),
    "an unknown solver": lambda content, arrays: content["model"]["options"].update(solver={"eval": {}}),
    "a negative strength": lambda content, arrays: content["model"]["options"].update(l2=-1.0),
    "an unknown option": lambda content, arrays: content["model"]["options"].update(code="x"),
    "an unknown certificate": put("certificate", {"kind": "trust_me"}),
    "other feature names": put("feature_names", ["a"]),
    "other columns": put("columns", [["a", None]]),
    "a strange first index": put("first_index", 2),
    "a status of another type": put("status", 1),
    "a label name of another type": put("label_name", 1),
    "a certified of another type": put("certified", 1),
    "no model": lambda content, arrays: content.update(model=None),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_file_with_the_right_digest_is_still_checked(forgery, model, tmp_path):
    path = tmp_path / "model"
    save(model._replace(feature_names=("a", "b", "c")), path)
    changed(path, FORGERIES[forgery])
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
        lambda content, arrays: arrays["dual_values"].put(0, 0.5 * arrays["dual_values"][0]),
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


def raises_no_space(*args: Any, **more: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_else(name, model, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_text("old")
    monkeypatch.setattr(os, name, raises_no_space)
    with pytest.raises(OSError, match="No space left on device") as caught:
        save(model, path)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_neither_written_to_nor_read_from_a_folder_or_pipe(model, tmp_path):
    with pytest.raises(OSError, match="Is a directory"):
        save(model, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Not a regular file"):
        save(model, tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is not a file"):
        load(tmp_path / "pipe")


def test_a_model_saved_through_a_link_comes_back(model, tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    save(model, link)
    assert link.is_symlink()
    assert_same(load(link), model)

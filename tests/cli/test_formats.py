"""The same numbers in every format: one fingerprint, one model, one answer; and what is refused, in which words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from tests.cli.same_numbers import (
    FILES,
    FIT,
    NAMES,
    WEIGHTS,
    X,
    Y,
    as_csv,
    refused,
)

pytestmark = pytest.mark.usefixtures("same_numbers")


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_model(name, run):
    expected = er.LinearClassifier(l2=0.1).fit(X, Y)
    done = run("fit", name, "-o", "m", *FIT)
    assert done.exit_code == 0, done.stderr
    model = er.load("m")
    assert model.data_fingerprint == expected.model_.data_fingerprint
    assert model.classes.tolist() == [-1, 1]
    np.testing.assert_allclose(model.weights, expected.coef_[0], rtol=1e-4)
    assert run("verify", "m", name).exit_code == 0
    labels = run("predict", "m", name)
    assert labels.stdout == "".join(f"{label}\n" for label in expected.predict(X))
    # Standard input has no name: the bytes tell archives and arrays, the first line tells text.
    assert run("fit", "-", "-o", "from_input", *FIT, input=FILES[name]).exit_code == 0
    assert er.load("from_input").data_fingerprint == model.data_fingerprint
    assert run("verify", "m", "-", input=FILES[name]).exit_code == 0
    assert run("predict", "m", "-", input=FILES[name]).stdout == labels.stdout


@pytest.mark.parametrize("name", ["d.csv.gz", "d.npy", "d.npz", "d.svm.xz"])
def test_magic_bytes_decide_whatever_the_name(name, run, tmp_path):
    content = FILES[name]
    (tmp_path / "other.csv").write_bytes(content)
    (tmp_path / "other").write_bytes(content)
    done = run("fit", "other" if "svm" in name else "other.csv", "-o", "m", *FIT)
    assert done.exit_code == 0, done.stderr


def test_formats_that_a_model_takes(run, tmp_path):
    """By position without names, by name with them; a table asks for names, svmlight for none."""
    files = {"csv": "d.csv", "svmlight": "d.svm", "npy": "d.npy", "npz": "d.npz", "named": "named.npz"}
    taken = {
        "csv": {"csv", "named"},
        "named": {"csv", "named"},
        "svmlight": {"svmlight", "npy", "npz", "named"},
        "npy": set(files),
        "npz": set(files),
    }
    labels = "".join(f"{label}\n" for label in er.LinearClassifier(l2=0.1).fit(X, Y).predict(X))
    for own, source in files.items():
        assert run("fit", source, "-o", own, *FIT).exit_code == 0
        for kind, name in files.items():
            done = run("verify", own, name)
            assert (done.exit_code == 0) == (kind in taken[own]), (own, kind, done.stderr)
            assert done.exit_code in (0, 2, 3)
    (tmp_path / "x.csv").write_bytes(as_csv(label=None))
    np.save("x.npy", X)
    np.savez("x.npz", X=X)
    scipy.sparse.save_npz("x_sparse.npz", scipy.sparse.csr_array(X))
    for name in ("x.csv", "x.npy", "x.npz", "x_sparse.npz"):
        assert run("predict", "npy", name).stdout == labels


def test_refusals_of_a_model(run, tmp_path):
    for own, name in (("csv", "d.csv"), ("svmlight", "d.svm"), ("npy", "d.npy")):
        assert run("fit", name, "-o", own, *FIT).exit_code == 0
    said = "the model knows its columns by name, and an npy array has none; use CSV, or npz with feature_names"
    refused(run("predict", "csv", "d.npy"), 2, said)
    refused(
        run("predict", "svmlight", "d.csv.gz"),
        2,
        "the model was fitted on svmlight data, and d.csv.gz is csv; --format svmlight overrides",
    )
    said = "d.npz: expected the array 'feature_names', because the model knows its columns by name"
    refused(run("predict", "csv", "d.npz"), 3, said)
    np.savez("order.npz", X=X, feature_names=NAMES[::-1])
    said = "order.npz: expected 'age' in feature_names[0] as in the fit, found 'size'"
    refused(run("predict", "csv", "order.npz"), 3, said)
    np.savez("narrow.npz", X=X[:, :2])
    refused(run("predict", "npy", "narrow.npz"), 3, "narrow.npz: expected 3 features as in the fit, found 2")
    np.save("narrow.npy", X[:, :2])
    refused(run("predict", "npy", "narrow.npy"), 3, "narrow.npy: expected 3 columns, or 4 with the label, found 2")
    np.save("x.npy", X)
    refused(run("verify", "npy", "x.npy"), 3, "x.npy: expected 4 columns with the label, found 3")
    np.savez("x.npz", X=X)
    said = "x.npz: expected the labels in an array 'y', found none of this name; --label names another"
    refused(run("verify", "npy", "x.npz"), 3, said)
    refused(run("fit", "x.npz", "-o", "m"), 3, said)


def test_labels_and_weights_in_columns_of_an_npy_table(run):
    np.save("front.npy", np.column_stack([Y, X[:, 0], WEIGHTS, X[:, 1:]]))
    assert run("fit", "front.npy", "-o", "m", "--label", 0, "--weights", -3, *FIT).exit_code == 0
    model = er.load("m")
    expected = er.LinearClassifier(l2=0.1).fit(X, Y, sample_weight=WEIGHTS)
    assert model.data_fingerprint == expected.model_.data_fingerprint
    assert (model.label_name, model.weights_name) == ("0", "-3")
    assert run("verify", "m", "front.npy").exit_code == 0  # the columns of the fit
    np.save("back.npy", np.column_stack([X, WEIGHTS, Y]))
    assert run("verify", "m", "back.npy", "--label", -1, "--weights", 3).exit_code == 0
    np.save("x.npy", X)
    assert run("predict", "m", "x.npy").stdout == run("predict", "m", "front.npy").stdout
    Path("w.csv").write_bytes(as_csv(weights=True))
    assert run("verify", "m", "w.csv", "--weights", "w").exit_code == 0
    np.savez("w.npz", X=X, y=Y, sample_weight=WEIGHTS)
    assert run("verify", "m", "w.npz").exit_code == 0


def test_names_of_arrays_in_npz(run):
    np.savez("d2.npz", X=X, outcome=np.where(Y > 0, "well", "ill"), w=WEIGHTS, feature_names=NAMES)
    assert run("fit", "d2.npz", "-o", "m", "--label", "outcome", "--weights", "w", "--l2", 0.1).exit_code == 0
    model = er.load("m")
    assert model.feature_names == tuple(NAMES)
    assert model.classes.tolist() == ["ill", "well"]
    assert run("verify", "m", "d2.npz").exit_code == 0
    labels = np.where(Y > 0, "well", "ill").tolist()
    rows = [
        f"{r[1]!r},{label},{r[0]!r},{w!r},{r[2]!r}" for r, label, w in zip(X.tolist(), labels, WEIGHTS, strict=True)
    ]
    Path("t.csv").write_text("\n".join(["dose,outcome,age,w,size", *rows]).replace("np.float64(", "").replace(")", ""))
    assert run("verify", "m", "t.csv").exit_code == 0  # by name, in any order


def test_other_numbers_than_doubles(run):
    whole = np.column_stack([np.arange(-6, 6), np.arange(12) % 3, np.arange(12) % 2])
    for name, table in (("i.npy", whole.astype(np.int8)), ("f.npy", whole.astype(np.float32)), ("d.npy", whole * 1.0)):
        np.save(name, table)
        assert run("fit", name, "-o", name + ".m", "--l2", 0.1).exit_code == 0
    prints = {er.load(f"{name}.m").data_fingerprint for name in ("i.npy", "f.npy", "d.npy")}
    assert len(prints) == 1
    np.savez("b.npz", X=whole[:, :2] > 0, y=whole[:, 2] > 0)
    assert run("fit", "b.npz", "-o", "b", "--l2", 0.1).exit_code == 0
    assert er.load("b").classes.tolist() == [0, 1]


def test_regression_on_arrays(run):
    np.savez("r.npz", X=X, y=X @ [1.0, 2.0, 3.0])
    done = run("fit", "r.npz", "-o", "m", "--json")
    assert json.loads(done.stdout)["task"] == "regression"
    assert json.loads(done.stdout)["verify"] == "empirisk verify m r.npz"

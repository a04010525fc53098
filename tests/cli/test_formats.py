"""The same numbers in every format: one fingerprint, one model, one answer; and what is refused, in which words."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.data import compressed

RANDOM = np.random.default_rng(6)
X = np.where(RANDOM.uniform(size=(20, 3)) < 0.3, 0.0, RANDOM.standard_normal((20, 3)))
Y = np.where(X @ [1.0, -2.0, 0.5] + 0.5 * RANDOM.standard_normal(20) > 0.0, 1, -1)
WEIGHTS = RANDOM.uniform(0.5, 2.0, 20)
NAMES = np.array(["age", "dose", "size"])
COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def as_csv(*, label: str | None = "y", weights: bool = False) -> bytes:
    names = [*NAMES, *([label] if label else []), *(["w"] if weights else [])]
    columns = [*X.T.tolist(), *([Y.tolist()] if label else []), *([WEIGHTS.tolist()] if weights else [])]
    rows = [",".join(map(repr, row)) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *rows, ""]).encode()


def as_svmlight() -> bytes:
    rows = (" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) for row in X.tolist())
    return "".join(f"{label} {row}\n" for label, row in zip(Y.tolist(), rows, strict=True)).encode()


def as_npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def as_npz(write=np.savez, **arrays) -> bytes:
    stream = io.BytesIO()
    write(stream, **arrays)
    return stream.getvalue()


def csr_parts(matrix=X):
    rows = scipy.sparse.csr_array(matrix)
    return {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}


TABLE = np.column_stack([X, Y])
PLAIN = {
    "d.csv": as_csv(),
    "d.svm": as_svmlight(),
    "d.npy": as_npy(TABLE),
    "d.npz": as_npz(X=X, y=Y),
    "named.npz": as_npz(X=X, y=Y, feature_names=NAMES),
    "fortran.npy": as_npy(np.asfortranarray(TABLE)),
    "swapped.npy": as_npy(TABLE.astype(">f8")),
    "dense.npz": as_npz(np.savez_compressed, X=X, y=Y.reshape(-1, 1).astype(np.float32)),
    "sparse.npz": as_npz(np.savez_compressed, y=Y, format=b"csr", **csr_parts()),
}
FILES = {
    **PLAIN,
    **{f"{name}{suffix}": c(PLAIN[name]) for name in ("d.csv", "d.svm") for suffix, c in COMPRESS.items()},
    "d.npy.gz": gzip.compress(PLAIN["d.npy"]),
    "d.npz.xz": lzma.compress(PLAIN["d.npz"]),
    "members.csv.gz": gzip.compress(PLAIN["d.csv"][:100]) + gzip.compress(PLAIN["d.csv"][100:]),
}
FIT = ("--task", "classification", "--l2", 0.1, "--quiet")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)


def refused(done, code: int, said: str) -> None:
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == f"Error: {said}"


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


OBJECTS = "expected numbers or text, found Python objects: to read them could run code; save them with a dtype"
NOT_NPY = "expected an array in NumPy's npy format, version 1.0 or 2.0, found"
with_nan = np.where(np.arange(60).reshape(20, 3) == 7, np.nan, X)
parts = csr_parts()
BAD = {
    "one.npy": (as_npy(X[:, 0]), "expected an array of two dimensions, rows and columns, found the shape (20,)"),
    "single.npy": (as_npy(X[:, :1]), "expected columns to learn from besides labels and weights, found 1 in all"),
    "none.npy": (as_npy(TABLE[:0]), "expected rows and columns of numbers, found the shape (0, 3)"),
    "text.npy": (as_npy(X.astype(str)), f"expected real numbers, found the dtype {X.astype(str).dtype}"),
    "complex.npy": (as_npy(X + 1j), "expected real numbers, found the dtype complex128"),
    "days.npy": (as_npy(X.astype(int).astype("M8[D]")), "expected real numbers, found the dtype datetime64[D]"),
    "objects.npy": (as_npy(np.array([[1, None]])), OBJECTS),
    "nan.npy": (
        as_npy(np.column_stack([with_nan, Y])),
        "X contains NaN (row 2, column 1, counted from 0); remove or impute such values",
    ),
    "label.npy": (
        as_npy(np.column_stack([X, np.where(np.arange(20) == 3, np.inf, Y)])),
        "column 3: expected finite numbers, found inf in row 3, counted from 0",
    ),
    "cut.npy": (as_npy(TABLE)[:-1], "expected 640 bytes of values, found 639: the file was cut off"),
    "longer.npy": (as_npy(TABLE) + b"x", "expected one array, found more data after it"),
    "header.npy": (as_npy(TABLE)[:20], f"{NOT_NPY} other data"),
    "version.npy": (b"\x93NUMPY\x03\x00" + as_npy(TABLE)[8:], f"{NOT_NPY} version 3.0"),
    "csv.npy": (as_csv(), f"{NOT_NPY} other data"),
    "empty.npy": (b"", f"{NOT_NPY} other data"),
    "csv.npz": (as_csv(), "expected a whole npz archive, found a damaged one"),
    "cut.npz": (as_npz(X=X, y=Y)[:-10], "expected a whole npz archive, found a damaged one"),
    "flipped.npz": (
        as_npz(X=X, y=Y).replace(X[3].tobytes(), (-X[3]).tobytes()),
        "expected a whole npz archive, found a damaged one",
    ),
    "keys.npz": (as_npz(a=X, b=Y), "expected the array 'X', found 'a', 'b'"),
    "nothing.npz": (as_npz(), "expected the array 'X', found none"),
    "extra.npz": (
        as_npz(X=X, y=Y, weights=WEIGHTS),
        "expected no array besides 'X', 'feature_names', 'sample_weight', 'y', found also 'weights'",
    ),
    "flat.npz": (as_npz(X=Y, y=Y), "array 'X': expected two dimensions, rows and columns, found the shape (20,)"),
    "short.npz": (as_npz(X=X, y=Y[:3]), "array 'y': expected the shape (20,) as X has it, found (3,)"),
    "targets.npz": (as_npz(X=X, y=X), "array 'y': expected the shape (20,) as X has it, found (20, 3)"),
    "complex.npz": (as_npz(X=X, y=Y + 1j), "array 'y': expected real numbers, found the dtype complex128"),
    "objects.npz": (as_npz(X=X, y=np.array([*"ab", None])), f"array 'y': {OBJECTS}"),
    "bytes.npz": (as_npz(X=X, y=Y.astype("S2")), "array 'y': expected real numbers, found the dtype |S2"),
    "nan.npz": (
        as_npz(X=with_nan, y=Y),
        "array 'X': X contains NaN (row 2, column 1, counted from 0); remove or impute such values",
    ),
    "weights.npz": (
        as_npz(X=X, y=Y, sample_weight=-WEIGHTS),
        f"sample_weight must be non-negative, found {-WEIGHTS[0]} at row 0",
    ),
    "nanweights.npz": (
        as_npz(X=X, y=Y, sample_weight=WEIGHTS * np.nan),
        "array 'sample_weight': expected finite numbers, found nan in row 0, counted from 0",
    ),
    "names.npz": (
        as_npz(X=X, y=Y, feature_names=NAMES[:2]),
        "array 'feature_names': expected the shape (3,) as X has it, found (2,)",
    ),
    "twice.npz": (
        as_npz(X=X, y=Y, feature_names=NAMES[[0, 1, 0]]),
        "array 'feature_names': expected each name once, found 'age' again",
    ),
    "numbers.npz": (
        as_npz(X=X, y=Y, feature_names=np.arange(3)),
        "array 'feature_names': expected text, found the dtype int64",
    ),
    "csc.npz": (
        as_npz(y=Y, format=b"csc", **parts),
        "expected a matrix of the format csr, found b'csc': save X.tocsr()",
    ),
    "index.npz": (
        as_npz(y=Y, **{**parts, "indices": parts["indices"] + 9}),
        "expected a CSR matrix of the shape (20, 3), found indices or indptr outside it",
    ),
    "starts.npz": (
        as_npz(y=Y, **{**parts, "indptr": parts["indptr"][::-1]}),
        "expected a CSR matrix of the shape (20, 3), found indices or indptr outside it",
    ),
    "kinds.npz": (
        as_npz(y=Y, **{**parts, "indices": parts["indices"] * 1.0}),
        "expected data, indices, indptr and shape of a CSR matrix, found other shapes or dtypes",
    ),
    "text.csv.gz": (as_csv(), "expected a gzip archive as the name says, found other data"),
    "empty.svm.bz2": (b"", "expected a bzip2 archive as the name says, found other data"),
    "text.csv.xz": (as_csv(), "expected an xz archive as the name says, found other data"),
    "tabs.tsv.gz": (
        gzip.compress(b"a\ty\n"),
        "expected commas between the columns: a table with tabs is not read, convert it to CSV",
    ),
}
for suffix, compress in COMPRESS.items():
    program = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}[suffix]
    for name in ("d.csv", "d.svm"):
        whole = compress(PLAIN[name])
        cut = f"expected more data, found the end of the file inside the {program} archive: it was cut off"
        BAD[f"cut_{name}{suffix}"] = (whole[:-12], cut)
        middle = whole[:60] + bytes(b ^ 0x55 for b in whole[60:70]) + whole[70:]
        BAD[f"flipped_{name}{suffix}"] = (middle, f"expected a whole {program} archive, found a damaged one")


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name, run):
    content, said = BAD[name]
    Path(name).write_bytes(content)
    refused(run("fit", name, "-o", "m", "--l2", 0.1, "--quiet"), 3, f"{name}: {said}")
    assert not Path("m").exists()


def test_bad_values_in_data_to_predict(run):
    assert run("fit", "d.npy", "-o", "m", *FIT).exit_code == 0
    np.save("nan.npy", with_nan)
    said = "X contains NaN (row 2, column 1, counted from 0); remove or impute such values"
    refused(run("predict", "m", "nan.npy"), 3, f"nan.npy: {said}")
    refused(run("predict", "m", "-", input=Path("nan.npy").read_bytes()), 3, f"<stdin>: {said}")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--label", "age"], 2, "--label of an npy array is the number of a column from 0 on, not 'age'"),
        (["--weights", "w"], 2, "--weights of an npy array is the number of a column from 0 on, not 'w'"),
        (["--label", "4"], 3, "d.npy: expected the label in column 4, found 4 columns, counted from 0"),
        (["--weights", "-5"], 3, "d.npy: expected the weights in column -5, found 4 columns, counted from 0"),
        (["--weights", "3"], 3, "d.npy: expected labels and weights in two columns, found both in column -1"),
    ],
)
def test_columns_that_an_npy_table_does_not_have(options, code, said, run):
    done = run("fit", "d.npy", "-o", "m", "--quiet", *options)
    assert done.exit_code == code
    assert done.stderr.splitlines()[-1] == f"Error: {said}"


def test_arrays_that_an_archive_does_not_have(run):
    for option in ("--label", "--weights"):
        refused(run("fit", "d.npz", "-o", "m", option, "w"), 3, "d.npz: expected the array 'w', found 'X', 'y'")


def test_a_zip_archive_of_something_else(run, tmp_path):
    with zipfile.ZipFile("t.csv.zip", "w") as archive:
        archive.writestr("t.csv", as_csv())
    refused(
        run("fit", "t.csv.zip", "-o", "m"),
        3,
        "t.csv.zip: expected arrays of NumPy in this zip archive, found 't.csv'",
    )


def test_formats_that_were_asked_for_and_are_not(run):
    refused(run("fit", "d.csv", "-o", "m", "--format", "npy"), 3, f"d.csv: {NOT_NPY} other data")
    said = "expected a whole npz archive, found a damaged one"
    refused(run("fit", "d.csv", "-o", "m", "--format", "npz"), 3, f"d.csv: {said}")
    refused(
        run("fit", "d.npy", "-o", "m", "--format", "csv"), 3, "d.npy:1:1: expected text in UTF-8, found the byte 0x93"
    )


def test_a_bomb_is_a_sentence(run, monkeypatch, tmp_path):
    """A thousandth of the size on the disk: refused as soon as it is more than the machine has."""
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"0" * (1 << 22)))
    monkeypatch.setattr(compressed, "memory_size", lambda: 1 << 21)
    refused(run("fit", "bomb.csv.gz", "-o", "m"), 4, "there is not enough memory for these data")


def test_an_array_larger_than_memory_is_a_sentence(run, tmp_path):
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    np.lib.format.write_array_header_2_0(stream, header)
    said = "there is not enough memory for these data"
    refused(run("fit", "-", "-o", "m", input=stream.getvalue()), 4, said)
    (tmp_path / "cut.npy").write_bytes(stream.getvalue())
    said = f"cut.npy: expected {8 * 10**18} bytes of values, found 0: the file was cut off"
    refused(run("fit", "cut.npy", "-o", "m"), 3, said)


def test_a_broken_cell_in_an_archive_has_its_line(run, tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,y\n1,2\n3\n"))
    refused(run("fit", "t.csv.gz", "-o", "m"), 3, "t.csv.gz:3: expected 2 fields as in the header, found 1")
    (tmp_path / "t.svm.xz").write_bytes(lzma.compress(b"1 1:2\n0 1:x\n"))
    refused(run("fit", "t.svm.xz", "-o", "m"), 3, "t.svm.xz:2:5: expected a decimal number after ':', found 'x'")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read_once(run, tmp_path):
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(FILES["d.csv.gz"]), daemon=True)
    writer.start()
    done = run("fit", "pipe", "-o", "m", "--format", "csv", *FIT)
    writer.join(timeout=10)
    assert done.exit_code == 0, done.stderr


def test_a_cell_that_is_found_bad_after_the_reading_has_its_row(run, tmp_path):
    """The line is not known where the file is not plain text."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"c,y\nred,1\nblue,0\nred,1\nblue,0\n"))
    (tmp_path / "new.csv.gz").write_bytes(gzip.compress(b"c\nred\ngreen\n"))
    assert run("fit", "t.csv.gz", "-o", "m", "--l2", 0.1).exit_code == 0
    said = "expected a category of the fit ('blue', 'red'), found 'green' in row 2 of the data"
    refused(run("predict", "m", "new.csv.gz"), 3, f"new.csv.gz: column 'c': {said}")
    np.savez("words.npz", X=X, y=np.where(Y > 0, "well", "ill"))
    done = run("fit", "words.npz", "-o", "m", "--task", "regression")
    refused(done, 3, "words.npz: expected numbers for regression, found 'ill'")

"""Files that are not what they should be: exit code 3, with the file and what was expected."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from empirisk.data import compressed
from empirisk.data.errors import shortened
from tests.cli.same_numbers import (
    COMPRESS,
    FILES,
    FIT,
    NAMES,
    PLAIN,
    TABLE,
    WEIGHTS,
    X,
    Y,
    as_csv,
    as_npy,
    as_npz,
    csr_parts,
    refused,
)

pytestmark = pytest.mark.usefixtures("same_numbers")


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
    said = "d.npy:1:1: expected text in UTF-8, found the byte 0x93; --encoding latin-1 reads it otherwise"
    refused(run("fit", "d.npy", "-o", "m", "--format", "csv"), 3, said)


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


@pytest.mark.parametrize("shape", [(2**63, 1), (2**64, 0), (0, 2**70), (2**40, 2**40), (3, 2**63), (4, True)])
def test_a_shape_beyond_all_memory_is_a_sentence(shape, run, tmp_path):
    stream = io.BytesIO()
    np.lib.format.write_array_header_2_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    (tmp_path / "t.npy").write_bytes(stream.getvalue())
    said = f"expected the shape of an array, found {shortened(str(shape))}"
    refused(run("fit", "t.npy", "-o", "m"), 3, f"t.npy: {said}")
    refused(run("fit", "-", "-o", "m", input=stream.getvalue()), 3, f"<stdin>: {said}")
    with zipfile.ZipFile("t.npz", "w") as archive:
        archive.writestr("X.npy", stream.getvalue())
    refused(run("fit", "t.npz", "-o", "m"), 3, f"t.npz: array 'X': {said}")


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


def test_a_cell_that_is_found_bad_after_the_reading_has_its_line(run, tmp_path):
    """The line is found in a compressed file too; an array has none."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"c,y\nred,1\nblue,0\nred,1\nblue,0\n"))
    (tmp_path / "new.csv.gz").write_bytes(gzip.compress(b"c\nred\ngreen\n"))
    assert run("fit", "t.csv.gz", "-o", "m", "--l2", 0.1).exit_code == 0
    said = "expected a category of the fit ('blue', 'red'), found 'green'; --unknown zero takes it for none of them"
    refused(run("predict", "m", "new.csv.gz"), 3, f"new.csv.gz:3: column 'c': {said}")
    np.savez("words.npz", X=X, y=np.where(Y > 0, "well", "ill"))
    done = run("fit", "words.npz", "-o", "m", "--task", "regression")
    refused(done, 3, "words.npz: expected numbers for regression, found 'ill'")

"""Whatever is wrong with options and files: the right exit code, one sentence, and nothing destroyed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

OPTIONS = {
    "--l2 -1": "--l2 must be a finite number >= 0, got -1.0",
    "--l2 nan": "--l2 must be a finite number >= 0, got nan",
    "--l2 abc": "Invalid value for '--l2': 'abc' is neither a number nor cv.",
    "--l1 CV": "Invalid value for '--l1': 'CV' is neither a number nor cv.",
    "--l2 cv --folds 1": "Invalid value for '--folds': 1 is not in the range x>=2.",
    "--l2 cv --folds few": "Invalid value for '--folds': 'few' is not a valid integer range.",
    "--l2 cv --strengths 1": "Invalid value for '--strengths': 1 is not in the range x>=2.",
    "--l1 cv --constraint simplex": "l1 has no strength that makes all weights zero",
    "--l1 inf": "--l1 must be a finite number >= 0, got inf",
    "--tol 0": "--tol must be a positive finite number, got 0.0",
    "--max-passes 0": "Invalid value for '--max-passes': 0 is not in the range x>=1.",
    "--max-passes 1.5": "Invalid value for '--max-passes': '1.5' is not a valid integer range.",
    "--seed -1": "Invalid value for '--seed': -1 is not in the range 0<=x<=2147483647.",
    "--seed 99999999999999999999": "Invalid value for '--seed': 99999999999999999999 is not in the range",
    "--threads 0": "Invalid value for '--threads': 0 is not in the range x>=1.",
    "--loss hing": "--loss must be one of 'logistic',",
    "--loss logistic:size=2": "--loss 'logistic' has no parameter 'size'; it has scale",
    "--loss logistic:scale=-2": "parameter 'scale' of loss 'logistic' must be positive and finite",
    "--loss zero_one": "--loss 'zero_one' is for evaluation only",
    "--loss hinge --task regression": "--loss 'hinge' is not for regression",
    "--solver newtn": "--solver must be one of 'auto', 'newton',",
    "--task clustering": "Invalid value for '--task'",
    "--class-weight heavy": "Invalid value for '--class-weight'",
    "--class-weight balanced --task regression --label size": "--class-weight is for classification",
    "--format xlsx": "Invalid value for '--format'",
    "--format svmlight --label label": "--label names a column of a CSV table",
    "--format svmlight --weights weight": "--weights names a column of a CSV table",
    "--constraint ball": "--constraint must be one of 'l2_ball', 'l1_ball', 'simplex', 'box', got 'ball'",
    "--constraint l2_ball:radius=0": "radius of 'l2_ball' must be positive and finite, got 0.0",
    "--constraint l2_ball:size=1": "--constraint 'l2_ball' has no parameter 'size'; it has radius",
    "--constraint box:low=2,high=1": "the constraint excludes every point",
    "--constraint half_space": "half_space has an array among its parameters",
    "--multiclass vote": "Invalid value for '--multiclass'",
    "--multiclass softmax --task regression --label size": "--multiclass is for classification",
    "--loss perceptron": "the loss 'perceptron' is least at w = 0 whatever the data are: take the loss 'hinge'",
    "--solver newton --loss hinge": "solver 'newton' needs loss.second_derivative, which hinge does not have",
    "-o -": "the model needs a file of its own",
    "-o table.csv": "table.csv would be both read and overwritten",
    "--report table.csv": "table.csv would be both read and overwritten",
    "--report m": "m would be both read and overwritten",
}


def check(done, code: int, said: str) -> None:
    """Nothing on standard output, one sentence at the end of standard error, no traceback."""
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("options", OPTIONS)
def test_options(options, run, table, tmp_path):
    (tmp_path / "m").write_text("old")
    check(run("fit", "table.csv", "-o", "m", *options.split()), 2, OPTIONS[options])
    assert (tmp_path / "m").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"m", "table.csv"}


DATA = {
    "empty.csv": (b"", "empty.csv:1: expected a header with the names of the columns, found an empty file"),
    "header.csv": (b"a,label\n", "header.csv:2: expected rows of data after the header, found none"),
    "ragged.csv": (b"a,label\n1,x\n1\n", "ragged.csv:3: expected 2 fields as in the header, found 1"),
    "missing.csv": (
        b"a,label\n1,x\n,y\n",
        "missing.csv:3: expected a value in every cell, found missing values in the column 'a' (1 of 2 rows)",
    ),
    "nan.csv": (
        b"a,b,c,label\n1,,x,p\nNaN,2,?,q\n?,3,y,p\n",
        "nan.csv:2: expected a value in every cell, found missing values in 2 columns: 'a' (2 of 3 rows), 'b' (1 of 3 "
        "rows); --missing says what to do with them: drop, mean, median or indicator",
    ),
    "latin.csv": (
        b"a,label\n1,\xe9\n",
        "latin.csv:2:3: expected text in UTF-8, found the byte 0xe9; --encoding",
    ),
    "one.csv": (b"a,label\n1,x\n2,x\n", "one.csv: column 'label': expected two classes or more, found one ('x')"),
    "same.csv": (b"a,label\n1,3\n2,3\n", "same.csv: column 'label': expected two classes or more, found one (3)"),
    "blank.csv": (b"a,y\n1,p\n2,\n3,r\n", "blank.csv:3: column 'y': expected a label, found an empty cell"),
    "none.csv": (b"a,b\n1,2\n", "none.csv:1: expected one label column named label, target, class or y, found none"),
    "two.csv": (
        b"a,y,label\n1,2,3\n",
        "two.csv:1: expected one label column named label, target, class or y, found more",
    ),
    "only.csv": (b"y\n1\n2\n", "only.csv:1: expected columns to learn from besides 'y', found none"),
    "tabs.tsv": (b"a\ty\n1\t2\n3\n", "tabs.tsv:3: expected 2 fields as in the header, found 1 between tabs"),
    "foo.txt": (b"a;y\n1;2\n3\n", "foo.txt:3: expected 2 fields as in the header, found 1 between semicolons"),
    "empty.svm": (b"", "empty.svm: expected at least one example, found none"),
    "word.svm": (b"1 1:2\nfoo 1:2\n", "word.svm:2:1: expected a decimal number as the label, found 'foo'"),
    "nan.svm": (b"1 1:2\n0 1:nan\n", "nan.svm:2:5: expected a finite number after ':', found 'nan'"),
    "one.svm": (b"1 1:2\n1 1:3\n", "one.svm: column 'label': expected two classes or more, found one (1)"),
    "bare.svm": (b"1\n0\n", "bare.svm: X is empty: it has 2 row(s) and 0 column(s)"),
}


@pytest.mark.parametrize("name", DATA)
def test_data_to_fit_on(name, run, tmp_path):
    content, said = DATA[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "m").write_text("old")
    check(run("fit", name, "-o", "m"), 3, said)
    assert (tmp_path / "m").read_text() == "old"


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,w,y\n1,2,p\n2,-1,q\n", ["--weights", "w"], "d.csv:3: column 'w': expected a number >= 0, found -1"),
        ("a,w,y\n1,x,p\n2,z,q\n", ["--weights", "w"], "d.csv:2: column 'w': expected a number >= 0, found 'x'"),
        ("a,y\n1,p\n2,q\n", ["--weights", "w"], "d.csv:1: expected the weights column 'w', found none of this name"),
        ("a,w,y\n1,0,p\n2,0,q\n", ["--weights", "w"], "d.csv: sample_weight is zero for every row"),
        (
            "a,w,y\n1,1,p\n2,0,q\n",
            ["--weights", "w"],
            "d.csv: column 'y': expected two classes or more, found one ('p')",
        ),
        ("a,y\n1,p\n2,q\n", ["--label", "b"], "d.csv:1: expected the label column 'b', found the columns 'a', 'y'"),
        (
            "a,y\n1,p\n2,q\n",
            ["--task", "regression"],
            "d.csv:2: column 'y': expected numbers for regression, found 'p'",
        ),
        (
            "a,y\n1,2\n2,-1\n3,3\n",
            ["--loss", "poisson"],
            "d.csv: y must hold numbers >= 0 for the loss 'poisson', found -1 (row 1, counted from 0)",
        ),
    ],
)
def test_columns_to_fit_on(text, options, said, run, tmp_path):
    (tmp_path / "d.csv").write_text(text)
    check(run("fit", "d.csv", "-o", "m", *options), 3, said)
    assert not (tmp_path / "m").exists()


def test_files_that_cannot_be_read(run, table, tmp_path):
    assert run("fit", table, "-o", "m").exit_code == 0
    check(run("fit", "no.csv", "-o", "m"), 4, "no.csv: No such file or directory")
    check(run("fit", "no.svm", "-o", "m"), 4, "no.svm: No such file or directory")
    check(run("fit", ".", "-o", "m"), 4, ".: Is a directory")
    check(run("predict", "no", table), 4, "no: No such file or directory")
    check(run("predict", "m", "no.csv"), 4, "no.csv: No such file or directory")
    check(run("verify", "m", "no.csv"), 4, "no.csv: No such file or directory")
    assert run("verify", "m", table).exit_code == 0


def test_files_that_cannot_be_written(run, table, tmp_path, monkeypatch):
    assert run("fit", table, "-o", "m").exit_code == 0
    check(run("fit", table, "-o", "no/m"), 4, "no/m: the folder no does not exist")
    check(run("fit", table, "-o", "."), 4, ".: Is a directory")
    check(run("fit", table, "-o", "m", "--report", "no/r.html"), 4, "no/r.html: the folder no does not exist")
    check(run("predict", "m", table, "-o", "no/p"), 4, "no/p: the folder no does not exist")
    check(run("predict", "m", table, "-o", "m"), 2, "m would be both read and overwritten")
    check(run("predict", "m", table, "-o", table), 2, "would be both read and overwritten")
    monkeypatch.setattr(os, "access", lambda *_: False)  # whoever runs the tests may write everywhere
    check(run("fit", table, "-o", "m"), 4, "m: Permission denied")


def test_a_full_disk(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    assert run("fit", table, "-o", "m").exit_code == 0
    before = Path("m").read_bytes()
    (tmp_path / "p").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        done = run("fit", table, "-o", "m", "--quiet")
        check(done, 4, "m: No space left on device")
        check(run("predict", "m", table, "-o", "p"), 4, "p: No space left on device")
    check(run("predict", "m", table, "-o", "/dev/full"), 4, "/dev/full: No space left on device")
    assert Path("m").read_bytes() == before
    assert Path("p").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"m", "p", "table.csv"}


def test_models_that_are_none(run, table, tmp_path):
    assert run("fit", table, "-o", "m").exit_code == 0
    data = Path("m").read_bytes()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "short").write_bytes(data[:-1])
    (tmp_path / "flipped").write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
    said = {
        "empty": "empty is not an empirisk model file",
        "short": "short is damaged",
        "flipped": "flipped is damaged",
        "table.csv": "table.csv is not an empirisk model file",
    }
    for command in ("predict", "verify"):
        for name, sentence in said.items():
            check(run(command, name, table), 3, sentence)
        check(run(command, ".", table), 4, ".: Is a directory")

"""empirisk separate: the verdict on a file, with the lines that are in conflict."""

from __future__ import annotations

import bz2
import functools
import json

import numpy as np
import pytest


@pytest.fixture
def separate(run):
    return functools.partial(run, "separate")


# An exclusive or: the points of lines 2, 3, 5 and 7 are in conflict, each with weight 1.
TABLE = "a,b,label\n0,0,no\n1,1,no\n\n1,0,yes\n9,-9,yes\n0,1,yes\n"
ROWS = "# a comment\n-1\n-1 1:1 2:1 # another\n\n1 1:1\n1 1:9 2:-9\n1 2:1\n"


def test_a_table_in_conflict(separate, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    done = separate(path)
    assert done.exit_code == 0
    assert "Inseparable: no plane separates the 4 lines 2, 3, 5, 7" in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("Point")]
    assert [line.split(maxsplit=1)[1] for line in lines] == [
        "line 2, label no, weight 1",
        "line 3, label no, weight 1",
        "line 5, label yes, weight 1",
        "line 7, label yes, weight 1",
    ]
    assert "Read 5 rows and 2 features" in done.stderr
    assert separate(path, "--quiet").stderr == ""


@pytest.mark.parametrize("is_compressed", [False, True])
def test_svmlight_in_conflict(separate, tmp_path, is_compressed):
    path = tmp_path / ("rows.svm.bz2" if is_compressed else "rows.svm")
    path.write_bytes(bz2.compress(ROWS.encode()) if is_compressed else ROWS.encode())
    found = json.loads(separate(path, "--json").stdout)
    assert found["is_separable"] is False
    assert [point["line"] for point in found["points"]] == [2, 3, 5, 7]
    assert [point["row"] for point in found["points"]] == [0, 1, 2, 4]
    assert [point["label"] for point in found["points"]] == [-1, -1, 1, 1]
    assert {point["weight"] for point in found["points"]} == {"1"}


def test_the_plane_is_named_as_in_the_file(separate, tmp_path):
    (tmp_path / "t.csv").write_text("height,weight,label\n0,5,no\n1,5,yes\n2,5,yes\n")
    shown = separate(tmp_path / "t.csv").stdout
    assert "Plane      +2 * height\n" in shown
    assert "weight" not in shown  # its weight is zero
    assert "> 0 for 'yes', < 0 for 'no'" in shown
    (tmp_path / "t.svm").write_text("0 1:0 2:0\n1 1:1\n1 1:2\n")
    assert "* feature 1\n" in separate(tmp_path / "t.svm").stdout
    np.save(tmp_path / "wide.npy", np.column_stack([np.diag(np.arange(1.0, 13.0)) - 6.0, np.arange(12) % 2]))
    shown = separate(tmp_path / "wide.npy").stdout
    assert shown.count("* column ") == 8
    assert "4 more columns of smaller weight" in shown


def test_arrays_and_standard_input_have_no_lines(separate, tmp_path):
    y, X = np.array([0, 0, 1, 1]), np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    np.savez(tmp_path / "a.npz", X=X, y=y, feature_names=np.array(["a", "b"]))
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))
    for arguments, text in ((["a.npz"], None), (["a.npy"], None), (["-"], TABLE)):
        path = [tmp_path / name if name != "-" else name for name in arguments]
        found = json.loads(separate(*path, "--json", input=text).stdout)
        assert {point["line"] for point in found["points"]} == {None}
        assert "row 0, label" in separate(*path, input=text).stdout


def test_a_plane(separate, rows):
    done = separate(rows)
    assert done.exit_code == 0
    assert done.stdout.startswith("Verdict    Separable: a plane has all 5 points strictly on their sides")
    assert "Point" not in done.stdout
    found = json.loads(separate(rows, "--json").stdout)
    assert found["is_separable"] is True
    assert found["points"] == []


def test_a_certificate_is_written_as_it_is_printed(separate, tmp_path, rows):
    table = tmp_path / "t.csv"
    table.write_text(TABLE)
    for path in (rows, table):
        found = json.loads(separate(path, "-o", "proof.json", "--json").stdout)
        assert found["certificate"] == json.loads((tmp_path / "proof.json").read_text())
        assert found["output"] == "proof.json"
        shown = separate(path, "-o", "proof.json").stdout
        assert "Written    proof.json" in shown
        assert f"Verify     {found['verify']}" in shown


def test_no_time(separate, rows, tmp_path):
    done = separate(rows, "--time-limit", 0)
    assert done.exit_code == 1
    assert "Undecided" in done.stdout
    found = json.loads(separate(rows, "--time-limit", 0, "--json", "-o", "proof.json").stdout)
    assert found["is_separable"] is None
    assert found["output"] is found["verify"] is found["certificate"] is None
    assert not (tmp_path / "proof.json").exists()


def test_planes_through_the_origin(separate, tmp_path):
    path = tmp_path / "line.csv"
    path.write_text("x,y\n1,0\n2,1\n")
    assert json.loads(separate(path, "--json").stdout)["is_separable"] is True
    found = json.loads(separate(path, "--json", "--no-intercept").stdout)
    assert [(point["line"], point["weight"]) for point in found["points"]] == [(2, "2"), (3, "1")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\n1,0\n2,0\n", "only one class"),
        ("x,y\n1,a\n2,b\n3,c\n", "3 classes"),
        ("x,y\n1,0\n,1\n", "found missing values in the column 'x' (1 of 2 rows)"),
    ],
)
def test_bad_data(separate, written, text, said):
    done = separate(written("bad.csv", text))
    assert done.exit_code == 3
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments", [["--time-limit", "-1"], ["--check", "b"], ["-o", "-"], ["-o", "rows.svm"], ["--seed", "-1"]]
)
def test_bad_usage(separate, rows, arguments):
    assert separate(rows, *arguments).exit_code == 2

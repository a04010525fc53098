"""empirisk fit: which format, label and weights it reads."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from tests.cli.facts import facts


@pytest.mark.parametrize("name", ["label", "target", "class", "y", "Y"])
def test_the_label_column_is_found_by_its_name(name, run, tmp_path):
    (tmp_path / "d.csv").write_text(f"x,{name},z\n1,a,2\n2,b,1\n")
    assert run("fit", "d.csv", "-o", "m").exit_code == 0
    assert er.load("m").label_name == name
    assert er.load("m").feature_names == ("x", "z")


def test_whole_numbers_as_labels_are_integers(run, rows):
    assert run("fit", rows, "-o", "m").exit_code == 0
    model = er.load("m")
    assert model.classes.dtype == np.int64
    assert model.classes.tolist() == [-1, 1]
    assert (model.first_index, model.weights.size, model.columns) == (1, 3, None)


def test_index_zero_is_noted(run, tmp_path):
    (tmp_path / "zero.libsvm").write_text("1 0:1 2:1\n0 1:1\n")
    assert run("fit", "zero.libsvm", "-o", "m").exit_code == 0
    assert (er.load("m").first_index, er.load("m").weights.size) == (0, 3)


def test_weights_count_rows(run, tmp_path):
    """A row of weight two is the row twice, and a row of weight zero is absent."""
    (tmp_path / "weighted.csv").write_text("x,w,y\n1,2,a\n2,1,b\n0.5,1,b\n3,0,c\n")
    (tmp_path / "repeated.csv").write_text("x,y\n1,a\n1,a\n2,b\n0.5,b\n")
    first = facts(run("fit", "weighted.csv", "-o", "m", "--weights", "w", "--json", "--l2", 0.1))
    second = facts(run("fit", "repeated.csv", "-o", "m", "--json", "--l2", 0.1))
    assert math.isclose(first["objective"], second["objective"], rel_tol=1e-6)
    assert first["training_error"] == second["training_error"]


@pytest.mark.parametrize("name", ["d.csv", "d.CSV"])
def test_the_format_comes_from_the_name(name, run, table, tmp_path):
    table.rename(tmp_path / name)
    assert run("fit", name, "-o", "m").exit_code == 0


@pytest.mark.parametrize("name", ["d.svm", "d.svmlight", "d.libsvm", "d.txt", "d"])
def test_other_names_are_svmlight(name, run, rows, tmp_path):
    rows.rename(tmp_path / name)
    assert run("fit", name, "-o", "m").exit_code == 0
    assert er.load("m").first_index == 1


def test_format_overrides_the_name(run, table, tmp_path):
    table.rename(tmp_path / "table.txt")
    assert run("fit", "table.txt", "-o", "m", "--format", "svmlight").exit_code == 3
    done = run("fit", "table.txt", "-o", "m", "--format", "csv")
    assert done.exit_code == 0
    assert "empirisk verify m table.txt --format csv" in done.stdout


def test_standard_input_is_guessed_or_told(run, table, rows):
    for path, options in ((table, []), (rows, []), (table, ["--format", "csv"]), (rows, ["--format", "svmlight"])):
        done = run("fit", "-", "-o", "m", *options, input=path.read_bytes())
        assert done.exit_code == 0, done.stderr
        assert "<stdin>: " in done.stdout
        words = " ".join(["empirisk verify m -", *options])
        assert f"{words} < DATA\n" in done.stdout
        assert (er.load("m").columns is None) == (path == rows)


@pytest.mark.parametrize(
    ("text", "is_csv"),
    [("1 1:2\n0\n", False), ("# note\n1 1:2\n0 1:1\n", False), ("\n1\n0 3:1\n", False), ("y,1\na,1\nb,2\n", True)],
)
def test_first_lines_of_standard_input(text, is_csv, run):
    done = run("fit", "-", "-o", "m", input=text)
    assert done.exit_code == 0, done.stderr
    assert (er.load("m").columns is not None) == is_csv

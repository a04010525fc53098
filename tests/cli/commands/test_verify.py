"""empirisk verify: the certificate holds on the data of the fit, and on no others."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import empirisk as er
from empirisk import parameters
from empirisk.cli.options import MOST_SEED
from empirisk.models.linear import OwnLoss


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--weights", "weight", "--class-weight", "balanced"],
        ["--loss", "hinge", "--l2", "0.05"],
        ["--loss", "squared_hinge", "--no-intercept", "--l1", "0.001", "--l2", "0.01"],
        ["--label", "size", "--task", "regression"],
    ],
    ids=" ".join,
)
def test_what_was_fitted_verifies(options, run, table):
    assert run("fit", table, "-o", "m", *options).exit_code == 0
    done = run("verify", "m", table)
    assert done.exit_code == 0
    assert done.stderr == ""
    assert "is within" in done.stdout
    assert "The certificate holds, and proves what was asked." in done.stdout


def test_standardised_is_said(run, table):
    assert run("fit", table, "-o", "m", "--standardize").exit_code == 0
    done = run("verify", "m", table)
    assert done.exit_code == 0
    assert "The claim is about the standardised problem" in done.stdout


def test_json(run, table):
    assert run("fit", table, "-o", "m", "--standardize").exit_code == 0
    found = json.loads(run("verify", "m", table, "--json").stdout)
    assert found["holds"] is found["certified"] is True
    assert "standardised" in found["remark"]
    assert 0.0 <= found["recomputed"]["gap"] <= found["certificate"]["gap"]
    assert found["claim"] == er.load("m").certificate.sentence()
    assert found["certificate"] == er.load("m").certificate.to_json()
    table.write_text(table.read_text().replace("yes", "maybe"))
    done = run("verify", "m", table, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["holds"] is found["certified"] is False
    assert found["recomputed"] == {}


def test_standard_input(run, table, rows):
    for path in (table, rows):
        assert run("fit", path, "-o", "m").exit_code == 0
        assert run("verify", "m", "-", input=path.read_bytes()).exit_code == 0


def test_the_same_numbers_in_another_order_of_columns_are_the_same_data(run, table):
    assert run("fit", table, "-o", "m").exit_code == 0
    with open("other.csv", "w", encoding="utf-8") as stream:
        for line in table.read_text().splitlines():
            stream.write(",".join(reversed(line.split(","))) + "\n")
    assert run("verify", "m", "other.csv").exit_code == 0


def replaced(column: int, change):
    """Change one cell of the fifth row."""

    def change_lines(lines):
        cells = lines[5].split(",")
        cells[column] = change(cells[column])
        lines[5] = ",".join(cells)

    return change_lines


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines.pop(),
        lambda lines: lines.insert(1, lines.pop(2)),
        replaced(0, lambda color: "red" if color != "red" else "blue"),
        replaced(1, lambda size: repr(np.nextafter(float(size), 9.0).item())),
        replaced(3, lambda label: {"yes": "no", "no": "yes"}[label]),
        replaced(3, lambda label: "maybe"),
    ],
    ids=["a row less", "two rows swapped", "a category", "a number", "a label", "a new label"],
)
def test_other_data_are_noticed(change, run, table):
    assert run("fit", table, "-o", "m").exit_code == 0
    lines = table.read_text().splitlines()
    change(lines)
    table.write_text("\n".join(lines) + "\n")
    done = run("verify", "m", table)
    assert done.exit_code == 1, done.stderr
    assert "These are not the data the model was fitted on" in done.stdout
    assert "The certificate does not hold on these data." in done.stdout


def test_another_column_as_label_or_weights(run, table):
    assert run("fit", table, "-o", "m", "--label", "label", "--weights", "weight").exit_code == 0
    assert run("verify", "m", table, "--label", "label", "--weights", "weight").exit_code == 0
    table.write_text(table.read_text().replace("weight", "other"))
    done = run("verify", "m", table)
    assert done.exit_code == 3
    assert "expected the weights column 'weight', found none of this name" in done.stderr
    assert run("verify", "m", table, "--weights", "other").exit_code == 0


def test_other_weights_of_a_model_are_noticed(run, table):
    assert run("fit", table, "-o", "m", "--standardize").exit_code == 0
    model = er.load("m")
    er.save(model._replace(weights=np.nextafter(model.weights, 9.0)), "m")  # the digest of the file is right
    done = run("verify", "m", table)
    assert done.exit_code == 1
    assert "The certificate speaks of other weights than these." in done.stdout


def test_an_uncertified_model_does_not_pass(run, table):
    assert run("fit", table, "-o", "m", "--max-passes", 1, "--solver", "lbfgs", "--tol", 1e-12).exit_code == 1
    done = run("verify", "m", table)
    assert done.exit_code == 1
    assert "and 1e-12 was asked." in done.stdout


def test_an_own_loss_needs_python(run, table):
    assert run("fit", table, "-o", "m").exit_code == 0
    model = er.load("m")
    er.save(model._replace(options=model.options._replace(loss=OwnLoss("mine"))), "m")
    assert run("predict", "m", table).exit_code == 0
    done = run("verify", "m", table)
    assert done.exit_code == 2
    assert "own loss 'mine': to verify it, give the loss object" in done.stderr


def test_a_table_without_its_label(run, table):
    assert run("fit", table, "-o", "m").exit_code == 0
    table.write_text(table.read_text().replace("label", "answer"))
    done = run("verify", "m", table)
    assert done.exit_code == 3
    assert "expected the label column 'label', found the columns" in done.stderr


FILES = {  # of every command: its name, how its file is asked for, and the labels that it is run on
    "fit": ("fit", "-o", "mixed"),
    "fit, standardised": ("fit", "--standardize", "-o", "mixed"),
    "fit, three classes": ("fit", "--task", "classification", "-o", "three"),
    "perceptron": ("perceptron", "-o", "apart"),
    "perceptron, no plane": ("perceptron", "--max-passes", "5", "-o", "mixed"),
    "margin": ("margin", "-o", "apart"),
    "margin, certificate": ("margin", "--certificate", "apart"),
    "separate": ("separate", "-o", "apart"),
    "separate, no plane": ("separate", "-o", "mixed"),
    "minimize-errors": ("minimize-errors", "-o", "mixed"),
    "minimize-errors, model": ("minimize-errors", "--model", "mixed"),
}


@pytest.mark.parametrize("file", FILES)
def test_data_of_other_columns_are_refused_alike(file, run):
    command, *options, labels = FILES[file]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    scores = X @ [1.0, -2.0]
    y = {
        "apart": scores > 0.0,
        "mixed": scores + np.where(np.arange(12) < 4, -3.0, 3.0) * np.sign(scores) > 0.0,
        "three": np.digitize(scores, [-1.0, 1.0]),
    }[labels].astype(int)
    np.savez("a.npz", X=X, y=y)
    assert run(command, "a.npz", *options, "m", "--quiet").exit_code in (0, 1)
    assert "The certificate holds" in run("verify", "m", "a.npz").stdout
    for width in (1, 3):
        np.savez("b.npz", X=rng.normal(size=(12, width)), y=y)
        done = run("verify", "m", "b.npz")
        assert done.exit_code == 3
        assert re.fullmatch(rf"Error: b.npz: expected 2 features as in the .*, found {width}\n", done.stderr)
        assert not er.verify(er.load("m"), np.ones((12, width)), y).holds  # in Python a verdict, for every kind


@pytest.mark.parametrize("tol", ["nan", "-5", "inf", "small"])
def test_a_tolerance_that_is_none(tol, run):
    done = run("verify", "missing", "missing.csv", "--tol", tol)
    assert done.exit_code == 2
    assert f"'{tol}' is not a finite number >= 0." in done.stderr


def test_devices_are_no_models(run, table):
    for option in ("-o", "--report"):
        done = run("fit", table, "-o", "m", option, "/dev/null")
        assert (done.exit_code, done.stderr) == (4, "Error: /dev/null: Not a regular file\n")
    assert run("fit", table, "-o", "m").exit_code == 0
    assert run("predict", "m", table, "-o", "/dev/null").exit_code == 0


def test_seeds_are_those_of_python(run):
    assert MOST_SEED == parameters.MOST_SEED
    for command in ("fit", "separate", "perceptron", "margin", "minimize-errors"):
        done = run(command, "missing.csv", "-o", "m", "--seed", 10**20)
        assert done.exit_code == 2
        assert "Invalid value for '--seed'" in done.stderr

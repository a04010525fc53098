"""Columns that are chosen by name, in every command that reads a table."""

from __future__ import annotations

import json

import pytest

from empirisk.model_file import load

ROWS = [f"n{i},{i % 3},{i},{i * i % 7},{'ab'[i > 30]}" for i in range(60)]
TABLE = "\n".join(["id,zip,size,noise,y", *ROWS]) + "\n"
COMMANDS = {
    "fit": ["-o", "m", "--l2", "0.01"],
    "separate": ["-o", "c.json"],
    "perceptron": ["-o", "m"],
    "margin": ["-o", "m", "--certificate", "c.json"],
    "minimize-errors": ["-o", "c.json", "--model", "m"],
}


@pytest.fixture
def people(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return "t.csv"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_choices_and_what_it_writes_verifies(command, run, people):
    options = ["--drop", "id", "--drop", "noise", "--categorical", "zip", "--json", "--quiet"]
    done = run(command, people, *COMMANDS[command], *options)
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    for key in ("verify", "verify_model", "verify_certificate"):
        if said.get(key) is not None:
            words = said[key].split()[1:]
            assert run(*words).exit_code == 0
            is_certificate = words[1] == "c.json"
            assert (words[3:] == ["--drop", "id", "--drop", "noise", "--categorical", "zip"]) == is_certificate
    if "m" in COMMANDS[command]:
        model = load("m")
        assert model.feature_names == ("zip=0", "zip=1", "zip=2", "size")
        assert model.columns.dropped == ("id", "noise")
        assert run("predict", "m", people).stdout.split() == [row[-1] for row in ROWS]


def test_ids_stop_a_fit_with_the_options_and_drop_lets_it_go_on(run, people):
    done = run("fit", people, "-o", "m")
    assert done.exit_code == 3
    said = "t.csv: column 'id': expected categories, found 60 different texts in 60 rows, as ids and texts have: "
    assert said + "--drop leaves it out, --text learns" in done.stderr
    assert run("fit", people, "-o", "m", "--only", "size,zip").exit_code == 0
    assert load("m").columns.dropped == ("id", "noise")


def test_names_that_are_not_there(run, people):
    done = run("fit", people, "-o", "m", "--drop", "ID,size")
    assert (done.exit_code, "of --drop, found none of this name; did you mean 'id'?" in done.stderr) == (3, True)
    done = run("fit", people, "-o", "m", "--drop", "id", "--only", "id,size")
    assert done.exit_code == 0  # of those, all but one
    done = run("fit", people, "-o", "m", "--drop", "id", "--categorical", "id")
    assert (done.exit_code, "--categorical names the column 'id', which --drop names too" in done.stderr) == (2, True)


def test_a_model_knows_its_columns(run, people):
    assert run("fit", people, "-o", "m", "--drop", "id").exit_code == 0
    done = run("verify", "m", people, "--drop", "id")
    assert (done.exit_code, "--drop is for certificates alone: a model knows its columns" in done.stderr) == (2, True)


def test_only_tables_have_columns_to_choose(run, tmp_path):
    (tmp_path / "r.svm").write_text("1 1:2\n-1 2:1\n")
    done = run("fit", "r.svm", "-o", "m", "--categorical", "1")
    assert (done.exit_code, "--categorical is about columns of a CSV table" in done.stderr) == (2, True)


def test_unknown_categories_name_the_option(run, people, tmp_path):
    assert run("fit", people, "-o", "m", "--drop", "id", "--categorical", "zip").exit_code == 0
    (tmp_path / "new.csv").write_text("zip,size,noise\n1,5,0\n7,50,0\n")
    done = run("predict", "m", "new.csv")
    assert done.exit_code == 3
    assert (
        "new.csv:3: column 'zip': expected a category of the fit ('0', '1', '2'), found '7'; --unknown zero takes"
        in (done.stderr)
    )
    assert run("predict", "m", "new.csv", "--unknown", "zero").stdout.split() == ["a", "b"]
    (tmp_path / "new.csv").write_text("zip,size,noise,more\n1,5,0,1\n")
    assert "--ignore-new leaves out what is new" in run("predict", "m", "new.csv").stderr

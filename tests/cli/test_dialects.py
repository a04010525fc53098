"""Tables with other separators and encodings, with row numbers and with missing values, from the command line."""

from pathlib import Path

import pytest

import empirisk as er
from tests.cli.same_numbers import FILES, FIT, refused

PETS = "pet;weight;label\nçat;4,5;yes\ndög;20;no\nçat;5;yes\ndög;18;no\n".replace("4,5", "4.5")


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_bytes(PETS.encode("latin-1"))
    return path


def test_what_the_reader_decided_is_said(run):
    for name in ("d.tsv", "numbered.csv", "d.csv"):
        Path(name).write_bytes(FILES[name])
    done = run("fit", "d.tsv", "-o", "m", *FIT[:-1])
    assert done.stderr.splitlines()[0] == "Separator: tab."
    done = run("fit", "numbered.csv", "-o", "m", *FIT[:-1])
    assert done.stderr.splitlines()[0] == "Left out the first column, which has no name: it numbers the rows."
    assert er.load("m").columns.names == ("age", "dose", "size")
    assert run("predict", "m", "d.tsv").stdout == run("predict", "m", "d.csv").stdout
    assert "Separator" not in run("fit", "d.csv", "-o", "m", *FIT[:-1]).stderr
    assert run("fit", "d.tsv", "-o", "m", *FIT).stderr == ""


def test_an_encoding_is_asked_for_by_every_command(run, pets):
    said = "pets.csv:2:1: expected text in UTF-8, found the byte 0xe7; --encoding latin-1 reads it otherwise"
    refused(run("fit", "pets.csv", "-o", "m"), 3, said)
    done = run("fit", "pets.csv", "-o", "m", "--l2", 0.1, "--encoding", "latin-1")
    assert done.exit_code == 0, done.stderr
    assert er.load("m").columns.feature_names == ("pet=dög", "pet=çat", "weight")
    assert "Verify     empirisk verify m pets.csv --encoding latin-1\n" in done.stdout
    refused(run("predict", "m", "pets.csv"), 3, said)
    refused(run("verify", "m", "pets.csv"), 3, said)
    assert run("predict", "m", "pets.csv", "--encoding", "latin-1").stdout == "yes\nno\nyes\nno\n"
    assert run("verify", "m", "pets.csv", "--encoding", "latin-1").exit_code == 0
    assert run("separate", "pets.csv", "--encoding", "latin-1").exit_code == 0


def test_a_separator_that_is_told(run, tmp_path):
    (tmp_path / "t.csv").write_text("a:y\n1:p\n2:q\n")
    done = run("fit", "t.csv", "-o", "m", "--l2", 0.1, "--separator", ":")
    assert done.exit_code == 0, done.stderr
    assert "Verify     empirisk verify m t.csv --separator :\n" in done.stdout
    assert run("verify", "m", "t.csv", "--separator", ":").exit_code == 0


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--separator", "ab", "must be one character of punctuation, or tab, comma, semicolon or pipe, got 'ab'."),
        ("--encoding", "latin-99", "must be an encoding of text that Python knows, such as utf-8, latin-1"),
    ],
)
def test_options_that_cannot_be(option, value, said, run, pets):
    done = run("fit", "pets.csv", "-o", "m", option, value)
    assert done.exit_code == 2
    assert f"Invalid value for '{option}': {said}" in done.stderr


@pytest.mark.parametrize("option", ["separator", "encoding", "na"])
def test_options_of_tables_for_other_data(option, run):
    value = {"separator": ";", "encoding": "utf-8", "na": "?"}[option]
    for name, format in (("d.svm", "svmlight"), ("d.npy", "npy"), ("d.npz", "npz")):
        Path(name).write_bytes(FILES[name])
        said = f"--{option} is for tables of text, and this file is read as {format}"
        refused(run("fit", name, "-o", "m", f"--{option}", value), 2, said)


def test_every_column_that_lacks_values_is_listed(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c,y\n1,x,5,p\n,?,-999,q\n3,x,?,p\n4,x,8,q\n")
    advice = "--missing says what to do with them: drop, mean, median or indicator"
    found = "t.csv:3: expected a value in every cell, found missing values in 2 columns:"
    refused(run("fit", "t.csv", "-o", "m", "--quiet"), 3, f"{found} 'a' (1 of 4 rows), 'c' (1 of 4 rows); {advice}")
    done = run("fit", "t.csv", "-o", "m", "--quiet", "--na", "?,-999")
    refused(done, 3, f"{found} 'a' (1 of 4 rows), 'c' (2 of 4 rows); {advice}")
    (tmp_path / "whole.csv").write_text("a,c,y\n1,5,p\n2,7,q\n3,6,p\n4,8,q\n")
    assert run("fit", "whole.csv", "-o", "m", "--l2", 0.1).exit_code == 0
    said = "found missing values in the column 'c' (1 of 1 rows); the model was fitted without a rule for them"
    (tmp_path / "one.csv").write_text("a,c\n1,?\n")
    done = run("predict", "m", "one.csv")
    refused(done, 3, f"one.csv:2: expected a value in every cell, {said}: fit it with --missing")

"""A table with missing values, categories, dates and texts: fitted, written, read back, verified and predicted."""

from __future__ import annotations

import json

import numpy as np
import pytest

from empirisk.encodings.choices import ColumnChoices
from empirisk.model_file import load
from empirisk.models.reading import read_for_model, read_training
from tests.cli.test_columns import COMMANDS
from tests.model_file.files import changed

HEAD = "price,kind,sold,note,zip,y"
WORDS = ("good free prize", "bad old thing", "good prize", "bad thing indeed")


def line(i: int) -> str:
    price = "" if i % 7 == 3 else str(i * 1.5)
    kind = "?" if i % 11 == 5 else "abc"[i % 3]
    sold = f"2024-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:00"
    return f"{price},{kind},{sold},{WORDS[i % 4]},{10 + i % 2},{'no' if i % 4 in (1, 3) else 'yes'}"


LINES = [line(i) for i in range(80)]
OPTIONS = ("--date", "sold", "--text", "note", "--categorical", "zip")


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop.csv").write_text("\n".join([HEAD, *LINES]) + "\n")
    return "shop.csv"


def lacks(row: str) -> bool:
    return row.startswith(",") or ",?," in row


@pytest.mark.parametrize("missing", ["drop", "mean", "median", "indicator"])
def test_from_the_file_to_a_model_that_verifies_and_predicts(missing, run, shop):
    done = run("fit", shop, "-o", "m", *OPTIONS, "--missing", missing, "--l2", "0.01")
    assert done.exit_code == 0, done.stderr
    assert run("verify", "m", shop).exit_code == 0
    model = load("m")
    assert model.columns.missing == missing
    names = set(model.feature_names)
    assert {"sold year", "sold days", "note: good", "note: good free", "zip=10", "kind=a"} <= names
    assert ({"price is missing", "kind is missing"} <= names) == (missing == "indicator")
    predicted = run("predict", "m", shop).stdout.split("\n")[:-1]
    truth = [row.rpartition(",")[2] for row in LINES]
    assert predicted == ["" if missing == "drop" and lacks(row) else y for row, y in zip(LINES, truth, strict=True)]


def test_a_model_gives_the_same_matrix_after_it_was_stored(run, shop):
    assert run("fit", shop, "-o", "m", *OPTIONS, "--missing", "indicator", "--l2", "0.01").exit_code == 0
    model = load("m")
    options = {"date": ("sold",), "text": ("note",), "categorical": ("zip",), "missing": "indicator"}
    first = read_training(shop, None, None, None, choices=ColumnChoices(**options))
    again = read_for_model(model, shop, None, labeled=True)
    assert model.columns == first.columns
    np.testing.assert_array_equal(again.matrix, first.matrix)


def test_the_error_lists_all_columns_and_names_the_option(run, shop):
    done = run("fit", shop, "-o", "m", *OPTIONS)
    assert done.exit_code == 3
    assert (
        "found missing values in the column 'price' (11 of 80 rows); --missing says what to do with them" in done.stderr
    )
    done = run("fit", shop, "-o", "m", *OPTIONS, "--missing", "mean", "--label", "price")
    assert done.exit_code == 3
    assert "labels and weights must be there, and --missing drop leaves rows out" in done.stderr


def test_what_was_dropped_is_said(run, shop):
    done = run("fit", shop, "-o", "m", *OPTIONS, "--missing", "drop")
    n = sum(map(lacks, LINES))
    assert f"Left out {n} of 80 rows, which lack a value." in done.stderr
    done = run("predict", "m", shop, "--scores")
    assert f"The predictions of {n} of 80 rows are empty: they lack a value." in done.stderr
    rows = done.stdout.split("\n")
    assert rows[0] == "label,score"
    assert [row == "," for row in rows[1:-1]] == list(map(lacks, LINES))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_such_a_table(command, run, shop):
    options = ["--drop", "sold,price", "--text", "note", "--missing", "drop", "--no-pairs", "--min-count", "3"]
    done = run(command, shop, *COMMANDS[command], *options, "--json", "--quiet")
    assert done.exit_code == 0, done.stderr
    verify = [words for key, words in json.loads(done.stdout).items() if key.startswith("verify") and words]
    assert verify
    for words in verify:
        again = run(*words.split()[1:])
        assert again.exit_code == 0, again.stderr
        assert ("--no-pairs --min-count 3" in words) == ("c.json" in words)


def test_points_of_a_conflict_have_the_lines_of_the_file(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n?,p\n0,p\n1,q\n2,p\n")
    done = run("separate", "t.csv", "--missing", "drop", "--json")
    assert [point["line"] for point in json.loads(done.stdout)["points"]] == [3, 4, 5]
    assert [point["row"] for point in json.loads(done.stdout)["points"]] == [1, 2, 3]


def test_a_bad_date_has_its_place(run, shop, tmp_path):
    assert run("fit", shop, "-o", "m", *OPTIONS, "--missing", "mean").exit_code == 0
    (tmp_path / "new.csv").write_text(f"{HEAD}\n{LINES[0]}\n1,a,tomorrow,x,10,no\n")
    done = run("predict", "m", "new.csv")
    assert done.exit_code == 3
    assert "new.csv:3: column 'sold': expected a date such as 2024-01-31, " in done.stderr


def column(k, **fields):
    return lambda content, arrays: content["model"]["columns"]["columns"][k]["fitted"].update(fields)


FORGERIES = {
    "an unknown kind": lambda c, a: c["model"]["columns"]["columns"][0].update(kind="eval"),
    "a kind of another type": lambda c, a: c["model"]["columns"]["columns"][0].update(kind=["number"]),
    "another kind": lambda c, a: c["model"]["columns"]["columns"][0].update(kind="text"),
    "a strange field": lambda c, a: c["model"]["columns"]["columns"][0].update(code="x"),
    "a name of another type": lambda c, a: c["model"]["columns"]["columns"][0].update(name=1),
    "a name twice": lambda c, a: c["model"]["columns"]["columns"][0].update(name="kind"),
    "a used column that is dropped": lambda c, a: c["model"]["columns"].update(dropped=["kind"]),
    "a policy of its own": lambda c, a: c["model"]["columns"].update(missing="guess"),
    "a policy of another type": lambda c, a: c["model"]["columns"].update(missing=["mean"]),
    "missing words of another type": lambda c, a: c["model"]["columns"].update(na="?"),
    "no columns": lambda c, a: c["model"]["columns"].update(columns=[]),
    "a filling that is no number": column(0, filling={"values": ["1"], "has_flag": True}),
    "a flag too few": column(0, filling=None),
    "categories out of order": column(4, values=["11", "10"]),
    "numbers in words": column(4, values=["10", "x"]),
    "categories of another type": column(1, values="abc"),
    "a category twice": column(1, values=["a", "a", "c"]),
    "a fill that is no category": column(1, fill=4),
    "a fill of another type": column(1, fill=True),
    "an order of its own": column(2, order="hour first"),
    "a first date in words": column(2, first="2024"),
    "a term less": column(3, terms=["bad"], counts=[2]),
    "more texts than there were": column(3, n_texts=1),
    "an earlier version": lambda c, a: c["model"].update(columns=[["price", None]]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_columns_are_refused(forgery, run, shop, tmp_path):
    assert run("fit", shop, "-o", "m", *OPTIONS, "--missing", "indicator").exit_code == 0
    changed(tmp_path / "m", FORGERIES[forgery])
    done = run("predict", "m", shop)
    assert done.exit_code == 3
    assert "is not a valid model file: " in done.stderr
    assert done.stderr.count("\n") == 1


def test_columns_that_are_kept_stand_beside_empty_predictions(run, shop):
    run("fit", shop, "-o", "m", *OPTIONS, "--missing", "drop")
    rows = run("predict", "m", shop, "--keep", "price,kind").stdout.split("\n")[1:-1]
    assert [row.endswith(",") for row in rows] == list(map(lacks, LINES))
    assert [row.split(",")[:2] for row in rows] == [row.split(",")[:2] for row in LINES]


def test_a_model_knows_the_words_for_missing_values(run, tmp_path):
    rows = [f"{'-999' if i % 5 == 2 else i},{'ab'[i > 20]},{'pq'[i % 2]}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["size,kind,y", *rows]) + "\n")
    done = run("fit", "t.csv", "-o", "m", "--na", "-999", "--missing", "indicator", "--json", "--quiet")
    assert json.loads(done.stdout)["verify"] == "empirisk verify m t.csv"
    assert load("m").columns.na == ("-999",)
    assert load("m").feature_names == ("size", "size is missing", "kind=a", "kind=b")
    assert run("verify", "m", "t.csv").exit_code == 0
    (tmp_path / "new.csv").write_text("size,kind\n-999,a\n")
    filled = load("m").columns.columns[0].filling.values[0]
    (tmp_path / "same.csv").write_text(f"size,kind\n{filled!r},a\n")
    first, second = (run("predict", "m", name, "--scores").stdout.split(",")[-1] for name in ("new.csv", "same.csv"))
    assert float(first) - float(second) == pytest.approx(load("m").weights[1])

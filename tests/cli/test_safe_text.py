"""What files hold is repeated on the terminal only in a form that it cannot obey."""

from __future__ import annotations

from pathlib import Path

import pytest

import empirisk as er
from empirisk.cli.output import safe_lines
from empirisk.encodings.columns import number_columns
from empirisk.model_file import ModelFileError
from empirisk.texts import visible
from tests.model_file.files import changed

RUDE = "\x1b[2J\x1b[31mseparated\nVerdict    holds\u202e\ud800"
SAFE = r"\x1b[2J\x1b[31mseparated\nVerdict    holds\u202e\ud800"
DATA = "height,label\n0,no\n1,no\n3,yes\n4,yes\n"


@pytest.fixture
def model(run, written):
    assert run("perceptron", written("apart.csv", DATA), "-o", "m").exit_code == 0
    return Path("m")


def test_text_of_one_line():
    assert visible(RUDE) == SAFE
    assert visible("naïve 日本 😀 'a' \\n") == "naïve 日本 😀 'a' \\n"


@pytest.mark.parametrize("status", [RUDE, "", "separated", "interrupted", "stopped at the pass limit"])
def test_a_status_that_no_search_ends_with_is_refused(status, model):
    changed(model, lambda content, arrays: content["model"].update(status=status))
    with pytest.raises(ModelFileError, match="the status is none that a search with this certificate ends with"):
        er.load(model)


@pytest.mark.parametrize(("command", "status"), [("margin", RUDE), ("minimize-errors", "time limit"), ("fit", RUDE)])
def test_a_status_of_other_models(command, status, run, written):
    assert run(command, written("a.csv", DATA), "--model" if "min" in command else "-o", "m", "--quiet").exit_code == 0
    changed(Path("m"), lambda content, arrays: content["model"].update(status=status))
    with pytest.raises(ModelFileError, match="the status is none that"):
        er.load("m")


def test_a_run_that_did_not_separate_cannot_be_said_to(run, written):
    run("perceptron", written("a.csv", DATA), "--max-passes", 1, "-o", "m")
    changed(Path("m"), lambda content, arrays: content["model"].update(status=str(er.PerceptronStatus.SEPARATED)))
    done = run("verify", "m", "a.csv")
    assert done.exit_code == 3
    assert "the status is none that a search with this certificate ends with" in done.stderr


def columns(name):
    return number_columns([name]).to_json()


def test_class_labels_feature_names_and_columns_of_a_file(model, run, tmp_path):
    def rename(content, arrays):
        content["model"]["classes"].update(values=[RUDE, "yes"], dtype="object")
        content["model"].update(feature_names=[RUDE], columns=columns(RUDE), label_name=RUDE)

    changed(model, rename)
    done = run("verify", model, "apart.csv")
    assert done.exit_code == 3
    assert "\x1b" not in done.output
    assert done.stderr.count("\n") == 1
    changed(model, lambda content, arrays: content["model"].update(label_name="label", columns=columns("height")))
    done = run("verify", model, "apart.csv")
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    done = run("predict", model, "apart.csv")  # a result as it is, but for what UTF-8 cannot hold
    assert done.exit_code == 0
    assert "\x1b[31mseparated" in done.stdout
    assert "\\ud800" in done.stdout


def test_predictions_on_a_terminal(monkeypatch):
    lines = [f"{RUDE}\n", "no\n"]
    assert list(safe_lines("-", lines)) == lines
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert list(safe_lines("-", lines)) == [f"{SAFE}\n", "no\n"]
    assert list(safe_lines("file", lines)) == lines


def test_feature_names_of_data(run, written):
    rude = '"a\x1b[2J",label\n'
    done = run("separate", written("a.csv", rude + DATA.partition("\n")[2]))
    assert done.exit_code == 0
    assert r"* a\x1b[2J" in done.stdout
    assert "\x1b" not in done.output
    done = run("fit", written("b.csv", rude + "0,no\n1,no\n3,\x1b[31myes\n"), "-o", "m")
    assert "\x1b" not in done.output


def test_errors_repeat_nothing_rude(run, written):
    done = run("separate", written("a.csv", DATA), "--label", "x\x1b[2J\ny")
    assert done.exit_code == 3
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1

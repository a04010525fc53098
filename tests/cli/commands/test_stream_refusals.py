"""empirisk stream on bad lines, bad data and options that do not go: a sentence, an exit code, and nothing lost."""

from __future__ import annotations

import errno
import json
import math
from pathlib import Path

import pytest

from empirisk.model_file import load
from tests.cli.commands.stream_rows import digest, text_of


@pytest.fixture
def stream(written) -> Path:
    return written("rows.svm", text_of())


def test_bad_lines(run, stream):
    lines = stream.read_text().splitlines(keepends=True)
    bad = "".join([*lines[:30], "1 3:x\n", *lines[30:45], "7 1:1\n", *lines[45:]])
    done = run("stream", "-", "--save", "part", input=bad)
    assert done.exit_code == 3
    assert done.stderr.endswith(
        "part has the run up to there: 30 rows.\nError: <stdin>:31:5: expected a decimal number after ':', found 'x'\n"
    )
    run("stream", "-", "--save", "first", "--quiet", input="".join(lines[:30]))
    assert digest("part") == digest("first")
    done = run("stream", "-", "--skip-bad", "1", "--save", "part", input=bad)
    assert done.exit_code == 3
    assert "Skipped: <stdin>:31:5" in done.stderr
    assert "Error: <stdin>:47:1: expected the label -1 or 1, found 7: --classes names others" in done.stderr
    assert load("part").n_rows == 45
    facts = json.loads(run("stream", "-", "--skip-bad", "2", "--save", "part", "--json", input=bad).stdout)
    assert [text.split(":")[1] for text in facts["skipped"]] == ["31", "47"]
    run("stream", stream, "--save", "whole", "--quiet")
    assert digest("part") == digest("whole")
    assert "Skipped    2 bad lines" in run("stream", "-", "--skip-bad", "2", "--quiet", input=bad).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "<stdin>: expected at least one example, found none"),
        ("# nothing\n\n", "<stdin>: expected at least one example, found none"),
        ("1 1:nan\n", "<stdin>:1:5: expected a finite number after ':', found 'nan'"),
        ("1 1:inf\n", "<stdin>:1:5: expected a finite number after ':', found 'inf'"),
        ("1 1:1\n1 1:1e400\n", "<stdin>:2:5: expected a number within the range of float64, found '1e400'"),
        ("1 1:1\n1 16777216:1\n", "<stdin>:2:3: expected a feature index below 16777216, found 16777216"),
        ("1 1:1\n1 2:1 5", "<stdin>:2:7: expected index:value, found '5'"),
        ("2 1:1\n", "<stdin>:1:1: expected the label -1, 0 or 1, found 2: --classes names others"),
    ],
)
def test_bad_data(text, said, run):
    done = run("stream", "-", "--save", "model", "--quiet", input=text)
    assert (done.exit_code, done.stderr) == (3, f"Error: {said}\n")


def test_a_score_that_overflows(run):
    options = ("--learner", "gradient_descent:steps=constant,length=1", "--loss", "squared")
    done = run("stream", "-", *options, "--save", "model", input="1 1:1\n# one\n1 1:1e200\n1 1:1\n")
    assert done.exit_code == 3
    assert "Error: <stdin>:3:1: row 2 overflowed" in done.stderr
    assert load("model").n_rows == 1


def test_a_bad_line_is_told_though_the_run_cannot_be_saved(run, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("empirisk.model_file.save", full)
    done = run("stream", "-", "--quiet", "--save", "model", input="1 1:1\n1 3:x\n")
    assert done.exit_code == 3
    first, last = done.stderr.splitlines()
    assert first.startswith("The run up to there is not saved: ")
    assert first.endswith("No space left on device")
    assert last == "Error: <stdin>:2:5: expected a decimal number after ':', found 'x'"


def test_a_run_whose_longest_move_is_no_float64_is_verified(run):
    options = ("--learner", "gradient_descent:steps=constant,length=1e200", "--loss", "squared")
    assert run("stream", "-", *options, "--save", "model", input="1 1:1\n").exit_code == 0
    assert load("model").ledger.longest_move == math.inf
    assert run("verify", "model", "-", input="1 1:1\n").exit_code == 0


def test_squares_that_overflow_together_end_the_run_before_they_do(run):
    """Of a run that goes on all numbers are finite, so that it can be saved."""
    options = ("--learner", "adagrad", "--loss", "hinge")
    done = run("stream", "-", *options, "--save", "model", "--quiet", input="1 1:1e154\n-1 1:1e154\n")
    assert (done.exit_code, "row 2 overflowed" in done.stderr) == (3, True)
    assert load("model").n_rows == 1


def test_rows_of_zeros_and_one_row(run):
    done = run("stream", "-", "--save", "model", "--quiet", input="1\n-1\n1 # nothing\n")
    assert done.exit_code == 0
    assert (load("model").n_features, load("model").ledger.rounds) == (0, 3)
    assert run("stream", "-", "--quiet", input="-1 3:1").exit_code == 0
    assert run("verify", "model", "-", input="1\n-1\n1\n").exit_code == 0


def test_columns_of_any_size(run):
    for size in ("150", "310"):  # the reciprocal of 1e-310 is no float64
        text = "".join(f"{(-1) ** i} 1:{1 + i}e{min(150, int(size))} 2:{1 + i}e-{size}\n" for i in range(8))
        assert run("stream", "-", "--quiet", input=text).exit_code == 0


OPTIONS = {
    "--l2 -1": "--l2 must be a finite number >= 0, got -1.0",
    "--loss hing": "--loss must be one of",
    "--loss zero_one": "",
    "--loss squared --classes 1,1": "'1,1' is not different labels.",
    "--classes a,b": "--classes 'a', 'b' are texts, and the labels of svmlight data are numbers",
    "--classes a,": "'a,' is not two labels or more, such as 1,2 or no,yes.",
    "--classes a,a": "'a,a' is not different labels.",
    "--bits 20": "--bits is not for svmlight data, which take no options",
    "--resume model --format vw": "--format vw is not that of the run, svmlight",
    "--loss huber --classes 1,2": "'huber' is not for classification",
    "--learner sgd": "--learner must be one of",
    "--learner adagrad:alpha=-1": "alpha must be positive and finite",
    "--learner gradient_descent:steps=inverse": "l2 > 0",
    "--learner adagrad --constraint simplex": "excludes weights of zero",
    "--learner gradient_descent --constraint box:low=-1,high=1 --no-intercept": "such as distance=...",
    "--every 5": "--every needs --save",
    "--same-stream": "--same-stream needs --resume",
    "--resume model --start model": "--start is for a new run",
    "--resume model --l2 0.5": "--l2 0.5 is not that of the run, 0.0",
    "--resume model --loss hinge": "--loss hinge is not that of the run, logistic",
    "--resume model --learner gradient_descent": "--learner gradient_descent is not that of the run, mixture",
    "--resume model --constraint l2_ball": "--constraint l2_ball is not that of the run, none",
    "--resume model --no-intercept": "--no-intercept (True) is not that of the run, False",
    "--resume model --classes 0,1": "--classes 0, 1 is not that of the run, -1, 1",
    "--resume model --passes 2": "--passes 2 is not that of the run, 1",
    "--save rows.svm": "would be both read and overwritten",
    "--save -": "standard output is for the summary",
    "--predictions -": "give --predictions a file",
    "--predictions rows.svm": "would be both read and overwritten",
    "--predictions m --save m": "would be both read and overwritten",
    "--most-columns 0": "0 is not in the range",
}


@pytest.mark.parametrize("options", OPTIONS)
def test_options_that_do_not_go(options, run, stream):
    run("stream", stream, "--save", "model", "--quiet")
    before = digest("model"), digest(stream)
    done = run("stream", "rows.svm", *options.split())
    assert done.exit_code == 2
    assert OPTIONS[options] in done.stderr
    assert (digest("model"), digest(stream)) == before


def test_options_that_are_those_of_the_run(run, stream):
    options = ("--learner", "adagrad", "--constraint", "l2_ball:radius=2", "--l2", "0.1", "--no-intercept")
    run("stream", stream, "--save", "model", "--quiet", *options)
    same = ("--learner", "adagrad:alpha=1", "--l2", "1e-1", "--constraint", "l2_ball:radius=2.0", "--classes", "1,-1")
    assert run("stream", stream, "--resume", "model", *same).exit_code == 0


def test_other_files(run, stream, written):
    run("fit", stream, "-o", "fitted")
    done = run("stream", stream, "--resume", "fitted")
    assert (done.exit_code, done.stderr.partition(", and ")[2]) == (3, "no run of a stream\n")
    done = run("stream", stream, "--resume", stream)
    assert done.exit_code == 3
    assert run("stream", "nowhere.svm").exit_code == 4
    assert run("stream", ".").exit_code == 4
    arrays = written("t.npy", "1 1:1")
    done = run("stream", arrays)
    assert (done.exit_code, done.stderr) == (
        2,
        f"Error: stream reads svmlight, vw, csv, jsonl, and {arrays} holds arrays\n",
    )
    run("stream", stream, "--save", "model", "--quiet")
    before = digest("model")
    for data, said in (("other.svm", "are not those that the run has met"), ("short.svm", "found 20")):
        written("other.svm", text_of(seed=9))
        written("short.svm", text_of(20))
        done = run("stream", data, "--resume", "model", "--same-stream", "--save", "model")
        assert done.exit_code == 3
        assert said in done.stderr
        assert digest("model") == before
    assert run("stream", "-", "--resume", "model", "--save", "model", input="").exit_code == 3

"""empirisk stream: predict, then learn; cut anywhere and resumed, the bytes are those of a run that went through."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from empirisk.data.sources import Piped
from empirisk.model_file import load, to_bytes
from tests.cli.commands.stream_rows import N, digest, text_of
from tests.cli.conftest import CODE, ENVIRONMENT

RUNS = {
    "mixture": (),
    "adagrad": ("--learner", "adagrad:alpha=0.5", "--l1", "0.01", "--l2", "0.01"),
    "gradient_descent": ("--learner", "gradient_descent", "--l2", "0.02"),
}


@pytest.fixture
def stream(written) -> Path:
    return written("rows.svm", text_of())


def in_pieces(monkeypatch, size: int) -> None:
    """Streams give at most so many bytes at a time."""
    whole = Piped.read
    monkeypatch.setattr(Piped, "read", lambda self, wanted=-1: whole(self, min(wanted, size)))


def test_the_summary(run, stream):
    done = run("stream", stream, "--save", "model", "--learner", "adagrad")
    assert done.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if not line.startswith("Mean"))
    assert lines["Data"].endswith(f"rows.svm: 60 rows; {load('model').n_features} features, counted from 0")
    assert lines["Learner"] == "adagrad"
    assert lines["Loss"] == "logistic, l1 0, l2 0, with intercept"
    assert lines["Rounds"] == "60"
    assert lines["Model"] == "model"
    assert lines["Verify"].startswith("empirisk verify model ")
    told = done.stderr.splitlines()
    assert [line.split()[0] for line in told] == ["1", "2", "4", "8", "16", "32"]
    assert told[0].startswith("1 round: mean loss 0.693147, 0.693147 since the last line, 1 error, ")
    assert told[-1].endswith(" MB/s")
    assert run("stream", stream, "--quiet").stderr == ""


def test_numbers_are_those_of_the_run(run, stream):
    facts = json.loads(run("stream", stream, "--json", "--quiet", "--predictions", "scores.csv", "--save", "m").stdout)
    ledger = load("m").ledger
    assert (facts["rounds"], facts["rows"], facts["errors"]) == (60, 60, ledger.errors)
    assert facts["mean_loss"] == ledger.mean_loss
    assert facts["bytes"] == len(stream.read_bytes())
    header, *rows = Path("scores.csv").read_text().splitlines()
    assert header == "score,probability"
    scores, chances = np.array([row.split(",") for row in rows], dtype=float).T
    np.testing.assert_allclose(chances, 1.0 / (1.0 + np.exp(-scores)))
    labels = np.array([float(line.split()[0]) for line in stream.read_text().splitlines()])
    assert np.log1p(np.exp(-labels * scores)).mean() == pytest.approx(facts["mean_loss"], rel=1e-12)
    assert np.sum(labels * scores <= 0.0) == facts["errors"]


@pytest.mark.parametrize("learner", RUNS)
@pytest.mark.parametrize("source", ["file", "pipe", "gz"])
def test_a_run_cut_anywhere_and_resumed_is_the_undisturbed_one(learner, source, run, stream):
    text, options = stream.read_text(), RUNS[learner]
    assert run("stream", stream, *options, "--save", "whole", "--quiet").exit_code == 0
    Path("rows.gz").write_bytes(gzip.compress(text.encode()))
    lines = text.splitlines(keepends=True)
    for cut in np.random.default_rng(len(learner + source)).integers(1, N, size=10).tolist():
        first, rest = "".join(lines[:cut]), "".join(lines[cut:])
        run("stream", "-", *options, "--save", "part", "--quiet", input=first)
        assert load("part").n_rows == cut
        if source == "pipe":
            done = run("stream", "-", "--resume", "part", "--save", "part", "--quiet", input=rest)
        else:
            data = stream if source == "file" else "rows.gz"
            done = run("stream", data, "--resume", "part", "--same-stream", "--save", "part", "--quiet")
        assert done.exit_code == 0
        assert digest("part") == digest("whole")


def test_the_answer_does_not_depend_on_how_the_bytes_arrive(run, stream, monkeypatch):
    run("stream", stream, "--save", "whole", "--predictions", "whole.csv", "--quiet")
    run("stream", "-", "--save", "all", "--predictions", "all.csv", "--quiet", input=stream.read_bytes())
    in_pieces(monkeypatch, 5)
    run("stream", stream, "--save", "few", "--predictions", "few.csv", "--every", "7", "--quiet")
    assert digest("whole") == digest("all") == digest("few")
    assert digest("whole.csv") == digest("all.csv") == digest("few.csv")


def test_the_answer_does_not_depend_on_the_threads(run, stream):
    for threads in ("1", "2"):
        assert run("stream", stream, "--threads", threads, "--save", f"by{threads}", "--quiet").exit_code == 0
    assert digest("by1") == digest("by2")


def test_saving_on_the_way_changes_nothing(run, stream, monkeypatch):
    saved = []
    monkeypatch.setattr("empirisk.model_file.save", lambda model, path: saved.append((model.n_rows, path)))
    run("stream", stream, "--save", "m", "--every", "25", "--quiet")
    assert saved == [(25, "m"), (50, "m"), (60, "m")]


def test_passes(run, stream):
    run("stream", stream, "--passes", "3", "--save", "whole", "--quiet")
    assert load("whole").n_rows == 3 * N
    assert run("verify", "whole", stream).exit_code == 0
    lines = stream.read_text().splitlines(keepends=True)
    text = "".join(lines) + "".join(lines) + "".join(lines)
    run("stream", "-", "--save", "once", "--quiet", input=text)
    assert load("once")._replace(passes=3).ledger == load("whole").ledger
    done = run("stream", "-", "--passes", "2", input=text)
    assert (done.exit_code, done.stderr) == (2, "Error: --passes 2 needs a file, which can be read again\n")
    done = run("stream", stream, "--resume", "whole")
    assert done.exit_code == 2
    assert "the run plays its rows 3 times" in done.stderr
    done = run("stream", stream, "--resume", "whole", "--same-stream", "--save", "again")
    assert done.exit_code == 0
    assert digest("again") == digest("whole")


def test_a_run_of_passes_that_was_stopped_goes_on(run, stream, monkeypatch):
    run("stream", stream, "--passes", "3", "--save", "whole", "--quiet")
    saved = []
    with monkeypatch.context() as patched:
        patched.setattr("empirisk.model_file.save", lambda model, path: saved.append(to_bytes(model)))
        run("stream", stream, "--passes", "3", "--save", "m", "--every", "25", "--quiet")
    assert len(saved) == 8
    for content in saved:
        Path("part").write_bytes(content)
        assert run("verify", "part", stream).exit_code == 0
        assert run("stream", stream, "--resume", "part", "--same-stream", "--save", "part", "--quiet").exit_code == 0
        assert digest("part") == digest("whole")


def test_predict_score_and_verify_take_the_file(run, stream, written):
    run("stream", stream, "--save", "model", "--quiet")
    model = load("model")
    done = run("predict", "model", stream, "--scores", "--probabilities")
    assert done.stdout.splitlines()[0] == "label,score,probability_-1,probability_1"
    assert len(done.stdout.splitlines()) == N + 1
    assert run("score", "model", stream).exit_code == 0
    done = run("verify", "model", stream)
    assert done.exit_code == 0
    assert f"Played again: 60 rounds, mean loss {model.ledger.mean_loss:.6g}, and the same state." in done.stdout
    assert done.stdout.endswith("The run is what the file says.\n")
    other = written("other.svm", text_of(seed=2))
    done = run("verify", "model", other, "--json")
    assert done.exit_code == 1
    assert not json.loads(done.stdout)["holds"]
    assert run("verify", "model", "-", input="").stderr.endswith("expected at least one example, found none\n")
    assert run("verify", "model", stream, "--format", "csv").exit_code == 2


def test_a_part_of_a_stream_is_verified_on_all_of_it(run, stream):
    lines = stream.read_text().splitlines(keepends=True)
    run("stream", "-", "--save", "part", "--quiet", input="".join(lines[:20]))
    assert run("verify", "part", stream).exit_code == 0
    bad = "".join([*lines[:20], "1 a:1\n", *lines[20:]])
    assert run("verify", "part", "-", input=bad).exit_code == 0


def test_start(run, stream, written):
    first = written("first.svm", "1 1:1 2:0.5\n-1 1:-1\n1 2:2\n-1 2:-1 1:0.2\n")
    run("fit", first, "-o", "fitted", "--l2", "0.1")
    fitted = load("fitted")
    run("stream", stream, "--start", "fitted", "--save", "model", "--quiet", "--learner", "adagrad")
    model = load("model")
    assert model.first.weights[:3].tolist() == [0.0, *fitted.weights.tolist()]
    assert model.first.intercept == fitted.intercept
    assert run("verify", "model", stream).exit_code == 0
    done = run("stream", stream, "--start", "fitted", "--classes", "0,1")
    assert done.exit_code == 2
    assert "is a model of the classes -1, 1, and the stream has the classes 0, 1" in done.stderr
    done = run("stream", stream, "--start", "fitted", "--loss", "squared", "--learner", "adagrad", "--save", "m")
    assert done.exit_code == 0
    assert load("m").classes.tolist() == [-1, 1]
    done = run("stream", stream, "--start", "model")
    assert "--start takes a linear model of two classes or of one target" in done.stderr
    table = written("t.csv", "a,label\n1,0\n2,1\n3,1\n0,0\n")
    run("fit", table, "-o", "table")
    assert "fitted on svmlight data" in run("stream", stream, "--start", "table").stderr


@pytest.mark.parametrize("labels", [(0, 1), (2, 5)])
def test_other_labels(labels, run, written):
    path = written("r.svm", text_of(labels=labels))
    named = () if labels == (0, 1) else ("--classes", "5,2")
    run("stream", path, "--save", "model", "--quiet", *named)
    assert load("model").classes.tolist() == list(labels)
    assert set(run("predict", "model", path).stdout.split()) == set(map(str, labels))
    assert run("verify", "model", path).exit_code == 0


def test_one_label_alone_may_go_with_either_other(run):
    run("stream", "-", "--save", "model", "--quiet", input="1 1:1\n1 2:1\n")
    assert not load("model").is_settled
    for other in (0, -1):
        run("stream", "-", "--resume", "model", "--save", "next", "--quiet", input=f"{other} 1:1\n")
        assert load("next").classes.tolist() == [other, 1]


def test_regression(run, written):
    path = written("r.svm", "1.5 1:1\n-2 2:1\n0.5 1:2 2:1\n")
    done = run("stream", path, "--loss", "squared", "--learner", "adagrad", "--save", "model", "--predictions", "p.csv")
    assert done.exit_code == 0
    assert "rror" not in done.stdout + done.stderr
    assert load("model").classes is None
    assert Path("p.csv").read_text().startswith("score\n0.0\n")
    assert run("verify", "model", path).exit_code == 0


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_waits_for_rows_is_saved_when_it_is_stopped(signal_number, run, stream):
    lines = stream.read_bytes().splitlines(keepends=True)
    words = [sys.executable, "-W", "error", "-c", CODE, "stream", "-", "--save", "part"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as child:
        for line in lines[:16]:
            child.stdin.write(line)
        child.stdin.flush()
        told = b""
        while not told.startswith(b"16 rounds"):  # from a pipe a row is learned as soon as its line is whole
            told = child.stderr.readline()
            assert told
        child.send_signal(signal_number)
        output, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Rounds     16, interrupted\n" in output
    run("stream", stream, "--resume", "part", "--same-stream", "--save", "part", "--quiet")
    run("stream", stream, "--save", "whole", "--quiet")
    assert digest("part") == digest("whole")


@pytest.mark.parametrize("read", [1, 20])
def test_ctrl_c_while_bytes_are_read_and_parsed(read, run, stream, monkeypatch):
    whole, counted = Piped.read, iter(range(10**6))

    def pressed(self, wanted=-1):
        if next(counted) == read:
            signal.raise_signal(signal.SIGINT)  # from the thread that reads; it is the other one that hears it
        return whole(self, min(wanted, 30))

    with monkeypatch.context() as patched:
        patched.setattr(Piped, "read", pressed)
        assert run("stream", stream, "--save", "part", "--every", "1", "--quiet").exit_code == 130
    run("stream", stream, "--save", "whole", "--quiet")
    if Path("part").exists():  # as far as the run had come
        run("stream", stream, "--resume", "part", "--same-stream", "--save", "part", "--quiet")
        assert digest("part") == digest("whole")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_under_the_predictions(run, stream):
    done = run("stream", stream, "--predictions", "/dev/full", "--save", "model", "--quiet")
    assert (done.exit_code, done.stderr) == (4, "Error: /dev/full: No space left on device\n")


def test_a_start_outside_of_the_constraint_is_projected_and_said(run, stream, written, caplog):
    first = written("first.svm", "1 1:1 2:0.5\n-1 1:-1\n1 2:2\n-1 2:-1 1:0.2\n")
    run("fit", first, "-o", "fitted", "--l2", "1e-4")
    words = ("--start", "fitted", "--learner", "adagrad", "--save", "model", "--constraint")
    done = run("stream", stream, *words, "l2_ball:radius=0.5")
    assert (
        "The weights of fitted lie outside of the constraint: the run begins at the nearest that do not." in done.stderr
    )
    assert np.linalg.norm(load("model").first.weights) == pytest.approx(0.5)
    assert "outside" not in run("stream", stream, *words, "l2_ball:radius=500").stderr
    assert run("stream", stream, *words, "l2_ball:radius=0.5", "--quiet").stderr == caplog.text == ""


def test_a_full_disk_leaves_the_old_file(run, stream, monkeypatch):
    run("stream", stream, "--save", "model", "--quiet")
    before = digest("model")

    def full(*_):
        raise OSError(28, "No space left on device", "model")

    monkeypatch.setattr("empirisk.model_file.save", full)
    done = run("stream", stream, "--resume", "model", "--save", "model", "--quiet")
    assert (done.exit_code, done.stderr) == (4, "Error: model: No space left on device\n")
    assert digest("model") == before


@pytest.mark.compiled
def test_machine_code_makes_the_same_bytes_in_any_parts(run, stream, monkeypatch):
    run("stream", stream, "--save", "whole", "--learner", "adagrad", "--l2", "0.01", "--quiet")
    in_pieces(monkeypatch, 50)
    run("stream", stream, "--save", "parts", "--learner", "adagrad", "--l2", "0.01", "--quiet")
    assert digest("parts") == digest("whole")
    assert run("verify", "parts", stream).exit_code == 0

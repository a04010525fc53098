"""empirisk stream --regret and --delta: numbers are those of the run, the certificate verifies, lies do not."""

from __future__ import annotations

import json
import math
import signal
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.model_file import load
from tests.cli.commands.stream_rows import text_of

N = 20
SET = ("--regret", "--against", "l2_ball:radius=5")


@pytest.fixture
def stream(written) -> Path:
    return written("rows.svm", text_of(N))


def arrays_of(path: Path, labels=(-1, 1)):
    """Feature j in column j, and the labels as -1 and +1."""
    rows = [line.split() for line in path.read_text().splitlines()]
    X = np.zeros((len(rows), 1 + max(int(word.split(":")[0]) for row in rows for word in row[1:])))
    for i, row in enumerate(rows):
        for word in row[1:]:
            X[i, int(word.split(":")[0])] = float(word.split(":")[1])
    return X, np.where(np.array([float(row[0]) for row in rows]) == labels[1], 1.0, -1.0)


@pytest.mark.parametrize("learner", ["mixture", "adagrad"])
def test_the_regret_is_that_of_the_run(learner, run, stream):
    done = run("stream", stream, "--learner", learner, *SET, "--json", "--certificate", "proof.json")
    assert done.exit_code == 0
    facts = json.loads(done.stdout)["regret"]
    X, y = arrays_of(stream)
    expected = er.online.learn(X, y, learner).regret(X, y, against="l2_ball:radius=5")
    assert facts["least"] == pytest.approx(expected.regret, abs=1e-5)
    assert facts["least"] <= facts["most"] <= facts["bound"]
    assert facts["bound"] == pytest.approx(expected.bound, rel=1e-4)
    assert [at["rounds"] for at in facts["curve"]] == [1, 2, 4, 8, 16, N]
    told = done.stderr.splitlines()
    assert f"regret {facts['curve'][2]['least']:.6g}, bound {facts['curve'][2]['bound']:.6g}, " in told[2]
    claim = load("proof.json")
    assert er.verify(claim, X, y).holds
    assert run("verify", "proof.json", stream).exit_code == 0


def test_rows_with_names_are_read_as_the_run_did(run, written):
    lines = [f"{1 if k % 3 else -1} {1 + k % 2} |a x:{k % 5} y{k % 4} |b z:{k / 7}" for k in range(N)]
    rows = written("rows.vw", "\n".join(lines) + "\n")
    names = ("--bits", "6", "--learner", "adagrad", *SET, "--quiet", "--certificate", "proof.json")
    done = run("stream", rows, *names, "--save", "model")
    assert done.exit_code == 0
    assert f"empirisk verify proof.json {rows} --run model" in done.stdout
    assert run("verify", "proof.json", rows, "--run", "model").exit_code == 0
    other = written("other.vw", "\n".join(lines[::-1]) + "\n")
    assert run("verify", "proof.json", other, "--run", "model").exit_code == 1
    assert "no run over a stream" in run("verify", "proof.json", rows, "--run", "proof.json").stderr
    assert "certificates of regret alone" in run("verify", "model", rows, "--run", "model").stderr
    without = run("stream", rows, *names)  # nobody knows the columns afterwards
    assert "proof.json" in without.stdout
    assert "verify" not in without.stdout.lower()


def test_a_pipe_passes_and_other_labels(run, stream, written):
    quiet = ("--quiet", "--certificate", "proof.json", "--json")
    text = text_of(N, labels=(2, 5))
    for words in (("-", "--classes", "2,5"), ("-", "--classes", "2,5", "--learner", "gradient_descent", "--l2", "0.1")):
        done = run("stream", *words, *SET, *quiet, input=text)
        assert done.exit_code == 0
        assert len(json.loads(done.stdout)["regret"]["curve"]) == 1
        assert run("verify", "proof.json", "-", input=text).exit_code == 0
    run("stream", stream, "--passes", "3", *SET, *quiet)
    assert load("proof.json").n_rows == 3 * N
    assert run("verify", "proof.json", stream).exit_code == 0
    other = written("other.svm", text_of(N, seed=3))
    done = run("verify", "proof.json", other)
    assert (done.exit_code, "other rows" in done.stdout) == (1, True)
    few = written("few.svm", "1 1:1\n")
    assert run("verify", "proof.json", few).exit_code == 1
    wide = written("wide.svm", "1 1:1 9999:1\n")
    assert "expected features below" in run("verify", "proof.json", wide).stderr
    assert run("verify", "proof.json", "-", input="").exit_code == 3


def test_a_forged_certificate(run, stream):
    run("stream", stream, *SET, "--quiet", "--certificate", "proof.json")
    claim = load("proof.json")
    er.save(claim._replace(cumulative_loss=claim.cumulative_loss - 1.0), "forged.json")
    done = run("verify", "forged.json", stream)
    assert (done.exit_code, "Played again, the cumulative loss is" in done.stdout) == (1, True)


def test_a_resumed_run_looks_back_at_all_rows(run, stream):
    run("stream", "-", "--save", "part", "--quiet", input="".join(stream.read_text().splitlines(True)[:8]))
    done = run("stream", stream, "--resume", "part", "--same-stream", *SET, "--quiet", "--json")
    whole = run("stream", stream, *SET, "--quiet", "--json")
    assert json.loads(done.stdout)["regret"] == json.loads(whole.stdout)["regret"]
    done = run("stream", stream, "--resume", "part", "--regret")
    assert (done.exit_code, "it needs --same-stream" in done.stderr) == (2, True)


def test_without_a_minimiser_the_lower_bound_stands_in_its_place(run):
    text = "1 1:1\n-1 2:1\n" * 8
    done = run("stream", "-", "--learner", "adagrad", "--regret", "--quiet", input=text)
    assert done.exit_code == 0
    assert "the lower bound of its certificate stands in its place, because without a set" in done.stdout
    found = json.loads(run("stream", "-", "--learner", "adagrad", "--regret", "--json", input=text).stdout)
    assert found["cumulative_loss"] == pytest.approx(found["regret"]["most"], rel=1e-6)  # the infimum is zero


def test_what_is_promised_for_rows_to_come(run, stream):
    words = ("--learner", "adagrad", "--constraint", "l2_ball:radius=1", "--delta", "0.1", "--largest-loss", "50")
    done = run("stream", stream, *words, "--json")
    facts = json.loads(done.stdout)
    found = facts["future"]
    spent = 0.1 / (6 * 7)  # the lines at 1, 2, ..., 16, and the end
    assert found["looks"] == 6
    assert found["expected_loss"] == pytest.approx(facts["mean_loss"] + 50 * math.sqrt(math.log(1 / spent) / (2 * N)))
    assert "independent and alike" in found["sentence"]
    assert found["sentence"].endswith("all 6 looks hold together with probability 0.9.")
    assert " expected, " in done.stderr
    one = json.loads(run("stream", stream, *words, "--json", "--quiet").stdout)["future"]
    assert one["looks"] == 1
    assert one["expected_loss"] < found["expected_loss"]
    done = run("stream", stream, *words[:-1], "0.5")
    assert "Future     No promise: a row has cost " in done.stdout


REFUSED = {
    "--against l2_ball": "--against needs --regret",
    "--tol 1e-3": "--tol needs --regret",
    "--certificate c": "--certificate needs --regret",
    "--regret --against l2ball": "--against must be one of",
    "--regret --certificate rows.svm": "would be both read and overwritten",
    "--regret --certificate m --save m": "would be both read and overwritten",
    "--regret --certificate -": "standard output is for the summary",
    "--delta 0.1": "--delta needs --largest-loss",
    "--largest-loss 1": "--largest-loss needs --delta",
    "--delta 1 --largest-loss 1": "1.0 is not in the range",
    "--delta 0.1 --largest-loss 1": "mixture plays no single point",
    "--delta 0.1 --largest-loss 1 --learner adagrad --passes 2": "rows that are played twice",
    "--delta 0.1 --largest-loss 1 --resume m": "from its first row on",
}


@pytest.mark.parametrize("options", REFUSED)
def test_options_that_do_not_go(options, run, stream):
    done = run("stream", "rows.svm", *options.split())
    assert (done.exit_code, REFUSED[options] in done.stderr) == (2, True)


def test_a_full_disk_while_rows_are_kept(run, stream, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("empirisk.online.row_spool.RowSpool.add", full)
    done = run("stream", stream, *SET, "--save", "model", "--quiet")
    assert (done.exit_code, done.stderr) == (4, "Error: No space left on device\n")
    assert load("model").n_rows > 0


def test_ctrl_c_while_the_best_point_is_searched(run, stream, monkeypatch):
    def pressed(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("empirisk.online.regret.regret_of", pressed)
    done = run("stream", stream, *SET, "--save", "model", "--quiet", "--json", "--certificate", "proof.json")
    facts = json.loads(done.stdout)
    assert (done.exit_code, facts["interrupted"], facts["regret"]) == (130, True, None)
    assert load("model").n_rows == N
    assert not Path("proof.json").exists()

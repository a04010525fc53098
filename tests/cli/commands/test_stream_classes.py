"""empirisk stream on three classes: a run for each against the rest, as the estimator has them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.model_file import load
from tests.cli.commands.stream_rows import digest

N, CLASSES = 50, "2,0,7"
KNOWN = np.array([0, 2, 7])


def rows():
    rng = np.random.default_rng(4)
    X = np.round(rng.normal(size=(N, 5)), 3)
    X[:, 0] = 0.0
    y = KNOWN[np.argmax(X[:, 1:4] + 0.5 * rng.normal(size=(N, 3)), axis=1)]
    return X, y


def text_of(part=slice(None)) -> str:
    X, y = (array[part] for array in rows())
    return "".join(
        f"{label} " + " ".join(f"{j}:{x}" for j, x in enumerate(row) if x) + "\n"
        for label, row in zip(y, X, strict=True)
    )


@pytest.fixture
def stream(written) -> Path:
    return written("rows.svm", text_of())


@pytest.mark.parametrize("learner", ["mixture", "adagrad"])
def test_they_are_the_runs_of_the_estimator(learner, run, stream):
    words = ("--classes", CLASSES, "--learner", learner, "--predictions", "p.csv", "--save", "m", "--json", "--quiet")
    done = run("stream", stream, *words)
    assert done.exit_code == 0
    facts, model = json.loads(done.stdout), load("m")
    X, y = rows()
    known = er.OnlineClassifier(learner=learner).fit(X, y)
    np.testing.assert_allclose(model.weights, known.coef_, rtol=1e-12)
    np.testing.assert_allclose(model.intercept, known.intercept_, rtol=1e-12)
    assert facts["classes"] == [0, 2, 7]
    assert facts["cumulative_loss"] == pytest.approx(sum(ledger.loss for ledger in known.ledger_), rel=1e-12)
    header, *lines = Path("p.csv").read_text().splitlines()
    assert header == "score_0,score_2,score_7,probability_0,probability_2,probability_7"
    scores = np.array([line.split(",") for line in lines], dtype=float)
    np.testing.assert_allclose(scores[:, 3:].sum(axis=1), 1.0)
    place = np.searchsorted(KNOWN, y)
    others = scores[:, :3].copy()
    others[np.arange(N), place] = -np.inf
    assert facts["errors"] == model.errors == np.sum(scores[np.arange(N), place] <= others.max(axis=1))
    np.testing.assert_array_equal(model.predict(X), known.predict(X))
    np.testing.assert_allclose(model.probabilities(X), known.predict_proba(X), rtol=1e-12)


def test_predict_verify_and_resume_take_the_file(run, stream, written):
    run("stream", stream, "--classes", CLASSES, "--save", "whole", "--quiet")
    done = run("predict", "whole", stream, "--scores")
    assert done.stdout.startswith("label,score_0,score_2,score_7\n")
    done = run("verify", "whole", stream)
    assert (done.exit_code, "The run is what the file says." in done.stdout) == (0, True)
    assert "by the file, and not checked: errors" in done.stdout
    for cut in (1, 17, 49):
        run("stream", "-", "--classes", CLASSES, "--save", "part", "--quiet", input=text_of(slice(cut)))
        assert run("verify", "part", stream).exit_code == 0
        run("stream", stream, "--resume", "part", "--same-stream", "--save", "same", "--quiet")
        run("stream", "-", "--resume", "part", "--save", "rest", "--quiet", input=text_of(slice(cut, None)))
        assert digest("same") == digest("rest") == digest("whole")
    other = written("other.svm", text_of().replace("\n7 ", "\n2 ", 1))
    done = run("verify", "whole", other)
    assert (done.exit_code, "their fingerprint differs" in done.stdout) == (1, True)
    done = run("stream", other, "--resume", "whole", "--same-stream")
    assert (done.exit_code, "fingerprint differs" in done.stderr) == (3, True)
    strange = written("strange.svm", "3 1:1\n")
    done = run("stream", strange, "--classes", CLASSES)
    assert "expected the label 0, 2 or 7, found 3" in done.stderr
    assert run("stream", stream, "--resume", "whole", "--classes", "0,2,8").exit_code == 2
    damaged = Path("whole").read_bytes()
    Path("damaged").write_bytes(damaged[:-9] + bytes([damaged[-9] ^ 1]) + damaged[-8:])
    assert run("predict", "damaged", stream).exit_code == 3


REFUSED = {
    "--loss softmax": "no online learner takes the softmax loss",
    "--regret": "--regret is about one run",
    "--delta 0.1 --largest-loss 9 --learner adagrad": "--delta is about one run",
    "--start fitted": "--start takes a linear model",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_three_classes_do_not_have(options, run, stream):
    run("fit", stream, "-o", "fitted", "--quiet", "--loss", "logistic")
    done = run("stream", stream, "--classes", CLASSES, *options.split())
    assert (done.exit_code, REFUSED[options] in done.stderr) == (2, True)


def test_a_score_that_overflows_saves_nothing_that_is_out_of_step(run):
    text = "0 1:1\n2 1:1\n7 1:1e200\n0 1:1\n"
    words = ("--learner", "gradient_descent:steps=constant,length=1", "--loss", "squared", "--classes", CLASSES)
    done = run("stream", "-", *words, "--save", "m", "--every", "1", "--quiet", input=text)
    assert (done.exit_code, "overflowed" in done.stderr) == (3, True)
    assert load("m").n_rows == 2

"""Three classes or more, constraints and data without a minimiser, from the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import empirisk as er


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    """Three classes in words."""
    rng = np.random.default_rng(5)
    lines = ["height,petals,flower"]
    for i in range(45):
        k = i % 3
        height, petals = float(rng.normal((1.0, 2.0, 4.0)[k], 0.5)), int(rng.integers(3, 6) + 4 * k)
        lines.append(f"{height!r},{petals},{('iris', 'rose', 'aster')[k]}")
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(lines).replace("flower\n", "class\n") + "\n")
    return path


def facts(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("options", "multiclass", "said"),
    [
        ([], "softmax", "logistic (softmax), l1 0, l2 0.01, with intercept"),
        (["--loss", "hinge"], "one_vs_rest", "hinge (one against the rest), l1 0, l2 0.01, with intercept"),
        (["--multiclass", "one_vs_rest"], "one_vs_rest", "logistic (one against the rest)"),
        (["--class-weight", "balanced", "--standardize"], "softmax", "logistic (softmax)"),
    ],
)
def test_fit_predict_and_verify(options, multiclass, said, run, flowers):
    done = run("fit", flowers, "-o", "m", "--l2", 0.01, "--report", "r.html", *options)
    assert done.exit_code == 0, done.stderr
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines())
    assert lines["Task"] == "classification, aster, iris or rose"
    assert lines["Loss"].startswith(said)
    found = facts(run("fit", flowers, "-o", "m", "--l2", 0.01, "--json", *options))
    assert (found["multiclass"], found["classes"]) == (multiclass, ["aster", "iris", "rose"])
    assert found["certificate"]["kind"] == ("duality_gap" if multiclass == "softmax" else "class_gaps")
    assert found["training_error"] < 0.3
    assert run("verify", "m", flowers).exit_code == 0
    labels = run("predict", "m", flowers).stdout.split()
    assert set(labels) == {"aster", "iris", "rose"}
    truth = [line.rpartition(",")[2] for line in flowers.read_text().splitlines()[1:]]
    assert sum(a != b for a, b in zip(labels, truth, strict=True)) == found["errors"]
    flowers.write_text(flowers.read_text().replace("rose", "tulip"))
    done = run("verify", "m", flowers)
    assert done.exit_code == 1
    assert "they hold the label 'tulip', and the model knows 'aster', 'iris', 'rose'" in done.stdout


def test_scores_and_probabilities_have_a_column_for_each_class(run, flowers):
    assert run("fit", flowers, "-o", "m", "--l2", 0.01).exit_code == 0
    done = run("predict", "m", flowers, "--scores", "--probabilities")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    names = ["aster", "iris", "rose"]
    assert list(rows[0]) == ["label", *(f"score_{n}" for n in names), *(f"probability_{n}" for n in names)]
    for row in rows:
        scores = np.array([float(row[f"score_{n}"]) for n in names])
        chances = np.array([float(row[f"probability_{n}"]) for n in names])
        np.testing.assert_allclose(chances, np.exp(scores) / np.exp(scores).sum(), rtol=1e-9)
        assert row["label"] == names[int(scores.argmax())]
    assert run("fit", flowers, "-o", "m", "--l2", 0.1, "--loss", "squared_hinge").exit_code == 0
    done = run("predict", "m", flowers, "--probabilities")
    assert done.exit_code == 2
    assert "'squared_hinge' is not a likelihood" in done.stderr


def test_numbers_are_classes_when_asked(run, tmp_path):
    (tmp_path / "d.svm").write_text("".join(f"{k % 4} 1:{k % 4 + 0.1 * (k % 3)} 2:{k % 5}\n" for k in range(40)))
    found = facts(run("fit", "d.svm", "-o", "m", "--task", "classification", "--l2", 0.01, "--json"))
    assert found["classes"] == [0, 1, 2, 3]
    assert run("verify", "m", "d.svm").exit_code == 0
    assert set(run("predict", "m", "d.svm").stdout.split()) <= {"0", "1", "2", "3"}
    found = facts(run("fit", "d.svm", "-o", "m", "--json", "--loss", "squared_hinge", "--l2", 0.1))
    assert found["task"] == "classification"  # the loss is for nothing else


def test_many_classes_are_cut_short(run, tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{k},c{k % 7}\n" for k in range(28)))
    done = run("fit", "d.csv", "-o", "m", "--l2", 0.1, "--standardize")
    assert "classification, 7 classes: c0, c1, c2, c3, c4, ..." in done.stdout


def test_a_constraint(run, table):
    found = facts(run("fit", table, "-o", "m", "--constraint", "l2_ball:radius=0.5", "--json"))
    assert found["constraint"] == "l2_ball:radius=0.5"
    assert np.linalg.norm(er.load("m").weights) <= 0.5 + 1e-9
    assert (
        ", with intercept, l2_ball:radius=0.5\n"
        in run("fit", table, "-o", "m", "--constraint", "l2_ball:radius=0.5").stdout
    )
    assert run("verify", "m", table).exit_code == 0


def test_counts_are_predicted_on_their_own_scale(run, tmp_path):
    counts = [round(np.exp(0.3 * (k % 7))) for k in range(30)]
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{k % 7},{c}\n" for k, c in enumerate(counts)))
    found = facts(run("fit", "d.csv", "-o", "m", "--loss", "poisson", "--json", "--report", "r.html"))
    assert found["root_mean_squared_error"] < 0.5
    predicted = np.array([float(line) for line in run("predict", "m", "d.csv").stdout.split()])
    assert np.abs(predicted - counts).max() < 1.0
    table = list(csv.DictReader(io.StringIO(run("predict", "m", "d.csv", "--scores").stdout)))
    np.testing.assert_allclose(np.exp([float(row["score"]) for row in table]), predicted)
    assert run("verify", "m", "d.csv").exit_code == 0


def test_data_without_a_minimiser(run, tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{k},{'a' if k < 5 else 'b'}\n" for k in range(10)))
    done = run("fit", "d.csv", "-o", "m", "--l2", 0, "--report", "r.html")
    assert done.exit_code == 1
    assert "no minimiser exists" in done.stdout
    assert "Relative   gap none, there is no minimum\n" in done.stdout
    assert "Not certified: there is no minimum to be close to" in done.stderr
    done = run("verify", "m", "d.csv")
    assert done.exit_code == 1
    assert "The certificate holds, but there is no minimum to be close to" in done.stdout
    found = json.loads(run("fit", "d.csv", "-o", "m", "--l2", 0, "--json", "--quiet").stdout)
    assert (found["gap"], found["certified"]) == (None, False)
    assert json.loads(run("verify", "m", "d.csv", "--json").stdout)["holds"] is True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--loss", "hinge", "--multiclass", "softmax"], "for logistic; for hinge use --multiclass one_vs_rest"),
        (["--constraint", "l2_ball"], "softmax takes neither a constraint nor a regularizer"),
        (["--solver", "sgd"], "solver 'sgd' has no form for softmax"),
    ],
)
def test_what_many_classes_cannot_have(options, said, run, flowers, tmp_path):
    done = run("fit", flowers, "-o", "m", *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "m").exists()

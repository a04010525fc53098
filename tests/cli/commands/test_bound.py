"""empirisk bound: the future error of a model, from its own rows and from others."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("bound"), np.random.default_rng(0)
    for name, n in (("train", 300), ("test", 200), ("few", 5)):
        X = rng.normal(size=(n, 2)).round(3)
        labels = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.0, "yes", "no")
        rows = [f"{a},{b},{label}" for (a, b), label in zip(X, labels, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    return folder


@pytest.fixture
def model(run, files):
    if not (files / "model").exists():
        assert run("fit", files / "train.csv", "-o", files / "model", "--quiet").exit_code == 0
    return files / "model"


def test_own_rows_and_others(run, model, files):
    own = run("bound", model, files / "train.csv")
    assert own.exit_code == 0
    assert "over the draw of 300 independent rows, at most" in own.stdout
    assert "Kind       vc_tail" in own.stdout
    other = json.loads(run("bound", model, files / "test.csv", "--json").stdout)
    assert other["bound"]["theorem"] == "test"
    assert other["bound"]["seal"]


def test_a_proof_is_written_and_checked(run, model, files, tmp_path):
    proof = tmp_path / "bound.json"
    assert run("bound", model, files / "test.csv", "-o", proof).exit_code == 0
    assert run("bound", model, files / "test.csv", "--check", proof).exit_code == 0
    assert run("verify", proof, files / "test.csv").exit_code == 0
    other = run("bound", model, files / "train.csv", "--check", proof, "--json")
    assert other.exit_code == 1
    assert not json.loads(other.stdout)["holds"]
    assert run("fit", files / "train.csv", "--l2", "1", "-o", tmp_path / "other", "--quiet").exit_code == 0
    stranger = run("bound", tmp_path / "other", files / "test.csv", "--check", proof)
    assert stranger.exit_code == 1
    assert "speaks of other weights" in stranger.stdout
    proof.write_text(proof.read_text().replace('"delta": 0.05', '"delta": 0.5'))
    forged = run("bound", model, files / "test.csv", "--check", proof)
    assert forged.exit_code == 3
    assert forged.stderr.startswith(f"Error: {proof} is not a valid certificate")


def test_a_score_card_has_the_bound_that_it_was_chosen_for(run, files, tmp_path):
    card = tmp_path / "card"
    fit = json.loads(run("fit", files / "train.csv", "--structural", "-o", card, "--json").stdout)
    found = json.loads(run("bound", card, files / "train.csv", "--json").stdout)
    assert (found["bound"]["theorem"], found["sentence"]) == ("integers", fit["sentence"])


def test_a_regression_is_clipped(run, tmp_path):
    rng = np.random.default_rng(1)
    for name, n in (("train", 60), ("test", 200)):
        rows = [f"{a:.3f},{2.0 * a + b:.3f}" for a, b in rng.normal(size=(n, 2))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,height", *rows]) + "\n")
    train, test, fitted, proof = (tmp_path / name for name in ("train.csv", "test.csv", "model", "bound.json"))
    assert run("fit", train, "--label", "height", "-o", fitted, "--quiet").exit_code == 0
    done = run("bound", fitted, test, "--clip", "3", "-o", proof)
    assert done.exit_code == 0
    assert "losses being from 0 to 3" in done.stdout
    assert run("bound", fitted, test, "--check", proof).exit_code == 0
    assert run("bound", fitted, train, "--check", proof).exit_code == 1
    for options, code, said in (
        ((train, "--clip", "3"), 3, "these are the rows of the fit"),
        ((test,), 2, "a regression needs --clip"),
        ((test, "--clip", "0"), 2, "clip must be a positive finite number"),
        ((test, "--clip", "3", "--check", proof), 2, "--clip has no part in --check"),
    ):
        refused = run("bound", fitted, *options)
        assert refused.exit_code == code
        assert said in refused.stderr


def test_a_bound_that_says_nothing(run, model, files):
    done = run("bound", model, files / "few.csv", "--kind", "vc_tail")
    assert done.exit_code == 1
    assert "Vacuous: no statement." in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--kind", "test"], 3, "these are rows of the fit, and a test needs others; those that do: vapnik, vc_tail"),
        (["--kind", "oracle"], 2, "the kind 'oracle' is unknown; there are auto, test"),
        (["--delta", "0"], 2, "delta must be a number between 0 and 1"),
        (["--delta", "nan"], 2, "delta must be a number between 0 and 1"),
        (["--check", "x.json", "-o", "y.json"], 2, "give one of them"),
        (["--check", "x.json", "--kind", "vapnik"], 2, "--kind has no part in --check"),
        (["--check", "x.json", "--delta", "0.05"], 2, "--delta has no part in --check"),
        (["--check", "missing.json"], 4, "missing.json"),
    ],
)
def test_refused(run, model, files, options, code, said):
    done = run("bound", model, files / "train.csv", *options)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_other_files_are_refused(run, model, files, tmp_path):
    proof, regression = tmp_path / "ball.json", tmp_path / "r.model"
    assert run("bound", model, files / "test.csv", "-o", proof).exit_code == 0
    assert "no linear model" in run("bound", proof, files / "test.csv").stderr
    assert "holds no bound" in run("bound", model, files / "test.csv", "--check", model).stderr
    run("fit", files / "train.csv", "--label", "a", "--loss", "squared", "-o", regression, "--quiet")
    done = run("bound", regression, files / "train.csv")
    assert done.exit_code == 2
    assert "regression" in done.stderr

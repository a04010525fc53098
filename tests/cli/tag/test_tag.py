"""empirisk tag: from files to models, labels, counts and verdicts, and what is refused."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

WORDS = {"B-NP": ["the", "a"], "I-NP": ["cat", "dog", "bird"], "B-VP": ["sees", "hears"], "O": [".", ","]}
TEMPLATES = 'columns = ["word", "tag"]\nfeatures = ["word[0]", "word[-1]", "suffix(word[0], 2)"]\n'


def lines_of(n=20, seed=0):
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(n):
        tags = ["B-NP", "I-NP", "B-VP", "B-NP", "I-NP", "O"][: rng.integers(2, 7)]
        sentences.append("".join(f"{rng.choice(WORDS[tag])} {tag}\n" for tag in tags))
    return "\n".join(sentences)


@pytest.fixture
def files(written):
    written("train.txt", lines_of())
    written("test.txt", lines_of(6, seed=1))
    written("t.toml", TEMPLATES)


FIT = ("tag", "fit", "train.txt", "-o", "model", "--templates", "t.toml", "--l2", "0.01")


def test_fit_verify_predict_eval_show(run, files):
    done = run(*FIT, "--quiet")
    assert done.exit_code == 0
    assert "certified: the gap is within the tolerance" in done.stdout
    assert "empirisk verify model train.txt" in done.stdout
    verdict = run("verify", "model", "train.txt")
    assert verdict.exit_code == 0
    assert "The certificate holds, and proves what was asked." in verdict.stdout
    assert "not checked: tol 0.001; status certified" in verdict.stdout
    assert run("verify", "model", "test.txt").exit_code == 1
    tagged = run("tag", "predict", "model", "test.txt")
    assert tagged.exit_code == 0
    blocks = tagged.stdout.strip().split("\n\n")
    assert len(blocks) == 6
    assert all(len(line.split(" ")) == 3 for line in blocks[0].splitlines())
    counted = run("tag", "eval", "model", "test.txt")
    assert counted.stdout.startswith("processed ")
    assert "FB1" in counted.stdout
    assert "sequences: " in counted.stdout
    facts = json.loads(run("tag", "eval", "model", "test.txt", "--json").stdout)
    right = sum(line.split(" ")[1] == line.split(" ")[2] for block in blocks for line in block.splitlines())
    assert facts["tokens"] - facts["wrong_tokens"] == right
    assert "B-NP" in run("tag", "show", "model", "--top", "2").stdout
    assert json.loads(run("tag", "show", "model", "--json").stdout)["labels"] == ["B-NP", "B-VP", "I-NP", "O"]


def test_marginals_k_best_and_known_labels(run, files, written):
    run(*FIT, "--quiet")
    chances = run("tag", "predict", "model", "test.txt", "--marginals").stdout.splitlines()[0].split(" ")
    assert 0.0 <= float(chances[-1]) <= 1.0
    best = run("tag", "predict", "model", "test.txt", "--k-best", "2").stdout
    assert best.startswith("# 1 ")
    assert "# 2 " in best
    written("known.txt", "the O\ncat _\n")
    kept = run("tag", "predict", "model", "known.txt", "--known", "2").stdout.splitlines()
    assert kept[0] == "the O O"


def test_dev_json_compressed_and_standard_input(run, files):
    with gzip.open("train.txt.gz", "wt") as stream:
        stream.write(lines_of())
    done = run(
        "tag", "fit", "train.txt.gz", "-o", "m", "--templates", "t.toml", "--dev", "test.txt", "--json", "--quiet"
    )
    facts = json.loads(done.stdout)
    assert facts["dev"]["f1"] <= 1.0
    assert facts["certified"] is True
    from_pipe = run("tag", "eval", "m", "-", input=lines_of(3))
    assert from_pipe.exit_code == 0


def test_the_perceptron_and_going_on(run, files):
    done = run(*FIT[:7], "--loss", "perceptron", "--max-passes", "3", "--quiet")
    assert done.exit_code in (0, 1)
    assert "passes" in done.stdout or "Passes" in done.stdout
    more = run("tag", "fit", "train.txt", "-o", "more", "--continue", "model", "--l2", "0.01", "--quiet")
    assert more.exit_code == 0


def test_what_a_verdict_does_not_tell_is_left_out(run, files):
    assert run("tag", "realize", "train.txt", "-o", "verdict", "--templates", "t.toml", "--quiet").exit_code == 0
    said = run("verify", "verdict", "train.txt").stdout
    assert "solver realize" in said
    assert "reason" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected lines of tokens"),
        ("the B\ncat\n", "line 2|expected 2"),
        ("the B\ncat B\n", "only one label"),
    ],
)
def test_bad_files(run, files, written, text, said):
    import re

    written("bad.txt", text)
    done = run("tag", "fit", "bad.txt", "-o", "model", "--templates", "t.toml", "--quiet")
    assert done.exit_code == 3
    assert re.search(said, done.stderr)


def test_wrong_options(run, files):
    run(*FIT, "--quiet")
    for arguments, code, said in [
        (("tag", "fit", "train.txt", "-o", "m"), 3, "templates"),
        (("tag", "fit", "train.txt", "-o", "m", "--templates", "chunks"), 2, "templates must be one of"),
        ((*FIT, "--loss", "margin", "--l1", "1"), 2, "l1 = 0"),
        ((*FIT, "--solver", "newton"), 2, "there is no solver 'newton' on chains"),
        ((*FIT, "--l2", "-1"), 2, "l2"),
        ((*FIT, "--label", "1"), 3, "the feature 'word[0]' reads the column of the labels"),
        (("tag", "predict", "t.toml", "test.txt"), 3, "not an empirisk model file"),
        (
            (
                "tag",
                "prdict",
            ),
            2,
            "predict",
        ),
        (("predict", "model", "test.txt"), 2, "empirisk tag predict"),
        (("tag", "fit", "train.txt", "-o", "train.txt", "--templates", "t.toml"), 2, "both read and overwritten"),
        (("tag", "eval", "model", "missing.txt"), 4, "missing.txt"),
    ]:
        done = run(*arguments)
        assert (done.exit_code, said in done.stderr) == (code, True), (arguments, done.stderr)


def test_labels_that_are_none_of_chunks(run, written):
    written("t.toml", TEMPLATES)
    written("pos.txt", "the DET\ncat NOUN\n\na DET\ndog NOUN\n")
    assert (
        run("tag", "fit", "pos.txt", "-o", "m", "--templates", "t.toml", "--loss", "margin", "--quiet").exit_code == 0
    )
    counted = run("tag", "eval", "m", "pos.txt").stdout
    assert counted == "accuracy: 100.00% of 4 tokens.\nsequences: 0 of 2 wrong (0.00%).\n"


def test_realize(run, written):
    written("t.toml", TEMPLATES)
    written("twins.txt", "the DET\ncat NOUN\n\nthe DET\ncat VERB\n")
    done = run("tag", "realize", "twins.txt", "--templates", "t.toml", "-o", "verdict", "--quiet")
    assert done.exit_code == 0
    assert "not realisable" in done.stdout
    assert "line 2" in done.stdout
    assert run("verify", "verdict", "twins.txt").exit_code == 0
    refused = run("tag", "predict", "verdict", "twins.txt")
    assert refused.exit_code == 2
    assert "none to label with" in refused.stderr
    written("fine.txt", "the DET\ncat NOUN\n\na DET\ndog NOUN\n")
    done = run("tag", "realize", "fine.txt", "--templates", "t.toml", "-o", "weights", "--json", "--quiet")
    assert json.loads(done.stdout)["status"] == "realised"
    assert run("verify", "weights", "fine.txt").exit_code == 0
    assert run("verify", "weights", "twins.txt").exit_code == 1


def test_control_c_keeps_what_was_reached(run, process, interrupted, written):
    written("t.toml", TEMPLATES)
    written("train.txt", lines_of(40))
    slow = ("--loss", "margin", "--solver", "subgradient", "--tol", "1e-12", "--max-passes", "100000")
    child = process("tag", "fit", "train.txt", "-o", "model", "--templates", "t.toml", *slow)
    out, err = interrupted(child, "pass ")
    assert child.returncode == 130, err
    assert "stopped: interrupted" in out
    assert run("verify", "model", "train.txt").exit_code == 1  # it holds, and proves less than was asked
    assert run("tag", "show", "model").exit_code == 0

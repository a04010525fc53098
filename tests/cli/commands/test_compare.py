"""empirisk compare: the same rows for all, the best first, and what fails says why."""

from __future__ import annotations

import json

import numpy as np
import pytest

from empirisk.cli.commands.compare import losses, strengths
from tests.report.pages import parse, words


@pytest.fixture
def train(written):
    rng = np.random.default_rng(2)
    lines = ["a,b,c,label"]
    for _ in range(80):
        a, b, c = rng.normal(size=3).tolist()
        lines.append(f"{a!r},{b!r},{c!r},{'yes' if a - b + 0.7 * rng.normal() > 0 else 'no'}")
    return written("train.csv", "\n".join(lines) + "\n")


def test_losses_with_parameters_are_told_from_lists():
    assert losses("logistic, hinge") == ("logistic", "hinge")
    assert losses("huber:delta=1.5,scale=2,squared") == ("huber:delta=1.5,scale=2", "squared")
    assert strengths("1e-4,cv, 0") == (1e-4, "cv", 0.0)


def test_one_row_a_candidate_on_the_same_held_out_rows(run, train):
    result = run("compare", train, "--losses", "logistic,hinge", "--l2", "1e-2,1", "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["task"], told["by"]) == ("classification", "error")
    assert told["judged_on"]["holdout"] == {"share": 0.2, "seed": 0, "n_rows": 80}
    found = told["candidates"]
    assert {(one["loss"], one["l2"]) for one in found} == {(x, y) for x in ("logistic", "hinge") for y in (0.01, 1.0)}
    errors = [one["held_out"]["error"]["value"] for one in found]
    assert errors == sorted(errors)
    for one in found:
        assert one["certified"]
        assert one["failure"] is None
        assert (one["train"]["rows"], one["held_out"]["rows"], one["n_weights"]) == (64, 16, 3)
        assert one["held_out"]["error"]["interval"]["method"] == "Clopper-Pearson"


def test_each_row_is_what_fit_with_the_same_holdout_says(run, train):
    told = json.loads(run("compare", train, "--losses", "logistic", "--l2", "0.01", "--json", "--quiet").stdout)
    alone = run("fit", train, "-o", "m", "--l2", "0.01", "--holdout", "0.2", "--json", "--quiet")
    judged = json.loads(alone.stdout)["judged"]
    held_out = told["candidates"][0]["held_out"]
    assert {name: judged[name] for name in held_out} == held_out


def test_a_candidate_that_fails_is_a_row_that_says_why(run, train):
    result = run("compare", train, "--losses", "logistic,huber", "--l2", "0.01,0.1", "--quiet", "--report", "page.html")
    assert result.exit_code == 1
    assert "Failed     huber, 2 times: loss 'huber' is not for classification" in result.stdout
    assert result.stdout.count("logistic  0   0.") == 2
    with open("page.html", encoding="utf-8") as page:
        html = page.read()
    assert "is not for classification" in words(html)
    assert [tag[1]["aria-label"] for tag in parse(html).tags if tag[0] == "svg"] == ["error on held-out rows"]


def test_folds_judge_every_row_once(run, train):
    told = json.loads(run("compare", train, "--folds", "4", "--l2", "0.1", "--json", "--quiet").stdout)
    (one,) = told["candidates"]
    assert told["judged_on"] == {"data": None, "holdout": None, "folds": 4}
    assert (one["train"]["rows"], one["held_out"]["rows"]) == (80, 80)
    assert one["held_out"]["log_loss"]["value"] > one["train"]["log_loss"]["value"]
    few = run("compare", train, "--folds", "60", "--quiet")
    assert few.exit_code == 1
    assert "at most" in few.stdout


def test_another_file_and_another_measure(run, train, houses):
    result = run("compare", train, "--test", train, "--l2", "0.01,10", "--by", "auc_roc", "--json", "--quiet")
    found = json.loads(result.stdout)["candidates"]
    areas = [one["held_out"]["auc_roc"]["value"] for one in found]
    assert areas == sorted(areas, reverse=True)
    assert all(one["train"] == one["held_out"] for one in found)
    priced = run("compare", houses, "--label", "price", "--losses", "squared,absolute", "--standardize", "--quiet")
    assert "held-out RMSE" in priced.stdout
    assert "MAE" in priced.stdout


def test_wrong_requests_are_refused_before_the_data_are_read(run, train):
    for arguments, said in (
        (("--losses", "logistc"), "did you mean 'logistic'"),
        (("--l2", "much"), "neither a number nor cv"),
        (("--test", train, "--holdout", "0.2"), "give one of them"),
        (("--folds", "5", "--holdout", "0.2"), "without --test and --holdout"),
        (("--by", "r_squared", "--quiet"), "not a measure of a classification"),
        (("--report", train), "both read and overwritten"),
    ):
        result = run("compare", train, *arguments)
        assert result.exit_code == 2, result.stdout
        assert said in result.stderr


def test_weighted_rows_and_many_classes(run, table, written):
    result = run("compare", table, "--weights", "weight", "--losses", "logistic,squared", "--l2", "0.1", "--quiet")
    assert result.exit_code == 0, result.stderr
    rng = np.random.default_rng(0)
    lines = "".join(f"{float(rng.normal()) + k!r},{'abc'[k]}\n" for k in range(3) for _ in range(15))
    three = written("three.csv", f"x,label\n{lines}")
    found = run("compare", three, "--losses", "logistic,hinge", "--l2", "0.1", "--folds", "3", "--quiet")
    assert found.exit_code == 0, found.stderr

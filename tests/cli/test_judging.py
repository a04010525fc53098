"""fit --test and --holdout: the numbers of score, beside a model that verify still knows."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import empirisk as er
from tests.report.pages import words

COMMON = ("--l2", "0.1", "--quiet")


def test_a_holdout_is_judged_recorded_and_verified(run, table):
    result = run("fit", table, "-o", "m", "--holdout", "0.3", "--seed", "5", "--report", "page.html", *COMMON)
    assert result.exit_code == 0, result.stderr
    assert "On 9 rows that were held out (30 %, seed 5):" in result.stdout
    assert "Clopper-Pearson" in result.stdout
    assert er.load("m").holdout == (0.3, 5, 30)
    verified = run("verify", "m", table)
    assert verified.exit_code == 0, verified.stdout
    assert "The fit left out 30 % of the rows, drawn with seed 5" in verified.stdout
    with open("page.html", encoding="utf-8") as page:
        said = words(page.read())
    assert "How good it is on 9 rows that were held out" in said
    assert "Confusion matrix" in said
    assert "Future error" in said
    told = json.loads(run("fit", table, "-o", "m", "--holdout", "0.3", "--seed", "5", "--json", *COMMON).stdout)
    assert told["rows"] == 21
    assert told["judged"]["rows"] == 9
    assert told["future_error"]["kind"] == "test"
    assert told["future_error"]["value"] == pytest.approx(
        er.bounds.binomial_upper(told["judged"]["errors"], 9, np.log(0.05)), rel=1e-9
    )
    assert told["judged"]["holdout"] == {"share": 0.3, "seed": 5, "n_rows": 30}
    assert "The model was fitted on these rows, or on some of them" in run("score", "m", table).stderr


def test_the_rows_of_the_fit_are_no_test_of_it(run, table, written):
    heading, *lines = table.read_text().splitlines()
    for same in (table, written("other_order.csv", "\n".join([heading, *reversed(lines)]) + "\n")):
        told = json.loads(run("fit", table, "-o", "m", "--test", same, "--json", *COMMON).stdout)
        assert told["future_error"]["kind"] == "vc_tail"


def test_the_held_out_rows_are_those_that_score_would_judge(run, table, written):
    told = json.loads(run("fit", table, "-o", "m", "--holdout", "0.3", "--json", *COMMON).stdout)["judged"]
    model = er.load("m")
    with open(table) as file:
        lines = file.read().splitlines()
    labels = [line.rpartition(",")[2] for line in lines[1:]]
    _, held = model.holdout.split(np.array(labels, dtype=object), None, by_class=True)
    new = written("held.csv", "\n".join([lines[0], *(lines[1 + row] for row in held)]) + "\n")
    alone = json.loads(run("score", "m", new, "--json", "--quiet").stdout)
    for name in ("rows", "errors", "error", "auc_roc", "log_loss", "confusion"):
        assert alone[name] == told[name]


def test_a_test_file_is_judged_as_score_judges_it(run, table, written, houses):
    with open(table) as file:
        text = file.read()
    new = written("new.csv", text.replace("yes", "no", 3))
    told = json.loads(run("fit", table, "-o", "m", "--test", new, "--json", *COMMON).stdout)
    alone = json.loads(run("score", "m", new, "--json", "--quiet").stdout)
    assert {name: alone[name] for name in told["judged"] if name in alone and name != "data"} == {
        name: value for name, value in told["judged"].items() if name in alone and name != "data"
    }
    assert told["judged"]["holdout"] is None
    assert er.load("m").holdout is None
    priced = run("fit", houses, "-o", "h", "--label", "price", "--test", houses, "--standardize", "--quiet")
    assert "RMSE" in priced.stdout


def test_what_is_wrong_with_the_rows_to_judge_on_is_said_before_the_fit(run, table, written):
    both = run("fit", table, "-o", "m", "--test", table, "--holdout", "0.2")
    assert both.exit_code == 2
    assert "give one of them" in both.stderr
    assert run("fit", table, "-o", "m", "--holdout", "1.5").exit_code == 2
    tiny = run("fit", table, "-o", "m", "--holdout", "0.001")
    assert tiny.exit_code == 2
    assert "--holdout 0.001 of 30 rows leaves none to judge the model on" in tiny.stderr
    strange = written("strange.csv", "color,size,weight,label\npink,1,1,yes\n")
    bad = run("fit", table, "-o", "m", "--test", strange)
    assert bad.exit_code == 3
    assert "expected a category of the fit" in bad.stderr
    assert not os.path.exists("m")
    assert run("fit", table, "-o", "m", "--test", strange, "--unknown", "zero", *COMMON).exit_code == 0
    assert run("fit", table, "-o", table, "--test", strange).exit_code == 2
    assert run("fit", table, "-o", strange, "--test", strange).exit_code == 2


def test_labels_of_a_test_file_that_the_fit_did_not_see_leave_the_model(run, table, written):
    strange = written("strange.csv", "color,size,weight,label\nred,1,1,maybe\n")
    bad = run("fit", table, "-o", "m", "--test", strange, *COMMON)
    assert bad.exit_code == 3
    assert "expected a class of the model" in bad.stderr
    assert er.load("m").classes.tolist() == ["no", "yes"]


def test_rows_without_a_value_and_a_holdout_go_together(run, written):
    rng = np.random.default_rng(0)
    lines = ["x,label"] + [f"{float(rng.normal())!r},{('no', 'yes')[i % 2]}" for i in range(40)] + [",yes", ",no"]
    train = written("t.csv", "\n".join(lines) + "\n")
    for missing in ("drop", "mean"):
        done = run("fit", train, "-o", "m", "--holdout", "0.25", "--missing", missing, "--json", *COMMON)
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)["judged"]["holdout"]["n_rows"] == (40 if missing == "drop" else 42)
        assert run("verify", "m", train).exit_code == 0

"""empirisk fit --l1 cv, --l2 cv: what is said of the strengths that were chosen."""

from __future__ import annotations

import json
import re

import numpy as np

import empirisk as er
from tests.cli.facts import facts


def test_a_rare_class_lowers_the_folds_with_a_message(run, tmp_path):
    rows = [f"{k % 7},{k * k % 5},{'rare' if k < 3 else 'common'}" for k in range(30)]
    (tmp_path / "t.csv").write_text("a,b,label\n" + "\n".join(rows) + "\n")
    done = run("fit", "t.csv", "-o", "m", "--l2", "cv", "--strengths", 3)
    said = "3 folds instead of 5, as the class 'rare' has 3 rows with a positive weight"
    assert f"Cross-validation: {said}." in done.stderr
    assert said in done.stdout
    found = json.loads(run("fit", "t.csv", "-o", "m", "--l2", "cv", "--strengths", 3, "--json").stdout)
    assert found["cross_validation"]["fewer_folds"] == said
    assert found["cross_validation"]["folds"] == 3


def test_strengths_are_chosen_by_cross_validation(run, table):
    done = run("fit", table, "-o", "m", "--l2", "cv", "--folds", 3, "--strengths", 4, "--report", "r.html")
    assert done.exit_code == 0, done.stderr
    told = [line.partition(",")[0] for line in done.stderr.splitlines()]
    assert "folds 8%: fold 1" in told  # the first of 3 folds and 4 strengths
    assert any(line.startswith("fit ") for line in told)
    model = er.load("m")
    found = model.cross_validation
    lines = done.stdout.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("Chosen"))
    assert f"l2 {model.options.l2:g}: least mean loss on 3 held-out folds, of 4" in lines[first]
    listed = [line for line in lines if " loss " in line and " +- " in line and " error " in line]
    assert len(listed) == 4
    assert [line.startswith("  *") for line in listed] == [k == found.best for k in range(4)]
    assert f"{found.losses[0]:.6g}" in listed[0]
    assert run("verify", "m", table).exit_code == 0
    with open("r.html", encoding="utf-8") as page:
        assert "How the strengths were chosen" in page.read()


def test_passes_and_seconds_are_those_of_the_same_fit(run, table):
    options = ("--l2", "cv", "--folds", 2, "--strengths", 3)
    done = run("fit", table, "-o", "m", *options)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("Passes"))
    assert re.fullmatch(
        r"Passes +\d+ in [\d.e-]+ s, and [\d.]+ s with the cross-validation, and 0 s of compiling", line
    )
    found = facts(run("fit", table, "-o", "m", *options, "--json"))
    assert 0.0 < found["fit_seconds"] < found["seconds"]
    assert found["compile_seconds"] == 0.0


def test_json_has_the_cross_validation(run, table):
    options = ("--l1", "cv", "--l2", "cv", "--folds", 2, "--strengths", 4, "--tol", 1e-3, "--quiet", "--json")
    found = facts(run("fit", table, "-o", "m", *options))["cross_validation"]
    assert (found["tuned"], found["folds"]) == (["l1", "l2"], 2)
    assert len(found["l1"]) == len(found["l2"]) == len(found["mean_loss"]) >= 8
    assert found["chosen"] == int(np.argmin(found["mean_loss"]))
    assert facts(run("fit", table, "-o", "m", "--json"))["cross_validation"] is None


def test_of_many_pairs_the_best_are_listed(run, table):
    options = ("--l1", "cv", "--l2", "cv", "--folds", 2, "--strengths", 14, "--tol", 0.1, "--label", "size", "--quiet")
    done = run("fit", table, "-o", "m", *options)
    found = re.search(r"of (\d+) \(the best 10 are shown\)", done.stdout)
    assert found is not None
    assert int(found[1]) >= 42  # and those beyond the grid
    assert sum(" +- " in line for line in done.stdout.splitlines()) == 10

"""What columns become is learned from the rows of a fit: nothing of it comes from those that the model is judged on."""

from __future__ import annotations

import json

import numpy as np
import pytest

import empirisk as er
from empirisk.models.validation.cross_validation import deal
from empirisk.models.validation.holdout import Holdout

N, SHARE = 40, 0.25
LABELS = np.array(["no", "yes"] * (N // 2), dtype=object)
FITTED, HELD = Holdout(SHARE, 0, N).split(LABELS, None, by_class=True)
OPTIONS = ("--date", "day", "--text", "note", "--missing", "indicator", "--l2", "0.1", "--standardize")


def rows_of_a_shop(odd):
    """Rows that are alike but for the odd ones: another color, an earlier day, a large number, words of their own."""
    rng = np.random.default_rng(1)
    for row in range(N):
        size = f"{float(rng.normal()):.3f}"
        if row in odd:
            yield f"pink,1999-01-01,{'' if row % 2 else '1000'},strange words,{LABELS[row]}"
        else:
            color, word = ("red", "blue")[row % 3 % 2], ("good", "bad")[row % 2]
            yield f"{color},2024-03-{row % 28 + 1:02},{size},plain {word},{LABELS[row]}"


@pytest.fixture
def shop(written):
    return written("shop.csv", "\n".join(["color,day,size,note,label", *rows_of_a_shop(HELD[:6])]) + "\n")


def test_a_fit_learns_nothing_from_the_rows_it_holds_out(run, shop, written):
    fit = run("fit", shop, "-o", "m", "--holdout", SHARE, *OPTIONS)
    assert fit.exit_code == 0, fit.stderr
    assert "Read 40 rows and 5 columns from" in fit.stderr
    assert "have categories that it lacks, which count for none: 'color' in 6 rows." in fit.stderr
    lines = shop.read_text().splitlines()
    alone = written("alone.csv", "\n".join([lines[0], *(lines[1 + row] for row in FITTED)]) + "\n")
    assert run("fit", alone, "-o", "a", *OPTIONS).exit_code == 0
    model, other = er.load("m"), er.load("a")
    assert model.columns == other.columns
    np.testing.assert_array_equal(model.scaling.shift, other.scaling.shift)
    np.testing.assert_array_equal(model.weights, other.weights)
    assert not any("pink" in name or "strange" in name or "missing" in name for name in model.feature_names)


def test_the_whole_file_still_verifies(run, shop):
    pandas = pytest.importorskip("pandas")
    assert run("fit", shop, "-o", "m", "--holdout", SHARE, "--quiet", *OPTIONS).exit_code == 0
    verified = run("verify", "m", shop)
    assert verified.exit_code == 0, verified.output
    frame = pandas.read_csv(shop)
    assert er.verify(er.load("m"), frame.drop(columns="label"), frame["label"]).holds
    told = shop.read_text().splitlines()
    told[1 + FITTED[0]] = told[1 + FITTED[0]].replace("blue", "pink").replace("red", "pink")
    shop.write_text("\n".join(told) + "\n")
    refused = run("verify", "m", shop)
    assert refused.exit_code == 1
    assert "not the data the model was fitted on" in refused.stdout


def test_a_comparison_learns_nothing_from_the_rows_it_judges_on(run, shop, written):
    asked = ("--date", "day", "--text", "note", "--missing", "mean", "--l2", "0.1")
    held_out = json.loads(run("compare", shop, *asked, "--holdout", SHARE, "--json", "--quiet").stdout)
    assert held_out["candidates"][0]["n_weights"] == 13  # red, blue; five of the day; size; five of words
    told = json.loads(run("compare", shop, *asked, "--folds", "4", "--json", "--quiet").stdout)
    assert told["candidates"][0]["n_weights"] == 17  # of the fit on all rows: pink, and three of strange words
    lines = shop.read_text().splitlines()
    folds, wrong = deal(np.searchsorted(["no", "yes"], LABELS), np.ones(N), 4, 0, np.array(["no", "yes"])), 0
    for fold in range(4):
        part, other = (
            written(name, "\n".join([lines[0], *(lines[1 + row] for row in np.flatnonzero(rows))]) + "\n")
            for name, rows in (("part.csv", folds != fold), ("other.csv", folds == fold))
        )
        assert run("fit", part, "-o", "m", "--quiet", *asked).exit_code == 0
        wrong += json.loads(run("score", "m", other, "--unknown", "zero", "--json", "--quiet").stdout)["errors"]
    assert told["candidates"][0]["held_out"]["errors"] == wrong


def test_missing_labels_are_refused_with_all_columns_that_lack_values(run, written):
    lines = [f"{i},{i},{i % 2}" for i in range(20)]
    train = written("t.csv", "\n".join(["a,b,label", *lines, ",1,1", "1,2,"]) + "\n")
    for how in ((), ("--holdout", "0.2")):
        refused = run("fit", train, "-o", "m", *how)
        assert refused.exit_code == 3
        assert "2 columns: 'a' (1 of 22 rows), 'label' (1 of 22 rows)" in refused.stderr

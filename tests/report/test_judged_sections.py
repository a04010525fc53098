"""Pages about a model on new rows: whole, safe, and of a size that does not grow."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.evaluation.answers import Answers
from empirisk.evaluation.judged import judge
from empirisk.report.score_page import score_page
from tests.report.pages import parse, words


def classified(n, classes, seed=0, **changes):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, len(classes), n)
    scores = rng.normal(size=(n, len(classes))) + 2.0 * np.eye(len(classes))[numbers]
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    if len(classes) == 2:
        scores = scores[:, 1] - scores[:, 0]
    labels = np.array(classes)
    predicted = labels[(scores >= 0.0).astype(int) if len(classes) == 2 else scores.argmax(axis=1)]
    answers = Answers(labels, scores, predicted, chances, is_softmax=True)._replace(**changes)
    return judge(answers, labels[numbers])


def regressed(n, scale=1.0):
    rng = np.random.default_rng(1)
    labels = scale * rng.normal(size=n)
    predicted = labels + 0.1 * scale * rng.normal(size=n)
    return judge(Answers(None, predicted, predicted), labels)


@pytest.mark.parametrize(
    "judged",
    [
        classified(60, ("no", "yes")),
        classified(60, ("no", "yes"), chances=None, no_chances="a plane gives none"),
        classified(90, ("a", "b", "c")),
        classified(300, [f"class {k:02}" for k in range(30)]),
        classified(1, ("no", "yes")),
        regressed(50),
        regressed(1),
        regressed(30, 1e-200),
        regressed(30, 1e200),
    ],
    ids=["two", "no chances", "three", "thirty", "one row", "regression", "one number", "tiny", "huge"],
)
def test_every_page_is_whole_and_says_no_nonsense(judged):
    html = score_page(judged, "data.csv", "model", "empirisk score model data.csv")
    parse(html)
    said = words(html)
    assert "nan" not in said.split()
    assert "None" not in said
    assert "NaN" not in html


def test_hostile_labels_stay_text():
    judged = classified(40, ("<script>alert(1)</script>", "\u202eevil"))
    html = score_page(judged, "<b>data</b>", "model", "empirisk score")
    assert "<script" not in html
    assert "<b>" not in html
    assert "\u202e" not in html


def test_the_size_does_not_grow_with_the_rows():
    small, large = (len(score_page(classified(n, ("no", "yes")), "d", "m", "c")) for n in (2000, 40_000))
    assert large < 1.5 * small
    assert len(score_page(classified(3000, [f"class {k:03}" for k in range(150)]), "d", "m", "c")) < 1_000_000
    assert len(score_page(regressed(50_000), "d", "m", "c")) < 500_000

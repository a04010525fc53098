"""Pages of many classes, constraints, and certificates without a gap."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk.certificates import ClassGaps, DualityGap, Stationarity, UnattainedInfimum
from empirisk.constraints import Box, HalfSpace
from empirisk.models import FitOptions, fit_linear
from empirisk.models.labels import class_numbers, margins_of
from empirisk.models.validation.cross_validation import CrossValidation
from empirisk.regularizers import group_lasso
from empirisk.solution import Check, Status
from tests.report.pages import a_fit, parse, words, written

GAP = DualityGap(0.25, 0.25 - 1e-8, 1e-8, 1e-16, math.inf, 0.25)


def many(n_classes: int = 3, softmax: bool = True, d: int = 4, **changes: Any) -> dict[str, Any]:
    """A fit of many classes."""
    given = a_fit(np.ones(d))
    rng = np.random.default_rng(0)
    certificate = DualityGap(*GAP[:6]) if softmax else ClassGaps((GAP,) * n_classes)
    model = given["model"]._replace(
        weights=rng.normal(size=(n_classes, d)),
        intercept=rng.normal(size=n_classes),
        classes=np.array([f"class <{k}>" for k in range(n_classes)]),
        certificate=certificate,
        options=given["model"].options._replace(multiclass="softmax" if softmax else "one_vs_rest"),
    )
    return given | {"model": model._replace(**changes)}


def with_certificate(certificate: Any, status: Status, **changes: Any) -> dict[str, Any]:
    given = a_fit(certified=False, checks=[Check(1.0, 0.1, 0.3, 0.1)], target=math.nan)
    return given | {"model": given["model"]._replace(certificate=certificate, status=str(status), **changes)}


UNATTAINED = with_certificate(UnattainedInfimum(1e-7, 50, 0, np.ones(4)), Status.UNATTAINED)
STATIONARY = with_certificate(Stationarity(0.25, 1e-3, 1e-15, 0.5), Status.PASS_LIMIT)
CASES = {
    "softmax": many(),
    "one against the rest": many(softmax=False),
    "many classes": many(105, d=40),
    "zero weights": many(weights=np.zeros((3, 4))),
    "no intercept": many(options=many()["model"].options._replace(fit_intercept=False)),
    "no names": many() | {"feature_names": None},
    "unattained": UNATTAINED,
    "stationary": STATIONARY,
    "bounded weights": with_certificate(GAP._replace(weights_radius=12.5), Status.PASS_LIMIT),
    "box": a_fit(constraint=Box(0.0)),
    "half-space": a_fit(constraint=HalfSpace(np.ones(3), 2.0)),
    "groups": a_fit(regularizer=group_lasso([[0, 1], [2]], 0.5)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_whole_and_says_no_nonsense(tmp_path: Path, case: str) -> None:
    html = written(tmp_path, **CASES[case])
    for outside in ("http:", "https:", "src=", "href=", "url(", "<script"):
        assert outside not in html
    said = words(html)
    assert CASES[case]["model"].certificate.sentence() in said
    for nonsense in (r"\bnan\b", r"\binf\b", "infinite", "unknown"):
        assert not re.search(nonsense, said), nonsense
    places = [str(a.get(name)) for _, a in parse(html).tags for name in ("d", "x", "y", "viewbox") if name in a]
    assert not [place for place in places if "nan" in place or "inf" in place]


def test_each_class_has_its_largest_weights(tmp_path: Path) -> None:
    html = written(tmp_path, **CASES["many classes"])
    assert html.count("The largest weights of class") == 12
    assert "the first 12 of 105 classes" in words(html)
    assert "class <0>" in words(html)
    assert "and 85 more" in words(html)
    assert "Linear classifier of 105 classes" in words(html)
    three = words(written(tmp_path, **CASES["softmax"]))
    assert three.count("intercept ") >= 3
    assert "12 of 12" in three


def test_the_objective_is_the_one_that_was_minimised(tmp_path: Path) -> None:
    assert "log Σₖ exp(zₖ)" in words(written(tmp_path, **CASES["softmax"]))
    assert "each against the rest" in words(written(tmp_path, **CASES["one against the rest"]))
    assert "w in the constraint" in words(written(tmp_path, **CASES["box"]))
    assert "Constraint box " in words(written(tmp_path, **CASES["box"]))
    assert "a linear function of the weights is at most 2.0" in words(written(tmp_path, **CASES["half-space"]))
    said = words(written(tmp_path, **CASES["groups"]))
    assert "+ regularizer(w)" in said
    assert "group_lasso, strength 0.5, 2 groups" in said


def test_no_minimum_is_called_so(tmp_path: Path) -> None:
    said = words(written(tmp_path, **UNATTAINED))
    assert "Relative gap none there is no minimum" in said
    assert "What may help: set l1 or l2 above 0" in said
    assert "again the margins of the plane" in said


def test_a_stationary_point_is_called_so(tmp_path: Path) -> None:
    said = words(written(tmp_path, **STATIONARY))
    assert "Relative gradient 0.002" in said
    assert "other minima may be lower" in said
    assert "The loss is not convex" in said
    assert "Gradient against passes" in said
    assert "Gap against" not in said


def test_a_bounded_claim_is_called_so(tmp_path: Path) -> None:
    assert "proven for weights of norm up to 12.5" in words(written(tmp_path, **CASES["bounded weights"]))


@pytest.mark.compiled
@pytest.mark.parametrize("multiclass", ["softmax", "one_vs_rest"])
def test_a_real_fit_makes_a_page(tmp_path: Path, multiclass: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + 5.0
    y = np.array(["low", "middle", "top"])[np.digitize(X[:, 0] + 0.1 * X[:, 1], [5.0, 6.0])]
    options = FitOptions(standardize=True, l2=1e-2, multiclass=multiclass)
    model, solution, _ = fit_linear(X, y, options, feature_names=("a", "b", "c"))
    margins = margins_of(model.scores(X), class_numbers(y, model.classes))
    given = a_fit() | {"model": model, "solution": solution, "margins": margins, "feature_names": None, "n_rows": 60}
    html = written(tmp_path, **given)
    assert 'class="badge yes"' in html
    wrong = int(np.count_nonzero(model.predict(X) != y))
    assert f"Errors: zero or less: {wrong} " in words(html)
    assert "score of its label minus the largest of the other scores" in words(html)


def test_how_strengths_were_chosen(tmp_path: Path) -> None:
    losses = np.array([[3.0, 2.0, np.inf], [3.5, 2.5, 2.0]])
    grid = np.array([1.0, 0.1, 0.01])
    found = CrossValidation(np.zeros(3), grid, np.ones(2), losses, np.full((2, 3), 0.25), 4)
    given = a_fit()
    html = written(tmp_path, **given | {"model": given["model"]._replace(cross_validation=found)})
    said = words(html)
    assert "Cross-validation with 2 folds chose l2 = 0.1" in said.replace("\u00a0", " ")
    assert "25 % of these rows wrongly" in said.replace("\u00a0", " ")
    assert "4 are not certified" in said
    assert "Held-out loss against l2" in said
    chart = next(part for part in re.findall(r"<svg.*?</svg>", html, re.DOTALL) if "Held-out loss" in part)
    assert len(re.findall("<circle", chart)) == 2  # the infinite one is not drawn
    assert len(re.findall("dot last", chart)) == 1
    pairs = CrossValidation(np.tile(grid, 2), np.repeat([1.0, 0.1], 3), np.ones(2), np.tile(losses, 2), None, 0)
    both = words(written(tmp_path, **given | {"model": given["model"]._replace(cross_validation=pairs)}))
    assert "Held-out loss against l1, at the chosen l2" in both
    assert "l2 is the largest of those tried" in both
    assert "How the strengths were chosen" not in words(written(tmp_path, **given))

"""A report is one safe, small, self-contained page, whatever the fit, the names and the numbers are."""

from __future__ import annotations

import errno
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk.models import FitOptions, fit_linear
from empirisk.report import write_report
from empirisk.solution import Check, Status
from tests.report.pages import a_fit, bars, parse, words, written

HOSTILE = [
    "<script>alert(1)</script>",
    "\"' onmouseover='alert(2)",
    "</svg></table></style><img src=x onerror=alert(3)>",
    "&lt;b&gt; &amp; url(https://example.org/x.png)",
    "\u202etxt.exe\x00\x1b[31m\n\ud800",
    "名" * 500,
]

CASES = {
    "usual": a_fit(),
    "regression": a_fit(task="regression"),
    "scaled": a_fit(scale=[1.0, 0.1, 3.0]),
    "one check": a_fit(checks=[Check(1.0, 0.0, 0.69, 1.0)]),
    "no gap known": a_fit(checks=[Check(k, 0.1 * k, 1.0 / k, math.nan) for k in (1.0, 2.0)], target=math.nan),
    "nothing known": a_fit(checks=[Check(1.0, 0.1, math.nan, math.nan)]),
    "no check": a_fit(checks=[]),
    "infinite gap": a_fit(gap=math.inf, certified=False, checks=[Check(1.0, 0.1, math.inf, math.inf)]),
    "zero gap": a_fit(gap=0.0, checks=[Check(1.0, 0.1, 0.0, 0.0)], target=0.0),
    "extreme numbers": a_fit(
        [1e308, -1e-320, 5e-324], checks=[Check(1.0, 1e9, 1e308, 1e-320), Check(2.0, 2e9, -1e308, 1e300)]
    ),
    "weights not finite": a_fit([math.nan, math.inf, -math.inf], certified=False),
    "zero weights": a_fit([0.0, 0.0, 0.0]),
    "one weight": a_fit([3.0]),
    "flat objective": a_fit(checks=[Check(k, 0.1 * k, 0.25, 0.1) for k in (1.0, 2.0, 3.0)]),
    "bounded intercept": a_fit(radius=12.5),
    "no intercept": a_fit(fit_intercept=False),
    "class weights": a_fit(class_weight={"no": 1.0, "yes": 2.5}),
    "balanced": a_fit(class_weight="balanced"),
    "numbers as classes": a_fit(classes=(0, 1)),
    "no margins": a_fit() | {"margins": np.empty(0)},
    "equal margins": a_fit() | {"margins": np.zeros(7)},
    "equal residuals": a_fit(task="regression") | {"margins": np.full(7, 3.25)},
    "margins not finite": a_fit() | {"margins": np.array([math.nan, math.inf, 1.0])},
    "wide margins": a_fit() | {"margins": np.array([-1e5, 0.5, 1e6])},
    "no names": a_fit() | {"feature_names": None},
}


def test_compiling_is_told_apart(tmp_path):
    given = a_fit()
    assert "ompiling" not in words(written(tmp_path, **given))
    trace = given["solution"].trace._replace(compile_seconds=2.5)
    compiled = given | {"solution": given["solution"]._replace(trace=trace), "compile_seconds": 4.0}
    said = words(written(tmp_path, **compiled))
    assert "Compiling 4 s once, and not in the time" in said
    assert "The time is that of work: 2.5 s of compiling are not in it." in said


@pytest.mark.parametrize("given", CASES.values(), ids=CASES.keys())
def test_every_page_is_whole_and_stands_alone(tmp_path: Path, given: dict[str, Any]) -> None:
    html = written(tmp_path, **given)
    for outside in ("http:", "https:", "src=", "href=", "@import", "url(", "<script", "<link"):
        assert outside not in html
    tree = parse(html)
    places = [str(a.get(name)) for tag, a in tree.tags for name in ("d", "x", "y", "cx", "cy", "viewbox") if name in a]
    assert not [place for place in places if "nan" in place or "inf" in place]
    charts = [attributes for tag, attributes in tree.tags if tag == "svg"]
    assert len(charts) >= 4
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    for text in (given["model"].certificate.sentence(), given["verify_command"], given["command"], "newton"):
        assert text in words(html)


def test_the_badge_says_whether_it_is_certified(tmp_path: Path) -> None:
    yes, no = written(tmp_path, **a_fit()), written(tmp_path, **a_fit(certified=False, gap=0.1))
    assert ('class="badge yes"' in yes, 'class="badge no"' in yes) == (True, False)
    assert ('class="badge yes"' in no, 'class="badge no"' in no) == (False, True)
    assert "✓ Certified" in words(yes)
    assert "✗ Not certified" in words(no)
    assert "What may help: raise max_passes, standardise the columns, raise l2 or raise tol." in words(no)
    assert "What may help" not in words(yes)
    assert "Stopped at the pass limit before the gap was within the tolerance." in words(no)
    assert str(Status.CERTIFIED) in words(yes)


def test_an_infinite_gap_is_called_no_proof(tmp_path: Path) -> None:
    said = words(written(tmp_path, **CASES["infinite gap"]))
    assert "nothing was proven" in said
    assert "Here it found none" in said


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    given = a_fit([1.0, -2.0, 3.0, 4.0, 5.0, 6.0], classes=("<i>", "<b>"), class_weight={"<i>": 1.0})
    given |= {"feature_names": HOSTILE, "data_name": HOSTILE[2], "command": HOSTILE[0] + "\x07", "n_rows": 1}
    html = written(tmp_path, **given)
    tree = parse(html)
    tags = {tag for tag, _ in tree.tags}
    assert not tags & {"script", "img", "b"}
    assert not [name for _, attributes in tree.tags for name in attributes if name.startswith("on")]
    assert HOSTILE[0] in tree.texts
    assert HOSTILE[2] in tree.texts
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", html)
    assert r"\u202etxt.exe\x00" in html
    assert any(name.endswith("…") for name in bars(html))


def test_the_browser_is_told_to_load_nothing(tmp_path: Path) -> None:
    tags = parse(written(tmp_path, **a_fit())).tags
    policy = [a["content"] for tag, a in tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_size_does_not_grow_with_the_data(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    checks = [Check(float(k), 0.01 * k, 1.0 + 1.0 / k, 1.0 / k**2) for k in range(1, 20_000)]
    given = a_fit(rng.normal(size=62_000), checks=checks, scale=rng.uniform(0.1, 9.0, 62_000))
    given |= {"margins": rng.standard_cauchy(1_000_000), "feature_names": [f"<{j}>" * 200 for j in range(62_000)]}
    given |= {"command": "<" * 1_000_000}
    html = written(tmp_path, **given)
    assert len(bars(html)) == 20


def test_features_are_ranked_by_the_effect_of_a_standard_deviation(tmp_path: Path) -> None:
    plain = written(tmp_path, **a_fit([0.5, -2.0, 0.25]))
    scaled = written(tmp_path, **a_fit([0.5, -2.0, 0.25], scale=[1.0, 0.01, 100.0]))
    assert bars(plain) == ["feature 1", "feature 0", "feature 2"]
    assert bars(scaled) == ["feature 2", "feature 0", "feature 1"]
    assert "Effect per std." in scaled
    assert "Effect per std." not in plain
    assert "the certificate is for that standardised problem" in words(scaled)
    assert "standardised problem" not in words(plain)
    assert "25.000" in scaled


def test_weights_are_shown_exactly_and_zeros_left_out(tmp_path: Path) -> None:
    html = written(tmp_path, **a_fit([0.1 + 0.2, 0.0, -1e-7]))
    assert "0.30000000000000004" in html
    assert "\u22121e\u22127" in html
    assert bars(html) == ["feature 0", "feature 2"]
    assert "Every weight is zero" in words(written(tmp_path, **CASES["zero weights"]))


def test_names_fall_back_to_the_model_and_then_to_numbers(tmp_path: Path) -> None:
    given = a_fit([1.0, 2.0]) | {"feature_names": None}
    assert bars(written(tmp_path, **given)) == ["column 2", "column 1"]
    given["model"] = given["model"]._replace(first_index=0)
    assert bars(written(tmp_path, **given)) == ["column 1", "column 0"]
    given["model"] = given["model"]._replace(feature_names=("a", "b"))
    assert bars(written(tmp_path, **given)) == ["b", "a"]


def test_margins_are_counted_by_kind(tmp_path: Path) -> None:
    given = a_fit() | {"margins": np.array([-3.0, 0.0, 1e-9, 0.5, 1.0, 7.0])}
    said = words(written(tmp_path, **given))
    assert "Errors: zero or less: 2 (33.3 %)" in said
    assert "between 0 and 1: 2 (33.3 %)" in said
    assert "margin of 1 or more: 2 (33.3 %)" in said


@pytest.mark.parametrize("size", [6, 5000])
def test_no_row_is_lost_in_the_histogram(tmp_path: Path, size: int) -> None:
    margins = np.random.default_rng(1).standard_cauchy(size)
    html = written(tmp_path, **(a_fit() | {"margins": margins}))
    counted = re.findall(r"<title>\S+ to \S+: ([\d,]+)</title>", html)
    assert sum(int(n.replace(",", "")) for n in counted) == size


def test_the_same_fit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        write_report(tmp_path / name, **a_fit(scale=[1.0, 2.0, 3.0]))
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "the disk is full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_report(path, **a_fit())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_names_that_do_not_fit_are_refused_before_writing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 feature names for 3 columns"):
        write_report(tmp_path / "report.html", **(a_fit() | {"feature_names": ["a", "b"]}))
    assert os.listdir(tmp_path) == []


@pytest.mark.compiled
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_real_fit_makes_a_page(tmp_path: Path, task: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)) * [1.0, 10.0, 0.1] + 5.0
    scores = X @ [1.0, -0.1, 3.0] + rng.normal(size=40)
    y = scores if task == "regression" else np.where(scores > np.median(scores), "up", "down")
    model, solution, _ = fit_linear(
        X, y, FitOptions(task=task, standardize=True, l2=1e-2), feature_names=("a", "b", "c")
    )
    margins = y - model.scores(X) if task == "regression" else np.where(y == "up", 1.0, -1.0) * model.scores(X)
    given = a_fit() | {"model": model, "solution": solution, "margins": margins, "feature_names": None}
    html = written(tmp_path, **given)
    assert 'class="badge yes"' in html
    assert model.certificate.sentence() in words(html)
    assert sorted(bars(html)) == ["a", "b", "c"]
    assert model.data_fingerprint in html

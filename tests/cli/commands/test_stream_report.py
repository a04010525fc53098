"""empirisk stream --report: a page that stands alone, about the run as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.commands.stream_rows import text_of


@pytest.fixture
def stream(written) -> Path:
    return written("rows.svm", text_of(20))


def test_the_page_of_a_run_with_regret(run, stream):
    words = (
        "--learner",
        "adagrad",
        "--regret",
        "--against",
        "l2_ball:radius=5",
        "--delta",
        "0.1",
        "--largest-loss",
        "90",
    )
    done = run("stream", stream, *words, "--report", "page.html", "--certificate", "c.json", "--quiet", "--json")
    facts, page = json.loads(done.stdout), Path("page.html").read_text()
    assert (done.exit_code, done.stderr, facts["report"]) == (0, "", "page.html")
    assert facts["regret"]["sentence"] in page
    assert "Regret is at most sum_j (max_k (u_j - w_kj)^2" in page
    assert f"empirisk verify c.json {stream}" in page
    assert re.findall(r"<tr><th>(\d+)</th>", page) == ["1", "2", "4", "8", "16", "20"]
    assert page.count("<figure>") == 2
    assert "Regret and its bound" in page
    assert "independent and alike" in page
    assert "<script" not in page


def test_the_page_of_a_run_without(run, stream, written):
    run("stream", stream, "--report", "page.html")
    page = Path("page.html").read_text()
    assert "Share of errors" in page
    assert "certificate" not in page
    path = written("<b>.svm", "1.5 1:1\n-2 2:1\n0.5 1:2 2:1\n")
    options = ("--loss", "squared", "--learner", "adagrad", "--constraint", "l2_ball:radius=2", "--no-intercept")
    run("stream", path, *options, "--regret", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "&lt;b&gt;.svm" in page
    assert "<b>" not in page
    assert "none: a regression" in page


def test_where_it_cannot_be_written(run, stream):
    for words in (("--report", "rows.svm"), ("--report", "m", "--save", "m"), ("--report", "-")):
        assert run("stream", "rows.svm", *words).exit_code == 2
    assert run("stream", "rows.svm", "--report", "nowhere/page.html").exit_code == 4

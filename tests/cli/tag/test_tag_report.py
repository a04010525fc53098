"""empirisk tag fit --report: the page is written beside the model, or refused before the work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TEXT = "the D\ncat N\n\na D\ndog N\nbarks V\n\nbarks N\n"
TEMPLATES = 'columns = ["word", "tag"]\nfeatures = ["word[0]", "word[-1]"]\n'
FIT = ("tag", "fit", "train.txt", "-o", "model", "--templates", "t.toml", "--l2", "0.1", "--quiet")


@pytest.fixture
def files(written):
    written("train.txt", TEXT)
    written("dev.txt", TEXT)
    written("t.toml", TEMPLATES)


def test_the_page_and_what_is_said_of_it(run, files):
    done = run(*FIT, "--dev", "dev.txt", "--report", "page.html", "--json")
    assert done.exit_code == 0
    facts = json.loads(done.stdout)
    assert facts["report"] == "page.html"
    html = Path("page.html").read_text(encoding="utf-8")
    assert "empirisk verify model train.txt" in html
    assert "empirisk tag fit train.txt -o model" in html
    assert "How good it is on dev.txt" in html
    assert "Report     page.html" in run(*FIT, "--report", "page.html").stdout
    assert json.loads(run(*FIT, "--json").stdout)["report"] is None


def test_standard_input(run, files):
    done = run("tag", "fit", "-", *FIT[3:], "--report", "page.html", input=TEXT)
    assert done.exit_code == 0
    html = Path("page.html").read_text(encoding="utf-8")
    assert "standard input, line" in html
    assert "empirisk verify model - &lt; DATA" in html


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("model", 2, "both read and overwritten"),
        ("train.txt", 2, "both read and overwritten"),
        ("missing/page.html", 4, "does not exist"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_the_work(run, files, path, code, said):
    done = run(*FIT, "--report", path)
    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr
    assert not Path("model").exists()


def test_a_path_with_blanks_can_be_pasted(run, files, written):
    written("my text.txt", TEXT)
    done = run("tag", "fit", "my text.txt", *FIT[3:], "--json")
    assert json.loads(done.stdout)["verify"] == "empirisk verify model 'my text.txt'"

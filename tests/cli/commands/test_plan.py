"""empirisk plan: rows for a promise, and the reverse."""

from __future__ import annotations

import functools
import json

import pytest


@pytest.fixture
def plan(run):
    return functools.partial(run, "plan")


def test_rows_for_a_promise(plan):
    done = plan("--epsilon", "0.1", "--columns", "2", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["rows"] < found["textbook"] == 1686
    assert found["bound"] == "vc_tail"
    assert str(found["rows"]) in plan("--epsilon", "0.1", "--dimension", "3").stdout


def test_what_rows_prove(plan):
    found = json.loads(plan("--rows", "1000", "--finite", "64", "--error", "0.1", "--json").stdout)
    assert 0.0 < found["epsilon"] < 0.06
    assert found["at_most"] == 0.1 + found["epsilon"]


def test_rounds(plan):
    assert plan("--epsilon", "0.1", "--distance", "2", "--gradient", "1").stdout.split() == ["rounds", "400"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--columns", "2"], "give either --epsilon"),
        (["--epsilon", "0.1", "--rows", "5", "--columns", "2"], "give either --epsilon"),
        (["--epsilon", "0.1"], "give one of --columns"),
        (["--epsilon", "0.1", "--columns", "2", "--finite", "3"], "give one of --columns"),
        (["--epsilon", "0.1", "--distance", "2"], "go together"),
        (["--rows", "10", "--distance", "2", "--gradient", "1"], "need --epsilon"),
        (["--epsilon", "nan", "--columns", "2"], "epsilon must be"),
        (["--rows", "0", "--columns", "2"], "n must be"),
        (["--rows", "10", "--columns", "0"], "columns must be"),
    ],
)
def test_refused(plan, options, said):
    done = plan(*options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr

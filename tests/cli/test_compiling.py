"""What is said while machine code is made; here nothing is, and the tests say that something is."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from scipy import sparse

from empirisk.cli import progress
from empirisk.cli.compiling import compiling, on_rows
from empirisk.models import examples
from empirisk.progress import Event
from empirisk.stopwatch import COMPILING, PAUSES
from tests.cli.facts import facts


@pytest.fixture
def seconds_of_compiling(monkeypatch):
    """Lets the compiler run for so many seconds."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def run(seconds):
        PAUSES.begin()
        COMPILING.begin()
        now[0] += seconds
        COMPILING.end()
        PAUSES.end()

    return run


def test_lines_before_and_after(capsys, seconds_of_compiling):
    with compiling("logistic on dense rows"):
        assert capsys.readouterr().err == ""
        seconds_of_compiling(1.0)
        assert capsys.readouterr().err == "compiling for logistic on dense rows, once\n"
        seconds_of_compiling(2.0)
    assert capsys.readouterr().err == "compiled for logistic on dense rows, once: 3 s\n"
    with compiling("it"), compiling("it", quiet=True):
        pass
    assert capsys.readouterr().err == ""


def test_quiet_says_nothing(capsys, seconds_of_compiling):
    with compiling("it", quiet=True), progress.progress(True, "it"):
        seconds_of_compiling(1.0)
    assert capsys.readouterr().err == ""


def test_a_bar_shows_it_and_goes_back_to_what_it_showed(monkeypatch, seconds_of_compiling):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    seen, terminal = [], Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **given: seen.append(given["description"]))
    with progress.progress(False, "hinge on sparse rows") as draw:
        seconds_of_compiling(2.0)
        draw(Event("search", 0.25, {"best": 3}, 1.0))
        seconds_of_compiling(1.5)
    assert seen == [
        "compiling for hinge on sparse rows, once",
        "starting",
        "search 25%: best 3, 1 s",
        "compiling for hinge on sparse rows, once: 2 s",
        "search 25%: best 3, 1 s",
    ]
    assert "compiled for hinge on sparse rows, once: 3.5 s" in terminal.getvalue()


def test_kinds_of_rows():
    assert on_rows("hinge", np.ones((2, 2))) == "hinge on dense rows"
    assert on_rows("hinge", sparse.csr_array(np.ones((2, 2)))) == "hinge on sparse rows"
    assert on_rows("hinge", None) == "hinge"


def test_a_fit_that_compiles_says_so_and_counts_it_apart(run, table, monkeypatch, seconds_of_compiling):
    fit_linear = examples.fit_linear

    def slow(*arguments, **named):
        seconds_of_compiling(70.0)
        return fit_linear(*arguments, **named)

    monkeypatch.setattr(examples, "fit_linear", slow)
    done = run("fit", table, "-o", "m", "--loss", "hinge", "--report", "r.html")
    assert done.exit_code == 0
    assert "compiling for hinge on dense rows, once\n" in done.stderr
    assert "compiled for hinge on dense rows, once: 70 s\n" in done.stderr
    assert "in 0 s, and 70 s of compiling\n" in done.stdout
    with open("r.html", encoding="utf-8") as page:
        assert "once, and not in the time" in page.read()
    told = facts(run("fit", table, "-o", "m", "--json", "--quiet"))
    assert (told["seconds"], told["fit_seconds"], told["compile_seconds"]) == (0.0, 0.0, 70.0)

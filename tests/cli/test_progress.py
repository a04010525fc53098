"""Events drawn: lines, and a bar on a terminal."""

from __future__ import annotations

import io
import math
import os
import pty
import re

from empirisk.cli import progress
from empirisk.progress import Event


def test_lines_are_at_most_one_a_second(monkeypatch, capsys):
    clock = iter([0.0, 0.5, 1.1, 1.9, 2.2])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.progress(quiet=False) as draw:
        for k in range(5):
            draw(Event("fit", 0.0, {"pass": k}, 0.0))
    assert re.findall(r"pass (\d)", capsys.readouterr().err) == ["0", "2", "4"]


def test_the_first_of_each_run_is_a_line(monkeypatch, capsys):
    monkeypatch.setattr(progress.time, "monotonic", lambda: 7.0)
    with progress.progress(quiet=False) as draw:
        for run in ("folds", "folds", "fit", "fit"):
            draw(Event(run, 0.5, {}, 0.25))
    assert capsys.readouterr().err.splitlines() == ["folds 50%: 0.25 s", "fit 50%: 0.25 s"]


def test_quiet_draws_nothing():
    with progress.progress(quiet=True) as draw:
        assert draw is None


def test_a_bar_shows_the_share_or_that_it_is_not_known(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    seen, terminal = [], Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **given: seen.append(given))
    with progress.progress(quiet=False) as draw:
        draw(Event("search", 0.25, {"best": 3}, 1.0))
        draw(Event("perceptron", math.nan, {"mistakes": 4}, 1.0))
    assert seen == [
        {"total": 1.0, "completed": 0.25, "description": "search 25%: best 3, 1 s"},
        {"total": None, "completed": 0.0, "description": "perceptron: mistakes 4, 1 s"},
    ]


def test_a_bar_on_a_terminal(process, table):
    primary, terminal = pty.openpty()
    started = process("fit", table, "-o", "m", stderr=terminal)
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(primary, 4096):
            shown += chunk
    except OSError:  # how Linux says that the other side has closed
        pass
    os.close(primary)
    stdout, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert stdout.startswith("Data ")
    assert b"fit " in shown
    assert "\u2501".encode() in shown

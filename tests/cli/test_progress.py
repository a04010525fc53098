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
    with progress.progress(quiet=False, what="it") as draw:
        for k in range(5):
            draw(Event("fit", 0.0, {"pass": k}, 0.0))
    assert re.findall(r"pass (\d)", capsys.readouterr().err) == ["0", "2", "4"]


def test_the_first_of_each_run_is_a_line(monkeypatch, capsys):
    monkeypatch.setattr(progress.time, "monotonic", lambda: 7.0)
    with progress.progress(quiet=False, what="it") as draw:
        for run in ("folds", "folds", "fit", "fit"):
            draw(Event(run, 0.5, {}, 0.25))
    assert capsys.readouterr().err.splitlines() == ["folds 50%: 0.25 s", "fit 50%: 0.25 s"]


def lefts(ends, run="fit"):
    """The times left that are shown, of a run that is told so at 1, 2, 3 ... seconds how long it takes in all."""
    estimates = progress.Estimates()
    return [
        estimates.steadied(Event(run, 0.1, {}, float(k), end - k)).seconds_left for k, end in enumerate(ends, start=1)
    ]


def test_a_time_left_is_shown_once_it_is_steady():
    shown = lefts([90.0, 36000.0, 90.0, 80.0, 100.0, 90.0, 95.0, 90.0])
    assert [math.isnan(left) for left in shown] == [True, True, True, True, False, False, False, False]
    assert shown[4] == 95.0


def test_a_time_left_that_swings_is_not_shown():
    assert all(math.isnan(left) for left in lefts([90.0, 36000.0] * 20))
    assert all(math.isnan(left) for left in lefts([math.nan, 50.0] * 20))
    assert all(math.isnan(left) for left in lefts([40.0, 41.0]))


def test_a_time_left_that_stops_being_steady_goes_away():
    shown = lefts([50.0] * 10 + [36000.0] + [50.0] * 15)
    assert not math.isnan(shown[9])
    assert math.isnan(shown[10])
    assert not math.isnan(shown[-1])


def test_each_run_has_estimates_of_its_own():
    estimates = progress.Estimates()
    events = [Event(run, 0.5, {}, float(k), 100.0 - k) for run in ("folds", "fit", "fit") for k in range(1, 5)]
    steadied = [math.isfinite(estimates.steadied(event).seconds_left) for event in events]
    assert steadied == [False, False, False, True] * 3  # the clock of a new run starts anew


def test_lines_show_only_steady_times(monkeypatch, capsys):
    clock = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    with progress.progress(quiet=False, what="it") as draw:
        for k, end in enumerate([36000.0, 90.0, 60.0, 60.0, 60.0, 60.0], start=1):
            draw(Event("fit", 0.1, {}, float(k), end - k))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "fit 10%: 1 s"
    assert said[-1] == "fit 10%: about 54 s left"


def test_quiet_draws_nothing():
    with progress.progress(quiet=True, what="it") as draw:
        assert draw is None


def test_a_bar_shows_the_share_or_that_it_is_not_known(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    seen, terminal = [], Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **given: seen.append(given))
    with progress.progress(quiet=False, what="it") as draw:
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

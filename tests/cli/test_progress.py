"""How far a fit is, in words, lines and a bar."""

from __future__ import annotations

import math
import os
import pty
import re

import pytest

from empirisk.cli import progress
from empirisk.solution import Check, Trace


def trace(*gaps: float, target: float = 1e-6, time_left: float = math.nan) -> Trace:
    return Trace([Check(5.0 * i, 0.1 * i, 0.25, gap) for i, gap in enumerate(gaps)], target, 1000, time_left)


def test_pass_objective_gap_and_time_left_in_words():
    assert progress.in_words(trace(1.0, 1e-3)) == "pass 5  objective 0.25  gap 0.001 (asked 1e-06)"
    assert progress.in_words(trace(1.0, 1e-3, time_left=75.0)).endswith("  about 75 s left")
    assert not progress.in_words(trace(1.0, 1e-7, time_left=0.0)).endswith("left")


def test_the_share_of_the_way_is_logarithmic():
    assert progress.share_done(trace(1.0)) == 0.0
    assert math.isclose(progress.share_done(trace(1.0, math.nan, 1e-3)), 0.5)
    assert progress.share_done(trace(1.0, 1e-7)) == 1.0
    assert progress.share_done(trace(math.inf)) == 0.0
    assert progress.share_done(trace(1.0, target=0.0)) == 0.0


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.0412, "0.041 s"), (9.9, "9.9 s"), (12.3, "12 s"), (180.0, "3 min"), (9000.0, "2.5 h")]
)
def test_durations(seconds, said):
    assert progress.duration(seconds) == said


def test_lines_are_at_most_one_a_second(monkeypatch, capsys):
    clock = iter([0.0, 0.0, 0.5, 1.1, 1.1, 1.9, 2.2, 2.2])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.progress(quiet=False) as callback:
        for passes in range(5):
            callback(Trace([Check(passes, 0.0, 1.0, 1.0)], 1e-6, 1000, math.nan))
    assert re.findall(r"pass (\d)", capsys.readouterr().err) == ["0", "2", "4"]


def test_quiet_has_no_callback():
    with progress.progress(quiet=True) as callback:
        assert callback is None


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
    assert b"fitting" in shown
    assert "\u2501".encode() in shown

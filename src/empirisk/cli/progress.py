"""How far a fit is: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from empirisk.cli.output import say
from empirisk.solution import Trace

SECONDS_BETWEEN_LINES = 1.0

Callback = Callable[[Trace], None]


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Callback | None]:
    """A callback for `minimize`, or None with --quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as callback:
            yield callback
    else:
        yield _lines()


def in_words(trace: Trace) -> str:
    """Pass, objective, gap and the time left."""
    check = trace.last()
    said = f"pass {check.passes:.0f}  objective {check.objective:.8g}  gap {check.gap:.2g} (asked {trace.target:.2g})"
    if math.isfinite(trace.time_left) and check.gap > trace.target:
        said += f"  about {duration(trace.time_left)} left"
    return said


def share_done(trace: Trace) -> float:
    """The part of the way from the first gap to the target, on a logarithmic scale."""
    gaps = [check.gap for check in trace.checks if check.gap > 0.0 and math.isfinite(check.gap)]
    if not gaps or not trace.target > 0.0:
        return 0.0
    first, last = max(gaps), min(gaps)
    if last <= trace.target:
        return 1.0
    return math.log(first / last) / math.log(first / trace.target)


def duration(seconds: float) -> str:
    """`0.031 s`, `12 s`, `3 min`, `2.5 h`."""
    if seconds < 90.0:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def _lines() -> Callback:
    last = -math.inf

    def callback(trace: Trace) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            say(in_words(trace))

    return callback


@contextlib.contextmanager
def _bar() -> Iterator[Callback]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns: tuple[Any, ...] = (TextColumn("fitting"), BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda trace: bar.update(task, completed=share_done(trace), description=in_words(trace))

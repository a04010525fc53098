"""Draws how far a run is: a bar on a terminal, lines elsewhere. Every command that takes long draws it here."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from empirisk.cli.output import say
from empirisk.progress import Event

SECONDS_BETWEEN_LINES = 1.0

Draw = Callable[[Event], None]


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Draw | None]:
    """What draws events, or None with --quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as draw:
            yield draw
    else:
        yield _lines()


def _lines() -> Draw:
    """The first event of each run, then at most one a second."""
    last, run = -math.inf, ""

    def draw(event: Event) -> None:
        nonlocal last, run
        now = time.monotonic()
        if event.run != run or now - last >= SECONDS_BETWEEN_LINES:
            last, run = now, event.run
            say(event.sentence())

    return draw


@contextlib.contextmanager
def _bar() -> Iterator[Draw]:
    """It moves to and fro where the share that is done cannot be told."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns: tuple[Any, ...] = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def draw(event: Event) -> None:
            total, done = (None, 0.0) if math.isnan(event.done) else (1.0, event.done)
            bar.update(task, total=total, completed=done, description=event.sentence())

        yield draw

"""Draws how far a run is: a bar on a terminal, lines elsewhere. Every command that takes long draws it here."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from empirisk.cli.compiling import compiling
from empirisk.cli.output import say
from empirisk.progress import Event

SECONDS_BETWEEN_LINES = 1.0
LEAST_ESTIMATES = 3
STEADY_FACTOR = 1.5  # of the latest end that was told to the earliest

Draw = Callable[[Event], None]


@contextlib.contextmanager
def progress(quiet: bool, what: str) -> Iterator[Draw | None]:
    """What draws events, or None with --quiet; where `what` is compiled first, that is shown as well."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(what) as draw:
            yield _steadied(draw)
    else:
        with compiling(what):
            yield _steadied(_lines())


def _steadied(draw: Draw) -> Draw:
    """The same, with a time left only once it is steady."""
    estimates = Estimates()
    return lambda event: draw(estimates.steadied(event))


class Estimates:
    """The estimates of when a run ends, so far.

    One is steady where all of the last half of the run, three at least, agree on the end within a factor.
    """

    def __init__(self) -> None:
        self._run = ""
        self._ends: list[tuple[float, float]] = []  # when it was made, and the end that it tells

    def steadied(self, event: Event) -> Event:
        """The event, without its time left where that is not steady."""
        if event.run != self._run or (self._ends and event.seconds < self._ends[-1][0]):  # a new one
            self._run, self._ends = event.run, []
        end = event.seconds + event.seconds_left
        self._ends = [one for one in self._ends if one[0] >= 0.5 * event.seconds]
        self._ends.append((event.seconds, end if math.isfinite(end) else math.inf))
        ends = [told for _, told in self._ends]
        is_steady = len(ends) >= LEAST_ESTIMATES and max(ends) <= STEADY_FACTOR * min(ends) < math.inf
        return event if is_steady else event._replace(seconds_left=math.nan)


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
def _bar(what: str) -> Iterator[Draw]:
    """It moves to and fro where the share that is done cannot be told."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns: tuple[Any, ...] = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        said = "starting"
        task = bar.add_task(said, total=None)

        def draw(event: Event) -> None:
            nonlocal said
            said = event.sentence()
            total, done = (None, 0.0) if math.isnan(event.done) else (1.0, event.done)
            bar.update(task, total=total, completed=done, description=said)

        with compiling(what, show=lambda text: bar.update(task, description=text or said)):
            yield draw

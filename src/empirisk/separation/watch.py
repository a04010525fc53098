"""How long a search for a plane may go on, and what it tells a callback meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.parameters import check_callback
from empirisk.progress import Event
from empirisk.stopwatch import work_clock

SECONDS_BETWEEN_CALLS = 0.02

TIME = "the time limit was reached first"
STOPPED = "it was asked to stop"


class SearchProgress(NamedTuple):
    """What a callback gets."""

    run: str  # "separate", "widest_gap", "enclosing_ball"
    numbers: dict[str, float]  # the rows that are looked at, those that hold the answer so far
    seconds: float

    def event(self) -> Event:
        """As every long run tells it; nobody knows how long it takes."""
        return Event(self.run, math.nan, dict(self.numbers), self.seconds)


Callback = Callable[[SearchProgress], Any]


class Watch:
    """A clock with a limit in seconds of work, and a callback that is told how far the search is: True ends it."""

    def __init__(self, run: str, limit: float = math.inf, callback: Callback | None = None) -> None:
        check_callback(callback)
        self.run, self.limit, self.callback = run, limit, callback
        self.began, self.told = work_clock(), -math.inf
        self.reason = ""  # why it is over, once it is

    def seconds(self) -> float:
        """Since the beginning."""
        return work_clock() - self.began

    def left(self) -> float:
        """Seconds until the limit."""
        return self.limit - self.seconds()

    def is_over(self, **numbers: float) -> bool:
        """Whether to end here, where the search has come to these numbers; about fifty times a second it is told."""
        now = self.seconds()
        if not self.reason and now >= self.limit:
            self.reason = TIME
        if not self.reason and numbers and self.callback is not None and now - self.told >= SECONDS_BETWEEN_CALLS:
            self.told = now
            if self.callback(SearchProgress(self.run, numbers, now)):
                self.reason = STOPPED
        return bool(self.reason)

"""When a fit must end: by the clock, or because someone asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.stopwatch import work_clock


class Limit(NamedTuple):
    """The moment, by the clock that stands still while kernels are compiled, and what says that it is to end now."""

    ends: float = math.inf
    stop: Callable[[], Any] | None = None

    def seconds_left(self) -> float:
        """For work; 0 where none are."""
        return max(0.0, self.ends - work_clock())

    def is_asked_to_stop(self) -> bool:
        """Whether someone asked."""
        return self.stop is not None and bool(self.stop())

    def is_reached(self) -> bool:
        """Whether it is time to end."""
        return self.is_asked_to_stop() or work_clock() >= self.ends

    def who_ended(self) -> str:
        """What it was that ended the work, once it is reached."""
        return "an interrupt" if self.is_asked_to_stop() else "time_limit"

    def part(self, share: float) -> Limit:
        """The limit of what may take this share of the time that is left."""
        return self._replace(ends=work_clock() + share * self.seconds_left())


NO_LIMIT = Limit()


def limit_of(seconds: float | None, stop: Callable[[], Any] | None = None) -> Limit:
    """The limit of a fit that begins now; None for no limit of time."""
    return Limit(math.inf if seconds is None else work_clock() + seconds, stop)

"""How long a search may go on: seconds, nodes, and the user's patience."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable

from empirisk.stopwatch import work_clock

CALL_SECONDS = 0.02  # what a call of the compiled search should take
MOST_NODES = 50_000  # of one call


class SearchStatus(enum.StrEnum):
    """Why a search for the fewest errors ended."""

    PROVEN = "the fewest errors, proven"
    WORN_OUT = "neither boxes nor conflicts raise the bound any further"
    NODE_LIMIT = "node limit"
    TIME_LIMIT = "time limit"
    CALLBACK = "stopped by the callback"
    INTERRUPTED = "interrupted"


class Budget:
    """Counts nodes and seconds of work: while machine code is made the clock stands still."""

    def __init__(self, seconds: float, max_nodes: int | None, report: Callable[[], bool] = lambda: False) -> None:
        self.began = work_clock()
        self.deadline = self.began + seconds
        self.max_nodes = math.inf if max_nodes is None else max_nodes
        self.nodes = 0
        self.reason: SearchStatus | None = None
        self.report = report  # whether to stop
        self._a_call = 200

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return work_clock() - self.began

    def seconds_left(self) -> float | None:
        """Until the time limit; None where there is none."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - work_clock())

    def is_spent(self) -> bool:
        """Whether it is over; `reason` says why."""
        if self.reason is None:
            if self.nodes >= self.max_nodes:
                self.reason = SearchStatus.NODE_LIMIT
            elif work_clock() >= self.deadline:
                self.reason = SearchStatus.TIME_LIMIT
            elif self.report():
                self.reason = SearchStatus.CALLBACK
        return self.reason is not None

    def part(self, share: float) -> Budget:
        """A budget of a share of the time that is left, for a step that counts no nodes."""
        left = self.seconds_left()
        return Budget(math.inf if left is None else share * left, None, self.is_spent)

    def nodes_of_call(self) -> int:
        """How many nodes the next call may visit."""
        return int(min(self._a_call, self.max_nodes - self.nodes))

    def spend(self, nodes: int, seconds: float) -> None:
        """Note what a call took."""
        self.nodes += nodes
        if seconds > 2.0 * CALL_SECONDS:
            self._a_call = max(10, self._a_call // 4)
        elif seconds < 0.5 * CALL_SECONDS and nodes >= self._a_call:
            self._a_call = min(MOST_NODES, 2 * self._a_call)

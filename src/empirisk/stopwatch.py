"""Seconds of work and seconds of compiling, apart: what a run takes does not depend on whether it was the first.

`compiled` tells what Numba is at; this module loads nothing, so that a command can listen before it does.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Span:
    """Seconds while some thread was at something, which may begin again within itself, and how often it began."""

    def __init__(self) -> None:
        self._lock, self._depth, self._since, self._total = threading.Lock(), 0, 0.0, 0.0
        self.times = 0
        self.listeners: list[Callable[[bool], Any]] = []  # told True at the beginning and False at the end

    def begin(self) -> None:
        """From now on."""
        with self._lock:
            self._depth += 1
            is_first = self._depth == 1
            if is_first:
                self._since, self.times = time.perf_counter(), self.times + 1
        if is_first:
            self._tell(True)

    def end(self) -> None:
        """Until now, unless another thread is still at it, or this one within itself."""
        with self._lock:
            self._depth -= 1
            is_last = self._depth == 0
            if is_last:
                self._total += time.perf_counter() - self._since
        if is_last:
            self._tell(False)

    def seconds(self) -> float:
        """In all, so far."""
        with self._lock:
            return self._total + (time.perf_counter() - self._since if self._depth else 0.0)

    def clock_outside(self) -> float:
        """Seconds, as of `time.perf_counter`, by a clock that stands still meanwhile."""
        with self._lock:
            return (self._since if self._depth else time.perf_counter()) - self._total

    def _tell(self, has_begun: bool) -> None:
        for listener in tuple(self.listeners):
            listener(has_begun)


PAUSES = Span()  # some thread waits for the compiler: machine code is made, read from the cache or written there
COMPILING = Span()  # machine code is made


def work_clock() -> float:
    """Seconds by a clock that stands still while machine code is made, read or written: limits count work."""
    return PAUSES.clock_outside()


class Stopwatch:
    """Seconds since it was made: of work, and of compiling. What reading machine code takes is in neither."""

    def __init__(self) -> None:
        self._began, self._compiled, self._kernels = work_clock(), COMPILING.seconds(), COMPILING.times

    def seconds(self) -> float:
        """Of work, by `work_clock`."""
        return work_clock() - self._began

    def compile_seconds(self) -> float:
        """While machine code was made, by whichever thread; 0 where all of it was in the cache."""
        return COMPILING.seconds() - self._compiled

    def to_json(self) -> dict[str, float]:
        """Both, as facts about a run."""
        return {"seconds": self.seconds(), "compile_seconds": self.compile_seconds()}

    def kernels(self) -> int:
        """How many were compiled, with what they call."""
        return COMPILING.times - self._kernels


@contextlib.contextmanager
def listening(listener: Callable[[bool], Any]) -> Iterator[None]:
    """Tell `listener` True when the compiler begins, and False when it is done; not of machine code that is read."""
    COMPILING.listeners.append(listener)
    try:
        yield
    finally:
        COMPILING.listeners.remove(listener)

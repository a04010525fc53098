"""Ctrl-C as a question, for runs that can end early and keep what they have."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def asked_to_stop(notice: str | None = None) -> Iterator[Callable[[], bool]]:
    """What tells whether Ctrl-C was pressed, at which the notice is shown; a second one interrupts as ever."""
    pressed = threading.Event()

    def note(number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        if notice is not None:
            with contextlib.suppress(OSError):
                os.write(2, f"\n{notice}\n".encode())  # a stream could be in the middle of another write

    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield pressed.is_set
        return
    usual = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, usual)


class Stopped(Exception):
    """A run was asked to stop while it waited for data."""


class Stop:
    """Whether a run was asked to stop; it says itself when it may be stopped in the middle of something."""

    def __init__(self) -> None:
        self.is_asked = self._is_waiting = False

    def ask(self) -> None:
        """From a signal: at once where the run waits, else when it looks."""
        self.is_asked = True
        if self._is_waiting:
            raise Stopped

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Raise Stopped in here, where nothing is lost by it."""
        self._is_waiting = True
        try:
            if self.is_asked:
                raise Stopped
            yield
        finally:
            self._is_waiting = False


@contextlib.contextmanager
def stopping() -> Iterator[Stop]:
    """Ctrl-C and SIGTERM as a wish to stop; a second Ctrl-C interrupts as ever."""
    stop = Stop()

    def note(number: int, frame: Any) -> None:
        if stop.is_asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.ask()

    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield stop
        return
    usual = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)

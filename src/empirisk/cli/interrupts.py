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

"""The garbage collector, paused: while much is made that stays, it looks through all of it time and again.

Loading modules and compiling are such times. Pauses may overlap, also those of several threads.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_pauses = {"depth": 0, "was_enabled": False}


def pause() -> None:
    """No collecting from now on."""
    with _lock:
        if _pauses["depth"] == 0:
            _pauses["was_enabled"] = gc.isenabled()
            gc.disable()
        _pauses["depth"] += 1


def resume() -> None:
    """As it was before the first pause, unless another one goes on."""
    with _lock:
        _pauses["depth"] -= 1
        if _pauses["depth"] == 0 and _pauses["was_enabled"]:
            gc.enable()


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """No collecting meanwhile."""
    pause()
    try:
        yield
    finally:
        resume()

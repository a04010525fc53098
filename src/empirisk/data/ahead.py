"""Items made on a thread of their own, while those before them are used, or in turn."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import Any, TypeVar

AHEAD = 2  # items that are made before they are asked for
RING = AHEAD + 2  # how many are in use at once: those, the one at hand and the one that is being made
FAREWELL = 0.1  # seconds given to a thread that is not needed any more: one that waits for a pipe has to be left

Item = TypeVar("Item")


def in_turn(items: Iterator[Item], waiting: Callable[[], AbstractContextManager[None]]) -> Iterator[Item]:
    """The same items, each made when it is asked for."""
    nothing: Any = object()
    while True:
        with waiting():
            item = next(items, nothing)
        if item is nothing:
            return
        yield item


def made_ahead(items: Iterator[Item], waiting: Callable[[], AbstractContextManager[None]]) -> Iterator[Item]:
    """The same items in the same order; `waiting` is entered where one is waited for, and may raise there.

    An item must stay as it is while RING - 1 others are made.
    """
    made: SimpleQueue[tuple[Any, bool, BaseException | None]] = SimpleQueue()
    room, is_over = threading.Semaphore(AHEAD + 1), threading.Event()

    def make() -> None:
        try:
            while room.acquire() and not is_over.is_set():
                item = next(items, made)
                made.put((item, item is made, None))
                if item is made:
                    return
        except BaseException as error:
            made.put((None, True, error))

    thread = threading.Thread(target=make, daemon=True, name="ahead")
    thread.start()
    try:
        while True:
            with waiting():
                item, is_last, error = made.get()
            if error is not None:
                raise error
            if is_last:
                return
            yield item
            room.release()
    finally:
        is_over.set()
        room.release()
        with contextlib.suppress(KeyboardInterrupt):
            thread.join(FAREWELL)

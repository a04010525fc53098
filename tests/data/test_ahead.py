"""Items made ahead: the same ones in the same order, errors in their place, and a maker that stops when it is left."""

from __future__ import annotations

import contextlib
import itertools
import threading

import pytest

from empirisk.data.ahead import AHEAD, RING, in_turn, made_ahead

pytestmark = pytest.mark.interpreted


def test_items_come_in_their_order():
    assert list(made_ahead(iter(range(100)), contextlib.nullcontext)) == list(range(100))
    assert list(made_ahead(iter([]), contextlib.nullcontext)) == []
    assert list(in_turn(iter(range(100)), contextlib.nullcontext)) == list(range(100))


def test_an_error_comes_where_it_was_made():
    def items():
        yield from range(5)
        raise OSError("the disk")

    found = made_ahead(items(), contextlib.nullcontext)
    assert list(itertools.islice(found, 5)) == list(range(5))
    with pytest.raises(OSError, match="the disk"):
        next(found)


def test_no_more_are_made_than_there_is_room_for():
    asked, is_made = [], threading.Semaphore(0)

    def items():
        for k in itertools.count():
            asked.append(k)
            is_made.release()
            yield k

    found = made_ahead(items(), contextlib.nullcontext)
    next(found)
    for _ in range(AHEAD + 1):
        is_made.acquire()
    assert len(asked) <= RING - 1  # the one at hand, and those ahead
    found.close()
    assert all(thread.name != "ahead" for thread in threading.enumerate())


def test_who_waits_can_be_stopped():
    class Stopped(Exception):
        pass

    is_asked = threading.Event()

    @contextlib.contextmanager
    def waiting():
        if is_asked.is_set():
            raise Stopped
        yield

    found = made_ahead(itertools.count(), waiting)
    next(found)
    is_asked.set()
    with pytest.raises(Stopped):
        next(found)

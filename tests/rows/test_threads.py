"""Threads: results in order, errors and settings as without them, and no thread waits for its own pool."""

import threading

import numpy as np
import pytest

from empirisk.rows.threads import available_threads, in_threads

pytestmark = pytest.mark.interpreted
some_threads = pytest.mark.parametrize("threads", [1, 2, 4])


@some_threads
def test_results_come_in_the_order_of_the_items(threads):
    assert in_threads(lambda k: k * k, range(50), threads) == [k * k for k in range(50)]
    assert in_threads(lambda k: k, [7], threads) == [7]
    assert in_threads(lambda k: k, [], threads) == []


def test_as_many_threads_as_were_asked_for_run():
    gate = threading.Barrier(4)  # opens only when four wait at once
    assert sorted(in_threads(lambda k: gate.wait(), range(4), 4)) == [0, 1, 2, 3]


def test_one_thread_is_the_callers_own():
    assert set(in_threads(lambda k: threading.get_ident(), range(5), 1)) == {threading.get_ident()}
    assert threading.get_ident() not in in_threads(lambda k: threading.get_ident(), range(5), 2)


@some_threads
def test_ignores_what_the_caller_ignores(threads):
    """Here every warning is an error: a thread with settings of its own would raise."""
    with np.errstate(over="ignore"):
        assert in_threads(lambda x: np.float64(x) / 1e-300, [1e300, -1e300], threads) == [np.inf, -np.inf]
    with pytest.raises(RuntimeWarning, match="overflow"):
        in_threads(lambda x: np.float64(x) / 1e-300, [1e300, -1e300], threads)


@some_threads
def test_settings_of_a_task_stay_inside(threads):
    def task(_: int) -> str:
        old = np.geterr()["over"]
        np.seterr(over="raise")
        return old

    with np.errstate(over="ignore"):
        said = in_threads(task, range(6), threads)
        assert said[0] == "ignore"
        if threads > 1:
            assert set(said) == {"ignore"}
            assert np.geterr()["over"] == "ignore"


@some_threads
def test_the_error_of_the_first_item_that_has_one_is_raised(threads):
    def task(k: int) -> int:
        if k in (3, 7):
            raise ValueError(f"item {k}")
        return k

    with pytest.raises(ValueError, match="item 3"):
        in_threads(task, range(10), threads)
    assert in_threads(lambda k: k, range(3), threads) == [0, 1, 2]  # the pool goes on


def test_a_task_that_asks_for_threads_runs_on_its_own():
    """All threads of a pool could be waiting for each other: here one is left, which must not be asked."""

    def task(asks: bool) -> set[int]:
        inner = in_threads(lambda k: threading.get_ident(), range(5), 2) if asks else []
        return {threading.get_ident(), *inner}

    assert [len(threads) for threads in in_threads(task, [True, False], 2)] == [1, 1]


def test_there_is_a_core():
    assert available_threads() >= 1

"""The search for the fewest errors, ended early: a bound and a true status are left."""

import itertools
import time

import pytest
from numba.core import event

import empirisk as er
from empirisk.zero_one import box_search
from empirisk.zero_one.fewest_errors import Progress, fewest_errors
from tests.zero_one.gaussians import gaussians

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"max_nodes": 0}])
def test_no_budget_at_all(limits):
    X, y = gaussians(100, 4)
    answer = fewest_errors(X, y, **limits)
    assert answer.nodes == 0
    assert 0.0 <= answer.bound <= answer.errors <= 50.0
    assert not answer.is_optimal
    assert answer.status in ("time limit", "node limit")
    assert er.verify(answer.certificate, X, y).holds


def test_the_limit_counts_work_and_not_compiling(monkeypatch):
    """The first call of the search compiles for a thousand seconds; the limit of ten is still there for it."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    search = box_search.search

    def compiling(*args):
        if not now[0]:
            with event.trigger_event("numba:compiler_lock"):
                now[0] += 1000.0
        return search(*args)

    monkeypatch.setattr(box_search, "search", compiling)
    answer = fewest_errors(*gaussians(40, 2), time_limit=10.0)
    assert now[0] == 1000.0
    assert answer.is_optimal
    assert answer.seconds < 10.0


def test_limits_that_end_a_search_leave_a_bound():
    X, y = gaussians(200, 6, apart=0.8)
    answer = fewest_errors(X, y, max_nodes=400_000, time_limit=None)
    assert answer.status == "node limit"
    assert answer.nodes <= 400_000 + 50_000
    assert 0.0 < answer.bound < answer.errors
    assert er.verify(answer.certificate, X, y).holds


def test_the_callback_sees_the_gap_close_and_can_stop():
    X, y = gaussians(300, 5)
    seen = []
    answer = fewest_errors(X, y, callback=seen.append)
    assert answer.is_optimal
    assert all(a.best >= b.best and a.bound <= b.bound for a, b in itertools.pairwise(seen))
    assert seen[-1].gap >= 0.0
    stopped = fewest_errors(X, y, callback=lambda progress: progress.nodes > 0)
    assert stopped.status == "stopped by the callback"
    assert er.verify(stopped.certificate, X, y).holds


def test_an_interrupt_keeps_the_best():
    X, y = gaussians(300, 5)

    def interrupt(progress):
        if progress.nodes > 1000:
            raise KeyboardInterrupt

    answer = fewest_errors(X, y, callback=interrupt)
    assert answer.status == "interrupted"
    assert answer.errors < 60.0
    assert er.verify(answer.certificate, X, y).holds


def test_the_progress_as_an_event():
    event = Progress(12.0, 9.0, 300, 1.25).event()
    assert event.numbers == {"best": 12.0, "bound": 9.0, "gap": 3.0, "boxes": 300.0}
    assert event.sentence() == "search 75%: best 12, bound 9, gap 3, boxes 300, 1.2 s"
    assert Progress(0.0, 0.0, 0, 0.0).event().done == 1.0

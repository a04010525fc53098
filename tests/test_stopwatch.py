"""Seconds of work and of compiling, by a clock that the tests set."""

import itertools
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba.core import event

import empirisk as er
from empirisk import compiled
from empirisk.stopwatch import COMPILING, PAUSES, Span, Stopwatch, listening, work_clock


@pytest.fixture
def now(monkeypatch):
    """The time, which stands still."""
    time_now = [5.0]
    monkeypatch.setattr(time, "perf_counter", lambda: time_now[0])
    return time_now


def test_the_clock_of_work_stands_still_while_some_thread_compiles(now):
    began = work_clock()
    now[0] += 1.0
    with event.trigger_event("numba:compiler_lock"):
        now[0] += 10.0
        with event.trigger_event("numba:compiler_lock"):  # a kernel that calls another, or a second thread that waits
            now[0] += 10.0
        assert work_clock() - began == 1.0
    now[0] += 2.0
    assert work_clock() - began == 3.0


def test_the_clock_of_work_hears_of_kernels_that_are_compiled(monkeypatch):
    looks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(looks)))
    watch = Stopwatch()
    assert compiled.kernel(lambda x: x + 1.0)(1.0) == 2.0
    worked = watch.seconds()
    assert worked < next(looks) - 1  # the first look was at 0, the last one at this
    assert watch.kernels() == 1
    assert watch.compile_seconds() > 0.0


def test_reading_machine_code_is_neither_work_nor_compiling(now):
    watch = Stopwatch()
    now[0] += 1.0
    with event.trigger_event("numba:compiler_lock"):
        now[0] += 0.5  # it is looked for in the cache
        with event.trigger_event("numba:compile"):
            now[0] += 4.0
            assert watch.compile_seconds() == 4.0
        now[0] += 0.25  # it is written there
    with event.trigger_event("numba:compiler_lock"):
        now[0] += 0.5  # it is read
    assert (watch.seconds(), watch.compile_seconds(), watch.kernels()) == (1.0, 4.0, 1)


def test_listeners_hear_the_outermost_beginning_and_end():
    heard = []
    with listening(heard.append):
        COMPILING.begin()
        COMPILING.begin()
        COMPILING.end()
        assert heard == [True]
        COMPILING.end()
        PAUSES.begin()
        PAUSES.end()
    COMPILING.begin()
    COMPILING.end()
    assert heard == [True, False]


def test_two_threads_at_once_count_once(now):
    span, both = Span(), threading.Barrier(2)

    def compile_something():
        span.begin()
        both.wait(timeout=60)
        both.wait(timeout=60)
        span.end()

    other = threading.Thread(target=compile_something)
    other.start()
    span.begin()
    both.wait(timeout=60)
    now[0] += 3.0
    both.wait(timeout=60)
    other.join(timeout=60)
    assert span.seconds() == 3.0
    span.end()
    assert (span.seconds(), span.times) == (3.0, 1)


def test_a_trace_has_the_seconds_of_compiling_apart(now, monkeypatch):
    rng = np.random.default_rng(0)
    problem = er.EmpiricalRisk(rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.5, -1.0, 1.0), "squared")
    solver, told = er.solvers.GradientDescent(), []
    er.minimize(problem, solver, max_passes=20, tol=1e-15)  # compiles what there is to compile
    step = er.solvers.GradientDescent.step

    def slow_step(self, problem, state):
        with event.trigger_event("numba:compiler_lock"), event.trigger_event("numba:compile"):
            now[0] += 100.0
        now[0] += 1.0
        return step(self, problem, state)

    monkeypatch.setattr(er.solvers.GradientDescent, "step", slow_step)
    solution = er.minimize(problem, solver, max_passes=20, tol=1e-15, callback=lambda t: told.append(t.compile_seconds))
    steps = len(solution.trace.checks) - 1
    assert steps >= 2
    seconds = [check.seconds for check in solution.trace.checks]
    assert seconds == pytest.approx([float(k) for k in range(steps + 1)])  # what was compiled before has odd digits
    assert solution.compile_seconds == solution.trace.compile_seconds == pytest.approx(100.0 * steps)
    assert told[-1] == pytest.approx(100.0 * steps)


def test_the_module_loads_nothing():
    code = "import sys, empirisk.stopwatch; print('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"

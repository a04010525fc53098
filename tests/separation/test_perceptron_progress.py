"""The callback of the perceptron."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.separation.perceptron_runs.run import PerceptronProgress

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = np.where(X @ [1.0, -2.0, 0.5] + 0.01 > 0.0, 1, -1)
MIXED = np.where(RNG.random(60) < 0.5, 1, -1)


@pytest.mark.parametrize("form", ["online", "averaged", "voted", "pocket", "batch"])
def test_it_is_called_after_each_pass_and_changes_nothing(form):
    told = []
    options = {"form": form, "max_passes": 12, "certify": False}
    run = er.perceptron(X, MIXED, callback=told.append, **options)
    silent = er.perceptron(X, MIXED, **options)
    assert run.weights.tobytes() == silent.weights.tobytes()
    assert (run.mistakes, run.visits, run.status) == (silent.mistakes, silent.visits, silent.status)
    assert len(told) == math.ceil(run.visits / 60)
    assert [now.mistakes for now in told] == sorted(now.mistakes for now in told)
    assert told[-1].mistakes == run.mistakes
    assert told[-1].passes <= run.passes


def test_it_stops_the_run_and_the_status_says_so():
    run = er.perceptron(X, MIXED, callback=lambda progress: progress.passes >= 2.0)
    assert run.status is er.PerceptronStatus.CALLBACK
    assert run.visits <= 2 * 60
    assert "stopped by the callback" in run.sentence()


def test_a_run_that_separates_in_the_pass_it_is_stopped_after_has_separated():
    told, again = [], []
    run = er.perceptron(X, Y, max_passes=10_000, callback=told.append)
    assert run.is_separated
    stopped = er.perceptron(X, Y, max_passes=10_000, callback=lambda now: again.append(now) or len(again) == len(told))
    assert stopped.status is er.PerceptronStatus.SEPARATED
    assert len(again) == len(told) > 1


def test_the_event():
    event = PerceptronProgress(2.0, 7, None, 0.5).event()
    assert event.to_json()["numbers"] == {"pass": 2.0, "mistakes": 7, "errors": None}
    assert event.sentence() == "perceptron: pass 2, mistakes 7, 0.5 s"
    assert PerceptronProgress(2.0, 7, 3, 0.5).event().numbers["errors"] == 3


def test_an_error_of_the_callback_is_the_users():
    def fail(progress):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        er.perceptron(X, Y, callback=fail)


def test_the_estimator_has_it_too():
    told = []
    er.Perceptron(callback=told.append, certify=False).fit(X, Y)
    assert told[-1].mistakes > 0
    with pytest.raises(TypeError, match="callback must be None or a function"):
        er.Perceptron(callback=3).fit(X, Y)

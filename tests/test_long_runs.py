"""Every long run tells the one event, can be stopped by its callback, and answers the same with one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import empirisk as er
from empirisk.models import FitOptions, fit_linear
from empirisk.progress import Event, telling

rng = np.random.default_rng(3)
X = np.round(rng.normal(size=(80, 3)), 3)
SIDES = np.where(X @ [1.0, -0.5, 0.25] + 0.1 > 0.0, 1, -1)
MIXED = np.where(rng.random(80) < 0.5, 1, -1)
PROBLEM = er.EmpiricalRisk(X, MIXED)
CHOSEN = FitOptions(l2="cv", folds=2, n_strengths=2)

# What is called with a callback -> the runs that it tells of.
RUNS = {
    "minimize": (lambda tell: er.minimize(PROBLEM, callback=tell), {"fit"}),
    "path": (lambda tell: er.path(PROBLEM, [0.1, 0.01], callback=tell), {"fit"}),
    "fewest errors": (lambda tell: er.fewest_errors(X[:, :2], MIXED, callback=tell), {"search"}),
    "perceptron": (lambda tell: er.perceptron(X, SIDES, callback=tell), {"perceptron"}),
    "separate": (lambda tell: er.separate(X, SIDES, callback=tell), {"separate"}),
    "inseparable": (lambda tell: er.separate(X, MIXED, callback=tell), {"separate"}),
    "widest gap": (lambda tell: er.widest_gap(X, SIDES, callback=tell), {"widest_gap"}),
    "enclosing ball": (lambda tell: er.enclosing_ball(X, callback=tell), {"enclosing_ball"}),
    "max margin": (lambda tell: er.MaxMarginClassifier(callback=tell).fit(X, SIDES), {"widest_gap", "enclosing_ball"}),
    "linear": (lambda tell: er.LinearClassifier(callback=tell).fit(X, MIXED), {"fit"}),
}


def check(events: list[Event], runs: set[str]) -> None:
    assert {event.run for event in events} == runs
    for event in events:
        assert type(event) is Event
        assert json.loads(json.dumps(event.to_json(), allow_nan=False))["run"] == event.run
        assert event.numbers
        assert event.seconds >= 0.0
        assert math.isnan(event.done) or 0.0 <= event.done <= 1.0
        assert event.sentence().startswith(event.run)


@pytest.mark.parametrize("case", RUNS)
def test_it_tells_the_event(case):
    told: list[Event] = []
    start, runs = RUNS[case]
    start(telling(told.append))
    check(told, runs)


@pytest.mark.parametrize("case", [case for case in RUNS if case not in ("max margin", "linear")])
def test_a_callback_that_is_no_function_is_refused(case):
    with pytest.raises(TypeError, match="callback must be a function"):
        RUNS[case][0](3)


def test_a_perceptron_that_was_stopped_says_so():
    assert er.perceptron(X, MIXED, callback=lambda progress: True).verdict.reason == "it was asked to stop"


def test_so_do_the_folds_of_a_cross_validation():
    told: list[Event] = []
    fit_linear(X, MIXED, CHOSEN, on_event=told.append)
    check(told, {"folds", "fit"})


def test_a_search_that_is_stopped_says_so():
    undecided = er.separate(X, MIXED, callback=lambda progress: True)
    assert undecided.is_separable is None
    assert undecided.sentence().endswith("it was asked to stop.")
    assert er.widest_gap(X, MIXED, callback=lambda progress: True).is_separable is None
    ball = er.enclosing_ball(X, callback=lambda progress: True)
    assert not ball.is_within(1e-6)
    assert er.verify(ball, X).holds


def test_a_gap_that_is_stopped_once_it_has_a_plane_keeps_it():
    wide = np.vstack([rng.normal(size=(3000, 20)) + 9.0, rng.normal(size=(3000, 20)) - 9.0])
    sides = np.repeat([1, -1], 3000)
    calls: list[float] = []
    gap = er.widest_gap(wide, sides, callback=lambda progress: calls.append(progress.seconds) or len(calls) > 1)
    assert gap.is_separable
    assert er.verify(gap, wide, sides).holds


@pytest.mark.parametrize("search", [er.separate, er.widest_gap])
def test_watching_changes_nothing(search):
    watched = search(X, SIDES, callback=lambda progress: False)
    plain = search(X, SIDES)
    assert watched.weights.tobytes() == plain.weights.tobytes()
    assert watched.to_json() == plain.to_json()


@pytest.mark.parametrize("search", [er.separate, er.widest_gap])
def test_an_error_of_the_callback_is_the_users(search):
    def fail(progress):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        search(X, SIDES, callback=fail)


def test_numbers_of_a_search():
    told = []
    er.separate(X, SIDES, callback=told.append)
    assert (told[0].run, told[0].numbers["rows"]) == ("separate", 80.0)

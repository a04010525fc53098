"""The search of a race, with a solver whose times and objectives are known."""

import dataclasses

import numpy as np
import pytest

from benchmarks.data_sets import DataSet
from benchmarks.objective import Objective
from benchmarks.peers import OURS
from benchmarks.peers.solver import Solver, iterations, tolerances
from benchmarks.race import MOST_SETTINGS, Race, next_rung
from benchmarks.runs import Entry, Run, describe
from benchmarks.track import Limits, Track
from benchmarks.worker import FitFailed, Fitted, Task

OBJECTIVE = Objective("squared", l2=1.0)
DATA = DataSet("one row", np.array([[1.0]]), np.array([2.0]))  # P(w) = (w - 2)^2 / 2 + w^2 / 2, least at w = 1: 1


class Clockwork:
    """A worker whose fits take `cost` seconds an iteration and leave a relative error of `rate` to their power."""

    start_seconds = 0.0
    is_warm = True

    def __init__(self, cost: float, rate: float):
        self.cost, self.rate = cost, rate
        self.settings = []

    def prepare(self, task, label, representation):
        self.prepared = label, representation

    def fit(self, setting, limit):
        self.settings.append(setting)
        count = setting.get("max_iter", 60)  # or our strict solve
        seconds = self.cost * count
        if seconds > limit:
            raise FitFailed("cut off")
        point = np.array([1.0 + self.rate ** (count / 2.0)])
        return Fitted(seconds, seconds, point, {}, 0.0)


def solver(peer: str, **fields) -> Solver:
    return Solver(peer, "method", (OBJECTIVE.kind,), (iterations(1000),), None, None, ("dense",), **fields)


def race(**workers: Clockwork) -> Race:
    track = Track(DATA, Task("one row", None, OBJECTIVE), workers, Limits(budget=100.0, repeats=3))
    track.optimum = 1.0
    return Race(track)


def test_the_search_finds_the_loosest_rung_that_reaches_each_precision():
    one = race(peer=Clockwork(cost=0.01, rate=0.5))
    one.compete([solver("peer")])
    (entry,) = one.track.entries
    # 0.5^k <= 1e-3 from k = 10 on: the rung of 11 iterations; 1e-6 from k = 20: 23.
    assert entry.best(1e-3, 1.0).setting["max_iter"] == 11
    assert entry.best(1e-6, 1.0).setting["max_iter"] == 23
    assert len(entry.runs) <= MOST_SETTINGS


def test_a_slower_peer_is_given_up_after_two_runs_beyond_its_limit():
    slow = Clockwork(cost=1.0, rate=0.5)
    one = race(slow=slow, peer=Clockwork(cost=0.01, rate=0.5))
    one.compete([solver("slow"), solver("peer")])
    loser, winner = one.track.entries
    assert winner.best(1e-6, 1.0) is not None
    assert loser.best(1e-3, 1.0) is None
    assert loser.cut_offs == 2
    assert loser.status != "searched"


def test_other_threads_run_only_at_the_rungs_that_won():
    worker = Clockwork(cost=0.01, rate=0.5)
    race(peer=worker).compete([solver("peer", variants=({"threads": 1}, {"threads": 2}))])
    two = [setting["max_iter"] for setting in worker.settings if setting["threads"] == 2]
    assert two == [11, 23]


def test_everybody_runs_once_even_when_the_time_is_over():
    patient = {f"peer {k}": Clockwork(cost=10.0, rate=0.5) for k in range(4)}
    one = race(**patient)
    one.budget = 0.0
    one.compete([solver(name) for name in patient])
    assert all(len(worker.settings) == 1 for worker in patient.values())


def test_our_certificates_bound_the_minimum_from_below():
    class Certified(Clockwork):
        def fit(self, setting, limit):
            fitted = super().fit(setting, limit)
            return dataclasses.replace(fitted, remarks={"gap": OBJECTIVE.value(DATA, fitted.weights) - 1.0})

    one = race(**{OURS: Certified(cost=0.001, rate=0.5)})
    one.run_ours(solver(OURS, certified=((1e-3, {"max_iter": 11}), (1e-6, {"max_iter": 45}))))
    assert one.track.is_minimum_certain
    assert one.track.lower_bound == pytest.approx(1.0, abs=1e-12)


def test_a_claimed_objective_that_is_not_the_true_one_is_refused():
    class Liar(Clockwork):
        def fit(self, setting, limit):
            fitted = super().fit(setting, limit)
            return dataclasses.replace(fitted, remarks={"objective": OBJECTIVE.value(DATA, fitted.weights) - 1e-3})

    one = race(peer=Liar(cost=0.01, rate=0.5))
    one.compete([solver("peer")])
    assert not one.track.entries[0].runs
    assert "reports the objective" in one.track.entries[0].status


@pytest.mark.parametrize("length", [1, 2, 5, 22])
def test_every_next_rung_lies_between(length):
    for low in range(-1, length):
        for high in range(low + 2, length + 1):
            assert low < next_rung(low, high, length) < high


def test_an_entry_survives_its_own_json():
    entry = Entry("peer", "method", "csr", [Run({"tol": 1e-3, "threads": 2}, [0.2, 0.1], 1.5, {"gap": 0.1}, 0.0)])
    assert Entry.from_dict(entry.as_dict(1.0)) == entry
    assert describe(entry.runs[0].setting) == "tol=0.001 threads=2"


def test_ladders_run_from_loose_to_strict():
    assert [setting["tol"] for setting in tolerances(1e-1, 1e-3)] == [0.1, 0.032, 0.01, 0.0032, 0.001]
    counts = [setting["max_iter"] for setting in iterations(16)]
    assert counts == sorted(counts)
    assert counts[0] == 1
    assert counts[-1] == 16


def test_the_clock_charges_the_fits():
    one = race(peer=Clockwork(cost=0.1, rate=0.5))
    one.compete([solver("peer")])
    spent = sum(sum(run.seconds) for run in one.track.entries[0].runs)
    assert one.track.left == pytest.approx(100.0 - spent)


def test_favourites_are_searched_before_the_promising():
    order = []

    class Named(Clockwork):
        def fit(self, setting, limit):
            order.append(self.prepared[0])
            return super().fit(setting, limit)

    one = race(quick=Named(cost=0.001, rate=0.5), slow=Named(cost=0.002, rate=0.5))
    one.compete([solver("slow"), solver("quick")], favourites=1)
    probes = [label for k, label in enumerate(order) if label not in order[:k]]
    assert probes == ["slow method", "quick method"]
    after = order[order.index("quick method") :]
    later = [label for k, label in enumerate(after) if k and label != after[k - 1]]
    assert later[0] == "slow method"

"""Realisation, conflicts and mistake bounds against linear programs over all labelings."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import scipy.optimize

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.perceptron_runs.sizes import radius_of
from empirisk.chains.point import ChainPoint
from empirisk.chains.verdicts.conflict import SequenceConflict
from empirisk.chains.verdicts.least_margins import exact_margin, least_margins
from empirisk.chains.verdicts.members import exact_differences
from empirisk.chains.verdicts.mistake_bound import sequence_mistake_bound
from empirisk.chains.verdicts.realization import Realization
from empirisk.chains.verdicts.realize import realize
from empirisk.chains.verdicts.twins import twins
from tests.chains.sentences import drawn_data, features_of, gold_of, lengths_of, written_data

SETTINGS = [
    {},
    {"states": "all", "n_labels": 2},
    {"transitions": "observed", "has_ends": False},
    {"with_values": True, "n_dense": 2},
]


def differences(data):
    """phi(x_j, s_j) - phi(x_j, s) for all labelings."""
    rows = []
    for j, length in enumerate(lengths_of(data)):
        own = features_of(data, j, gold_of(data, j))
        every = itertools.product(range(data.n_labels), repeat=length)
        rows += [own - features_of(data, j, s) for s in every if s != gold_of(data, j)]
    return np.array(rows)


def can_be_realised(data):
    """By a linear program with a constraint for each labelling."""
    rows = differences(data)
    found = scipy.optimize.linprog(np.zeros(rows.shape[1]), -rows, -np.ones(len(rows)), bounds=(None, None))
    return found.status == 0


@pytest.mark.parametrize("setting", SETTINGS)
def test_margins_are_those_of_all_labelings(setting):
    data = drawn_data(n=6, longest=3, **setting)
    u = np.random.default_rng(0).integers(-3, 4, data.layout.size).astype(float)
    data.layout.mask(u)
    found = least_margins(data, u)
    for j, length in enumerate(lengths_of(data)):
        own = features_of(data, j, gold_of(data, j)) @ u
        every = itertools.product(range(data.n_labels), repeat=length)
        best = max(features_of(data, j, s) @ u for s in every if s != gold_of(data, j))
        assert found.lower[j] == pytest.approx(own - best, abs=1e-9)
        assert found.lower[j] <= exact_margin(data, u, j)
    longest = np.sqrt((differences(data) ** 2).sum(axis=1)).max()
    assert longest <= radius_of(data) <= 3.0 * longest


@pytest.mark.parametrize("max_passes", [0, 30])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_verdict_is_that_of_a_linear_program(setting, max_passes):
    seen = set()
    for seed in range(8):
        data = drawn_data(n=4, longest=3, seed=seed, n_words=4, **setting)
        rng = np.random.default_rng(seed)
        for gold in (data.gold, rng.permutation(data.gold)):  # the latter with pairs that were never observed
            one = data._replace(gold=gold)
            verdict = realize(one, max_passes=max_passes)
            assert verdict.is_realisable == can_be_realised(one)
            assert verdict.verify(one).holds
            assert verdict.is_within(0.0)
            assert verdict.sentence().endswith(".")
            seen.add(type(verdict))
    assert Realization in seen


@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_conflicts_of_many_labelings(setting):
    sizes = set()
    for seed in range(12):
        drawn = drawn_data(n=5, longest=3, seed=seed, n_words=3, **setting)
        data = drawn._replace(gold=np.random.default_rng(seed).permutation(drawn.gold))
        verdict = realize(data, max_passes=5)
        if isinstance(verdict, SequenceConflict):
            assert not can_be_realised(data)
            each = verdict.members.each()
            own = [features_of(data, j, gold_of(data, j)) for j, _, _ in each]
            others = []
            for j, places, names in each:
                path = list(gold_of(data, j))
                for t, k in zip(places, names, strict=True):
                    path[t] = k
                others.append(features_of(data, j, path))
            rows = np.array(own) - np.array(others)
            np.testing.assert_array_equal(np.array(verdict.weights, float) @ rows, 0.0)
            assert np.linalg.matrix_rank(rows) == len(each) - 1
            sizes.add(len(each))
    assert max(sizes) > 1


@pytest.mark.parametrize("max_passes", [0, 40])
def test_a_conflict_without_twins(max_passes):
    data = written_data([[[0, 1]], [[1, 2]], [[0, 2]], [[0, 1, 2]], [[3]]], [[0], [0], [0], [1], [1]], 4)
    assert twins(data) is None
    verdict = realize(data, max_passes=max_passes)
    assert verdict.weights == (1, 1, 1, 2)
    assert verdict.sequences.tolist() == [0, 1, 2, 3]
    assert verdict.verify(data).holds
    assert not verdict._replace(weights=(1, 1, 1, 3)).verify(data).holds


def test_twin_tokens_are_named():
    data = written_data([[[0], [1, 2], [0]], [[3], [0], [2, 1], [0]]], [[0, 1, 0], [1, 0, 0, 0]], 4)
    found = twins(data)
    assert found.verify(data).holds
    assert found.weights == (1, 1)
    assert found.listed(lambda j, t: f"text.txt:{10 * j + t}", lambda j, t: "w") == [
        "1 x: text.txt:1 (w) as A",
        "1 x: text.txt:12 (w) as B",
    ]
    assert realize(data).to_json() == found.to_json()
    assert realize(data, time_limit=0).to_json() == found.to_json()


def test_twin_segments_and_whole_sequences():
    segments = written_data([[[0], [1], [2], [0]], [[0], [1], [2], [0]]], [[0, 1, 2, 0], [0, 2, 1, 0]], 3)
    found = twins(segments)
    assert found.verify(segments).holds
    assert [place for _, place, _ in found.members.each()] == [(1, 2), (1, 2)]
    tokens = [[k] for k in range(10)]
    whole = written_data([tokens, tokens], [[0, 1] * 5, [1, 0] * 5], 10)
    found = twins(whole)
    assert found.verify(whole).holds
    assert found.positions.size == 20


def test_no_twins_where_anything_differs():
    assert twins(written_data([[[0], [1], [0]], [[0], [2], [0]]], [[0, 1, 0], [0, 0, 0]], 3)) is None
    assert twins(written_data([[[0], [1], [0]], [[0], [1], [0]]], [[0, 1, 0], [0, 0, 1]], 2)) is not None
    values = drawn_data(n=6, with_values=True, n_dense=1, n_words=2)
    assert twins(values) is None


def test_one_label_is_always_right():
    data = written_data([[[0], [1]], [[0]]], [[0, 0], [0]], 2)
    verdict = realize(data)
    assert isinstance(verdict, Realization)
    assert verdict.margin == np.inf
    assert verdict.verify(data).holds
    assert from_sealed_json(json.loads(json.dumps(sealed_json(verdict), allow_nan=False))).verify(data).holds


def test_a_labelling_with_the_very_features_of_the_true_one():
    data = written_data([[[0], [1]], [[0]]], [[0, 1], [0]], 2)
    free = np.zeros((2, 2), np.bool_)  # attributes that no weight is for, and no transitions
    starts = np.zeros(3, np.int64)
    nothing = {"state_starts": starts, "state_labels": np.empty(0, np.int32), "is_free": free}
    data = data._replace(layout=data.layout._replace(**nothing))
    verdict = realize(data)
    assert verdict.weights == (1,)
    assert verdict.verify(data).holds
    assert "very features" in verdict.sentence()


def realised(**drawn):
    data = drawn_data(n=4, longest=3, n_words=15, **drawn)
    return data, realize(data)


@pytest.mark.parametrize("setting", [{}, {"with_values": True}])
@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("with_start", [False, True])
def test_mistakes_stay_below_their_bound(setting, averaged, with_start):
    data, verdict = realised(**setting)
    start = np.random.default_rng(0).integers(-2, 3, data.layout.size) if with_start else None
    order = "random" if averaged else "cyclic"
    run = sequence_perceptron(data, averaged=averaged, order=order, seed=3, start=start, max_passes=300)
    bound = sequence_mistake_bound(data, run, verdict)
    assert bound.counts == run.counts
    assert bound.mistakes <= bound.bound
    assert bound.b_low <= bound.b_high
    assert bound.radius_seen <= bound.radius
    assert bound.verify(data).holds
    assert bound.is_within(0.0) == (bound.errors == 0)
    rows = differences(data)
    smallest = scipy.optimize.minimize(
        lambda u: u @ u, verdict.point.weights, jac=lambda u: 2 * u, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda u: rows @ u - 1.0, "jac": lambda u: rows},
    )  # fmt: skip
    assert bound.b_low - 1e-6 <= np.sqrt(smallest.fun) <= bound.b_high + 1e-6


def test_lies_about_a_realisation_are_refused():
    data, verdict = realised()
    assert er.verify(verdict, data).holds
    for lie in (
        {"weights": np.zeros_like(verdict.weights)},
        {"weights": verdict.weights[:-1]},
        {"weights": verdict.weights.astype(float)},
        {"weights": verdict.weights + 2**60},
        {"margin": verdict.margin + 1.0},
        {"fingerprint": "0" * 32},
        {"layout": "0" * 32},
        {"n_sequences": 3},
    ):
        assert not verdict._replace(**lie).verify(data).holds
    other, _ = realised(seed=1)
    assert not verdict.verify(other).holds
    assert not verdict.verify(data._replace(gold=data.gold[::-1].copy())).holds


def test_lies_about_a_conflict_are_refused():
    data = written_data([[[0], [1, 2], [0]], [[3], [0], [2, 1], [0]]], [[0, 1, 0], [1, 0, 0, 0]], 4)
    verdict = twins(data)
    integers = exact_differences(data, verdict.members.each())
    assert integers.exponents
    for lie in (
        {"weights": (1, 2)},
        {"weights": (2, 2)},
        {"weights": (1, -1)},
        {"weights": (1,)},
        {"labels": verdict.labels[::-1].copy()},
        {"positions": verdict.positions + 9},
        {"positions": verdict.positions - 9},
        {"sequences": verdict.sequences + 5},
        {"change_starts": verdict.change_starts + 1},
        {"delta": 1e-300},
        {"is_enclosed": True},
    ):
        assert not verdict._replace(**lie).verify(data).holds


def test_undecided_says_why():
    data, _ = realised()
    none = realize(data, time_limit=0)
    assert none.is_separable is None
    assert "time limit" in none.reason
    stopped = realize(data, callback=lambda progress: True)
    assert "asked to stop" in stopped.reason
    with pytest.raises(TypeError, match=r"er\.chain_data"):
        realize([[1.0]], ["a"])


@pytest.mark.compiled
def test_machine_code_says_the_same():
    data, verdict = realised()
    assert verdict.verify(data).holds
    run = sequence_perceptron(data, max_passes=200)
    assert sequence_mistake_bound(data, run, verdict).verify(data).holds
    conflict = written_data([[[0, 1]], [[1, 2]], [[0, 2]], [[0, 1, 2]], [[3]]], [[0], [0], [0], [1], [1]], 4)
    assert realize(conflict, max_passes=5).weights == (1, 1, 1, 2)


def test_the_answer_of_a_bound_is_what_it_speaks_of():
    data, verdict = realised()
    run = sequence_perceptron(data, max_passes=200)
    bound = sequence_mistake_bound(data, run, verdict)
    assert bound.verify(data, ChainPoint(run.weights)).holds
    assert not bound.verify(data, ChainPoint(run.weights + 1.0)).holds
    short = sequence_mistake_bound(data, sequence_perceptron(data, max_passes=1), verdict)
    assert short.verify(data).holds
    assert short.errors > 0
    assert not short.is_within(1.0)
    assert "not" in short.words(1.0).shortfall


def test_a_search_gives_the_perceptron_up_where_it_gets_nowhere():
    data = written_data([[[0, 1]], [[1, 2]], [[0, 2]], [[0, 1, 2]], [[3]]], [[0], [0], [0], [1], [1]], 4)
    passes = []
    verdict = realize(data, callback=lambda progress: passes.append(progress.numbers.get("passes", 0.0)) and None)
    assert verdict.is_realisable is False
    assert max(passes) < 100.0

"""The structured perceptron against the same run by enumeration of all labelings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from empirisk.chains.chain_data import Masks
from empirisk.chains.perceptron import sequence_perceptron
from empirisk.chains.perceptron_runs.decoding import margin_and_rival
from empirisk.chains.perceptron_runs.status import SequencePerceptronStatus
from tests.chains.sentences import drawn_data, features_of, gold_of, lengths_of

SETTINGS = [
    {},
    {"states": "all", "n_labels": 2},
    {"transitions": "observed", "has_ends": False},
    {"with_values": True, "n_dense": 2},
]


def labelings(data, j):
    return itertools.product(range(data.n_labels), repeat=lengths_of(data)[j])


def realisable(**drawn):
    """Few words, each with a label of its own: the attribute of the word alone decides."""
    return drawn_data(n=4, n_words=40, longest=3, seed=3, **drawn)


@pytest.mark.parametrize("n_labels", [1, 2, 4])
def test_margin_and_rival_with_ties_and_masks(n_labels):
    rng = np.random.default_rng(n_labels)
    for _ in range(60):
        length = int(rng.integers(1, 5))
        scores = rng.integers(-1, 2, (length, n_labels)).astype(float)
        transitions = rng.integers(-1, 2, (n_labels, n_labels)).astype(float)
        gold = rng.integers(0, n_labels, length).astype(np.int32)
        forbidden = rng.random((n_labels, n_labels)) < 0.2
        forbidden[gold[:-1], gold[1:]] = False
        transitions[forbidden] = -math.inf

        def score(path, scores=scores, transitions=transitions):
            pairs = sum(transitions[a, b] for a, b in itertools.pairwise(path))
            return sum(scores[t, k] for t, k in enumerate(path)) + pairs

        path = np.zeros(length, np.int32)
        margin = margin_and_rival(scores, transitions, gold, np.empty((length, n_labels)), path)
        every = itertools.product(range(n_labels), repeat=length)
        others = [score(s) for s in every if s != tuple(gold)]
        assert margin == score(gold) - max(others, default=-math.inf)
        if margin < math.inf:
            assert tuple(path) != tuple(gold)
            assert score(path) == score(gold) - margin


def rival_of(data, u, j):
    """The best other labelling and its margin, by all labelings; ties as the run has them."""
    gold = gold_of(data, j)
    own, best = features_of(data, j, gold) @ u, None
    for path in labelings(data, j):
        if path != gold:
            place = max(t for t, (a, b) in enumerate(zip(path, gold, strict=True)) if a != b)
            key = round(own - features_of(data, j, path) @ u, 9), -place, path[place::-1]
            best = min(best or (key, path), (key, path))
    return (best[0][0], best[1]) if best else (math.inf, gold)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_run_is_that_of_the_definition(setting):
    data = drawn_data(n=6, longest=3, **setting)
    run = sequence_perceptron(data, max_passes=3)
    u, total, mistakes, radius = np.zeros(data.layout.size), np.zeros(data.layout.size), 0, 0.0
    for visit in range(run.counts.visits):
        j = visit % data.n_sequences
        margin, rival = rival_of(data, u, j)
        if margin <= 0.0:
            step = features_of(data, j, gold_of(data, j)) - features_of(data, j, rival)
            u, mistakes, radius = u + step, mistakes + 1, max(radius, float(np.linalg.norm(step)))
        total += u
    assert run.mistakes == mistakes > 0
    np.testing.assert_allclose(run.last, u, atol=1e-12)
    np.testing.assert_allclose(run.weights, total / run.counts.visits, atol=1e-12)
    assert radius <= run.radius_seen <= radius + 1e-9


@pytest.mark.parametrize("order", ["cyclic", "random"])
@pytest.mark.parametrize("with_values", [False, True])
def test_it_ends_when_every_sequence_is_right(order, with_values):
    data = realisable(with_values=with_values)
    run = sequence_perceptron(data, order=order, seed=5, max_passes=200, averaged=False)
    assert run.status is SequencePerceptronStatus.RIGHT
    assert run.is_realised
    assert run.mistakes < run.counts.visits < 200 * data.n_sequences
    assert all(rival_of(data, run.weights, j)[0] > 0.0 for j in range(data.n_sequences))
    if not with_values:
        assert np.array_equal(run.weights, np.round(run.weights))
    mean = sequence_perceptron(data, order=order, seed=5, max_passes=200)
    np.testing.assert_array_equal(mean.last, run.weights)
    wrong = sum(rival_of(data, mean.weights, j)[0] <= 0.0 for j in range(data.n_sequences))
    assert mean.status.is_right == (wrong == 0)


def test_twins_are_never_right_and_the_budget_ends_the_run():
    run = sequence_perceptron(drawn_data(), max_passes=2)
    assert run.status is SequencePerceptronStatus.PASS_LIMIT
    assert not run.is_realised
    assert run.passes == 2.0
    assert f"{run.mistakes} mistakes" in run.sentence()
    none = sequence_perceptron(drawn_data(), time_limit=0)
    assert none.status is SequencePerceptronStatus.TIME_LIMIT
    assert not np.any(none.weights)


def test_a_callback_hears_of_each_pass_and_stops_the_run():
    heard = []

    def tell(progress):
        heard.append((progress.passes, progress.mistakes, progress.wrong, progress.answer()))
        return len(heard) == 2

    run = sequence_perceptron(drawn_data(), callback=tell)
    assert run.status is SequencePerceptronStatus.CALLBACK
    assert [passes for passes, *_ in heard] == [1.0, 2.0]
    assert heard[0][1] + heard[1][2] == run.mistakes
    np.testing.assert_array_equal(heard[1][3], run.weights)
    assert not np.array_equal(heard[0][3], run.weights)


def test_interrupted_it_keeps_what_it_has():
    asked = []
    run = sequence_perceptron(
        drawn_data(), callback=lambda progress: False, stop=lambda: asked.append(0) or len(asked) >= 2
    )
    assert run.status is SequencePerceptronStatus.INTERRUPTED
    np.testing.assert_array_equal(run.weights, sequence_perceptron(drawn_data(), max_passes=2).weights)


def test_forbidden_labelings_are_no_rivals():
    n_labels = 3
    data = realisable(n_labels=n_labels)
    between = np.full((n_labels, n_labels), -math.inf)
    inner = np.setdiff1d(np.arange(data.gold.size), data.sequences.starts)
    between[data.gold[inner - 1], data.gold[inner]] = 0.0
    some = data._replace(masks=Masks(between, np.zeros(n_labels), np.zeros(n_labels)))
    assert sequence_perceptron(some, max_passes=100).mistakes <= sequence_perceptron(data, max_passes=100).mistakes


def test_a_start_goes_on_where_a_run_was():
    data = drawn_data()
    whole = sequence_perceptron(data, averaged=False, max_passes=3)
    first = sequence_perceptron(data, averaged=False, max_passes=2)
    rest = sequence_perceptron(data, averaged=False, max_passes=1, start=first.last)
    np.testing.assert_array_equal(rest.last, whole.last)
    assert first.mistakes + rest.mistakes == whole.mistakes


def test_what_is_refused():
    data = drawn_data()
    with pytest.raises(ValueError, match="finite weights"):
        sequence_perceptron(data, start=np.zeros(3))
    with pytest.raises(ValueError, match="takes no weights"):
        sequence_perceptron(drawn_data(weights=np.ones(12)))
    with pytest.raises(ValueError, match="order"):
        sequence_perceptron(data, order="best")


@pytest.mark.compiled
def test_machine_code_runs_as_python_does():
    data = drawn_data(n=5, longest=3)
    run = sequence_perceptron(data, max_passes=2)
    u = np.zeros(data.layout.size)
    for visit in range(run.counts.visits):
        margin, rival = rival_of(data, u, visit % data.n_sequences)
        if margin <= 0.0:
            j = visit % data.n_sequences
            u += features_of(data, j, gold_of(data, j)) - features_of(data, j, rival)
    np.testing.assert_array_equal(run.last, u)

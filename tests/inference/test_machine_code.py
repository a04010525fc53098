"""Kernels that have no test of their own as machine code, against all labelings of one chain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from empirisk.inference.augmentation import add_costs, best_with_sequence_cost
from empirisk.inference.entropy import entropy
from empirisk.inference.forward_backward import log_probability
from empirisk.inference.masks import force_labels
from empirisk.inference.schemes import first_break, scheme_mask
from empirisk.inference.transition_factors import transition_factors
from empirisk.inference.viterbi import best_path
from tests.inference.brute_force import best, labelings, probabilities, score
from tests.inference.test_k_best import listed

pytestmark = pytest.mark.compiled
N_TOKENS, N_LABELS = 4, 3
GOLD = np.array([2, 0, 1, 1], dtype=np.int32)


@pytest.fixture
def chain():
    rng = np.random.default_rng(5)
    scores, transitions = rng.normal(size=(N_TOKENS, N_LABELS)), rng.normal(size=(N_LABELS, N_LABELS))
    transitions[2, 1] = -math.inf
    return scores, transitions


def tables():
    return np.empty((N_TOKENS, N_LABELS)), np.empty((N_TOKENS, N_LABELS))


def test_k_best(chain):
    scored = [(path, score(*chain, path)) for path in labelings(N_TOKENS, N_LABELS)]
    allowed = [pair for pair in scored if pair[1] > -math.inf]
    assert listed(*chain, 100) == sorted(allowed, key=lambda pair: -pair[1])


def test_costs_and_masks(chain):
    scores, transitions = chain
    costs, path = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 1.0, 0.0]]), np.empty(N_TOKENS, dtype=np.int32)
    augmented = scores.copy()
    add_costs(augmented, GOLD, costs, 0.5)
    np.testing.assert_array_equal(augmented, scores + 0.5 * costs[GOLD])
    force_labels(augmented, np.array([-1, 2, -1, 0], dtype=np.int32))
    value, first = best(augmented, transitions)
    assert best_path(augmented, transitions, tables()[0], path) == value
    assert tuple(path) == first
    assert (path[1], path[3]) == (2, 0)


@pytest.mark.parametrize("cost", [0.25, 100.0])
def test_the_cost_of_a_whole_labelling(chain, cost):
    values = {path: cost * (path != tuple(GOLD)) + score(*chain, path) for path in labelings(N_TOKENS, N_LABELS)}
    path = np.empty(N_TOKENS, dtype=np.int32)
    value = best_with_sequence_cost(*chain, GOLD, cost, tables()[0], np.empty(N_TOKENS), path)
    assert value == max(values.values()) == values[tuple(path)]


@pytest.mark.parametrize("room", [600.0, -1.0])
def test_entropy_and_the_probability_of_a_labelling(chain, room):
    scores, transitions = chain
    steps = transition_factors(transitions)._replace(room=room)
    _, shares = probabilities(*chain)
    found = entropy(scores, steps, np.empty_like(scores), np.zeros_like(transitions), *tables())
    assert found == pytest.approx(-sum(share * math.log(share) for _, share in shares if share > 0.0), rel=1e-12)
    logs = dict(shares)
    assert log_probability(scores, steps, GOLD, *tables()) == pytest.approx(math.log(logs[tuple(GOLD)]), rel=1e-12)


def test_the_first_place_that_breaks_a_scheme():
    mask = scheme_mask(["B-X", "I-X", "O"], "iob2")
    assert first_break(np.array([2, 0, 1, 2], dtype=np.int32), *mask) == -1
    assert first_break(np.array([2, 0, 2, 1], dtype=np.int32), *mask) == 3

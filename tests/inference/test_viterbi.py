from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.viterbi import best_path, score_of
from tests.inference.brute_force import best, chains, score


def decoded(scores, transitions):
    path = np.full(len(scores), -1, dtype=np.int32)
    return best_path(scores, transitions, np.empty_like(scores), path), path


@given(chain=chains())
def test_the_best_of_all_labelings_and_the_first_of_those_that_are_tied(chain):
    expected, path = best(*chain)
    value, found = decoded(*chain)
    assert value == expected
    assert path is None or tuple(found) == path
    assert score_of(*chain, found) == score(*chain, found)
    assert path is not None or value == -math.inf


@given(chain=chains(st.floats(-1e150, 1e150)))
def test_the_value_is_the_score_of_the_path_to_the_last_bit(chain):
    value, found = decoded(*chain)
    assert value == best(*chain)[0]
    assert score_of(*chain, found) == value


@pytest.mark.compiled
@pytest.mark.parametrize("n_labels", [1, 3, 4, 6])
def test_machine_code_finds_the_same(n_labels):
    rng = np.random.default_rng(n_labels)
    scores, transitions = rng.normal(size=(4, n_labels)), rng.integers(-1, 2, (n_labels, n_labels)) / 2.0
    if n_labels > 1:
        scores[1, 0] = transitions[1, 0] = -math.inf
    expected, path = best(scores, transitions)
    value, found = decoded(scores, transitions)
    assert value == expected == score_of(scores, transitions, found)
    assert tuple(found) == path


@pytest.mark.compiled
def test_a_hundred_thousand_tokens():
    gold = np.random.default_rng(0).integers(0, 3, 100_000)
    value, found = decoded(np.eye(3)[gold], np.zeros((3, 3)))
    assert value == 100_000.0
    assert np.array_equal(found, gold)

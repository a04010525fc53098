from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.best_other import best_other
from empirisk.inference.viterbi import score_of
from tests.inference.brute_force import best, chains, labelings


def decoded(scores, transitions, gold):
    path, gold_forward = np.zeros(len(scores), dtype=np.int32), np.empty(len(scores))
    golds = np.array(gold, dtype=np.int32)
    value = best_other(scores, transitions, golds, np.empty_like(scores), gold_forward, path)
    return value, path, gold_forward[-1]


@given(chain=chains(), data=st.data())
def test_the_best_of_all_labelings_but_one(chain, data):
    n_tokens, n_labels = chain[0].shape
    labels = st.lists(st.integers(0, n_labels - 1), min_size=n_tokens, max_size=n_tokens)
    gold = tuple(data.draw(labels))
    expected, first = best(*chain, among=lambda path: path != gold)
    value, path, own = decoded(*chain, gold)
    assert value == expected
    assert own == score_of(*chain, np.array(gold))
    assert first is None or tuple(path) == first
    assert (first is None) == (value == -math.inf)


@given(chain=chains(st.floats(-1e150, 1e150)), data=st.data())
def test_numbers_that_are_rounded_leave_it_one_of_the_best(chain, data):
    n_tokens, n_labels = chain[0].shape
    gold = tuple(data.draw(st.lists(st.integers(0, n_labels - 1), min_size=n_tokens, max_size=n_tokens)))
    value, path, _ = decoded(*chain, gold)
    expected, first = best(*chain, among=lambda other: other != gold)
    assert value == expected
    assert first is None or (tuple(path) != gold and score_of(*chain, path) == value)


@pytest.mark.compiled
@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("n_tokens", [1, 4])
def test_machine_code_finds_the_same(n_labels, n_tokens):
    rng = np.random.default_rng(n_labels)
    scores, transitions = rng.integers(0, 2, (n_tokens, n_labels)) + 0.0, rng.integers(0, 2, (n_labels, n_labels)) + 0.0
    for gold in labelings(n_tokens, n_labels):
        expected, first = best(scores, transitions, among=lambda path, gold=gold: path != gold)
        value, path, _ = decoded(scores, transitions, gold)
        assert (value, tuple(path)) == (expected, first)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.augmentation import add_costs, best_with_sequence_cost
from empirisk.inference.viterbi import best_path
from tests.inference.brute_force import chains, labelings, score


def drawn_gold(data, scores):
    n_tokens, n_labels = scores.shape
    return tuple(data.draw(st.lists(st.integers(0, n_labels - 1), min_size=n_tokens, max_size=n_tokens)))


@given(chain=chains(), data=st.data(), is_mean=st.booleans(), is_hamming=st.booleans())
def test_costs_of_tokens_are_part_of_the_scores(chain, data, is_mean, is_hamming):
    scores, transitions = chain
    n_tokens, n_labels = scores.shape
    gold = drawn_gold(data, scores)
    costs = 1.0 - np.eye(n_labels)
    if not is_hamming:
        costs *= np.arange(n_labels * n_labels).reshape(n_labels, n_labels) % 5
    factor = 1.0 / n_tokens if is_mean else 1.0
    expected = max(
        factor * sum(costs[pair] for pair in zip(gold, path, strict=True)) + score(scores, transitions, path)
        for path in labelings(n_tokens, n_labels)
    )
    augmented, path = scores.copy(), np.empty(n_tokens, dtype=np.int32)
    add_costs(augmented, np.array(gold, dtype=np.int32), costs, factor)
    assert best_path(augmented, transitions, np.empty_like(scores), path) == pytest.approx(expected, abs=1e-12)


@given(chain=chains(), data=st.data(), cost=st.sampled_from([0.5, 1.0, 3.0]))
def test_the_cost_of_a_whole_labelling(chain, data, cost):
    scores, transitions = chain
    gold = drawn_gold(data, scores)
    values = {path: cost * (path != gold) + score(*chain, path) for path in labelings(*scores.shape)}
    path, gold_forward = np.empty(len(scores), dtype=np.int32), np.empty(len(scores))
    golds = np.array(gold, dtype=np.int32)
    value = best_with_sequence_cost(scores, transitions, golds, cost, np.empty_like(scores), gold_forward, path)
    assert value == max(values.values())
    assert values[tuple(path)] == value
    assert tuple(path) == gold or value > values[gold]

"""The weights of relative frequencies: the logarithms of the tables, and the same labelings where pairs are missing."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from empirisk.chains.generative import generative_weights
from empirisk.chains.generative.counts import counts_of
from empirisk.designs.indicators import indicators
from empirisk.protocols import Unsupported
from tests.chains.sentences import drawn_data, features_of, gold_of, lengths_of


def rows_of(data, t):
    X = data.sequences.attributes
    return [(int(X.column_at(t, k)), float(X.entry_at(t, k))) for k in range(int(X.row_size(t)))]


def slow_log_probability(data, a, j, path):
    """log p(x_j, path), every count taken anew."""
    K, A = data.n_labels, data.layout.n_attributes
    share = data.weights if data.weights.size else np.ones(data.n_sequences)
    emitted, follow, first = np.full((A, K), a), np.full((K, K), a), np.full(K, a)
    for i in range(data.n_sequences):
        gold = gold_of(data, i)
        first[gold[0]] += share[i]
        for t, label in enumerate(gold):
            for column, x in rows_of(data, int(data.sequences.starts[i]) + t):
                emitted[column, label] += share[i] * x
            if t:
                follow[gold[t - 1], label] += share[i]
    emitted, follow, first = emitted / emitted.sum(0), follow / follow.sum(1, keepdims=True), first / first.sum()
    total = math.log(first[path[0]])
    for t, label in enumerate(path):
        total += sum(
            x * math.log(emitted[column, label]) for column, x in rows_of(data, int(data.sequences.starts[j]) + t)
        )
        total += math.log(follow[path[t - 1], label]) if t else 0.0
    return total


def labelings(data, j):
    return itertools.product(range(data.n_labels), repeat=lengths_of(data)[j])


def with_two_attributes(data):
    """The same, with the first two attributes of each token: as many everywhere."""
    X = data.sequences.attributes
    rows = [[int(X.column_at(t, k)) for k in range(2)] for t in range(data.sequences.n_tokens)]
    kept = indicators(np.array(rows, np.uint32).ravel(), 2 * np.arange(len(rows) + 1), X.n_columns())
    return data._replace(sequences=data.sequences._replace(attributes=kept))


@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 0.0, 2.0]])
def test_a_score_is_the_logarithm_of_a_probability(weights):
    data = drawn_data(n=4, longest=3, states="all", weights=weights)
    u = generative_weights(data, 0.5)
    for j in range(4):
        for path in labelings(data, j):
            assert features_of(data, j, path) @ u == pytest.approx(slow_log_probability(data, 0.5, j, path))


def test_without_all_pairs_the_labelings_have_the_same_probabilities():
    data = with_two_attributes(drawn_data(n=6, longest=4, seed=2))
    assert data.layout.state_labels.size < data.n_labels * data.layout.n_attributes
    u = generative_weights(data, 0.3)
    for j in range(6):
        wanted = np.array([slow_log_probability(data, 0.3, j, path) for path in labelings(data, j)])
        scores = np.array([features_of(data, j, path) @ u for path in labelings(data, j)])
        np.testing.assert_allclose(scores - scores[0], wanted - wanted[0], atol=1e-10)


def test_transitions_without_a_weight_share_one_probability():
    data = with_two_attributes(drawn_data(n=4, longest=4, seed=2, transitions="observed"))
    is_free = data.layout.is_free
    assert not is_free.all()
    whole = data._replace(layout=data.layout._replace(is_free=np.ones_like(is_free)))
    u, v = (generative_weights(one, 0.3) for one in (data, whole))
    moved = data.layout.parts(v).transitions - data.layout.parts(u).transitions
    assert np.ptp(moved[is_free]) < 1e-12
    assert np.mean(moved[~is_free]) == pytest.approx(moved[is_free][0])
    assert not data.layout.parts(u).transitions[~is_free].any()


def test_values_of_attributes_are_counted_as_often():
    data = drawn_data(n=3, longest=3, states="all", with_values=True)
    with pytest.raises(ValueError, match="negative values cannot be counted"):
        generative_weights(data)
    attributes = data.sequences.attributes
    attributes = attributes._replace(values=np.abs(attributes.values))
    data = data._replace(sequences=data.sequences._replace(attributes=attributes))
    u = generative_weights(data, 1.0)
    for path in labelings(data, 1):
        assert features_of(data, 1, path) @ u == pytest.approx(slow_log_probability(data, 1.0, 1, path))


def test_counts_of_whole_numbers_are_exact():
    data = drawn_data(n=30, seed=5)
    counts = counts_of(data)
    assert all(
        Fraction(float(x)).denominator == 1 for x in np.concatenate([counts.states, counts.first, counts.labels])
    )
    assert counts.first.sum() + counts.transitions.sum() == data.sequences.n_tokens
    assert counts.accuracy < 1e-14


def test_what_cannot_be_counted_is_refused():
    data = drawn_data(n=4)
    with pytest.raises(Unsupported, match="smoothing=0 gives what never occurred the logarithm -inf"):
        generative_weights(data, 0.0)
    with pytest.raises(ValueError, match="smoothing must be a finite number >= 0"):
        generative_weights(data, -1.0)
    u = generative_weights(drawn_data(n=4, states="all"), 0.0)
    assert np.isneginf(u).any()
    assert not np.isnan(u).any()

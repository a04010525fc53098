"""Sequences one after the other, and views of some."""

import numpy as np

from empirisk.chains.sequences import Sequences
from empirisk.designs import indicators


def three():
    attributes = indicators(np.array([0, 1, 2, 0, 1, 1], np.uint32), np.array([0, 2, 3, 3, 5, 6]), 3)
    return Sequences(attributes, np.arange(10.0).reshape(5, 2), np.array([0, 2, 3, 5]))


def test_counts():
    assert (three().n_sequences, three().n_tokens, three().longest) == (3, 5, 2)
    assert three().between(1, 1).longest == 0


def test_some_of_them_are_a_view():
    whole = three()
    some = whole.between(1, 3)
    assert (some.n_sequences, some.n_tokens) == (2, 3)
    np.testing.assert_array_equal(some.starts, [0, 1, 3])
    np.testing.assert_array_equal(some.dense, whole.dense[2:])
    assert np.shares_memory(some.dense, whole.dense)
    assert np.shares_memory(some.attributes.indices, whole.attributes.indices)
    assert [some.attributes.row_size(t) for t in range(3)] == [0, 2, 1]
    assert [int(some.attributes.column_at(1, k)) for k in range(2)] == [0, 1]

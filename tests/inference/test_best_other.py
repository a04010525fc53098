from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.best_other import best_other
from empirisk.inference.viterbi import score_of
from tests.inference.brute_force import best, chains


@given(chain=chains(), data=st.data())
def test_the_best_of_all_labelings_but_one(chain, data):
    n_tokens, n_labels = chain[0].shape
    labels = st.lists(st.integers(0, n_labels - 1), min_size=n_tokens, max_size=n_tokens)
    gold = tuple(data.draw(labels))
    expected, first = best(*chain, among=lambda path: path != gold)
    path, gold_forward = np.zeros(n_tokens, dtype=np.int32), np.empty(n_tokens)
    golds = np.array(gold, dtype=np.int32)
    value = best_other(*chain, golds, np.empty_like(chain[0]), gold_forward, path)
    assert value == expected
    assert gold_forward[-1] == score_of(*chain, golds)
    assert first is None or tuple(path) == first
    assert (first is None) == (value == -math.inf)

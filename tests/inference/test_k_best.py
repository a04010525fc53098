from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.k_best import k_best
from tests.inference.brute_force import chains, labelings, score


def listed(scores, transitions, k):
    n_tokens, n_labels = scores.shape
    values, paths = np.empty(k), np.empty((k, n_tokens), dtype=np.int32)
    forward, before = np.empty((n_tokens, n_labels, k)), np.empty((n_tokens, n_labels, k), dtype=np.int32)
    found = k_best(scores, transitions, values, paths, forward, before, np.empty(n_labels, dtype=np.int32))
    return list(zip(map(tuple, paths[:found].tolist()), values[:found].tolist(), strict=True))


@given(chain=chains(), k=st.integers(1, 80))
def test_the_best_are_all_different_in_order_and_ties_in_the_order_of_best_path(chain, k):
    scored = [(path, score(*chain, path)) for path in labelings(*chain[0].shape)]
    allowed = [pair for pair in scored if pair[1] > -math.inf]
    assert listed(*chain, k) == sorted(allowed, key=lambda pair: -pair[1])[:k]  # sorted() keeps the order of ties

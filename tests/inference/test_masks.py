from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.masks import force_labels
from empirisk.inference.viterbi import best_path
from tests.inference.brute_force import best, chains


@given(chain=chains(), data=st.data())
def test_what_is_known_is_kept(chain, data):
    scores, transitions = chain
    n_tokens, n_labels = scores.shape
    known = data.draw(st.lists(st.integers(-1, n_labels - 1), min_size=n_tokens, max_size=n_tokens))
    value, first = best(*chain, among=lambda path: all(k in (-1, label) for k, label in zip(known, path, strict=True)))
    forced, path = scores.copy(), np.empty(n_tokens, dtype=np.int32)
    force_labels(forced, np.array(known, dtype=np.int32))
    assert best_path(forced, transitions, np.empty_like(scores), path) == value
    assert first is None or tuple(path) == first
    assert first is not None or value == -math.inf

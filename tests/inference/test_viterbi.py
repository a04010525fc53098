from __future__ import annotations

import math

import numpy as np
from hypothesis import given

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

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.forward_backward import forward_backward, log_partition, pair_marginals
from empirisk.inference.transition_factors import transition_factors
from tests.inference.brute_force import chains, marginals

FORMS = {"products": lambda steps: steps, "log space": lambda steps: steps._replace(room=-1.0)}


@pytest.mark.parametrize("form", FORMS)
@given(chain=st.one_of(chains(), chains(st.floats(-500.0, 500.0)), chains(st.floats(-1e150, 1e150))))
def test_sums_are_those_over_all_labelings(form, chain):
    scores, transitions = chain
    steps = FORMS[form](transition_factors(transitions))
    log_z, labels, pairs = marginals(*chain)
    room, found = np.empty_like(scores), np.empty_like(scores)
    n_labels = len(transitions)
    expected = np.ones((n_labels, n_labels))
    every = np.empty((len(scores) - 1, n_labels, n_labels))
    close = {"rel": 1e-12, "abs": 1e-12 * np.abs(scores[scores > -math.inf]).max(initial=1.0)}
    assert log_partition(scores, steps, room, found) == pytest.approx(log_z, **close)
    assert forward_backward(scores, steps, 0.5, found, expected, room) == pytest.approx(log_z, **close)
    if log_z == -math.inf:
        assert np.all(expected == 1.0)
        return
    np.testing.assert_allclose(found, labels, atol=1e-11)
    np.testing.assert_allclose(expected - 1.0, 0.5 * pairs.sum(axis=0), atol=1e-11)
    assert pair_marginals(scores, steps, found, every, room) == pytest.approx(log_z, **close)
    np.testing.assert_allclose(found, labels, atol=1e-11)
    np.testing.assert_allclose(every, pairs, atol=1e-11)

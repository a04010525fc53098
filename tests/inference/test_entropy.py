from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.entropy import entropy
from empirisk.inference.transition_factors import transition_factors
from tests.inference.brute_force import chains, probabilities
from tests.inference.test_forward_backward import FORMS


@pytest.mark.parametrize("form", FORMS)
@given(chain=st.one_of(chains(), chains(st.floats(-200.0, 200.0))))
def test_the_entropy_is_the_sum_over_all_labelings(form, chain):
    scores, transitions = chain
    _, shares = probabilities(*chain)
    steps = FORMS[form](transition_factors(transitions))
    marginals, forward, ratios = (np.empty_like(scores) for _ in range(3))
    found = entropy(scores, steps, marginals, np.zeros_like(transitions), forward, ratios)
    if shares:
        assert found == pytest.approx(-sum(share * math.log(share) for _, share in shares if share > 0.0), abs=1e-10)
    else:
        assert math.isnan(found)


@given(chain=chains(st.sampled_from([-1e150, -1.0, 0.0, 2.0, 1e150]), forbidden=False))
def test_scores_of_any_size_leave_an_entropy(chain):
    scores, transitions = chain
    tables = (np.empty_like(scores) for _ in range(2))
    found = entropy(scores, transition_factors(transitions), np.empty_like(scores), np.zeros_like(transitions), *tables)
    assert 0.0 <= found <= len(scores) * math.log(len(transitions)) + 1e-12

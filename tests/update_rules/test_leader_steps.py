"""Sums of a leader's coordinate over rounds that nothing asked for: those of the weights one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from empirisk.update_rules.leader_steps import leader_sums, leader_weight

pytestmark = pytest.mark.interpreted
BOXES = [(-math.inf, math.inf), (-0.5, 0.7), (0.1, 0.9), (-0.9, -0.2), (0.0, math.inf)]
STRENGTHS = st.one_of(st.just(0.0), st.floats(1e-12, 10.0))


@given(
    v=st.floats(-100.0, 100.0),
    h=st.floats(1e-3, 1e3),
    l1=STRENGTHS,
    l2=STRENGTHS,
    box=st.sampled_from(BOXES),
    start=st.integers(0, 50),
    count=st.integers(1, 300),
)
def test_sums_are_those_of_the_weights(v, h, l1, l2, box, start, count):
    weights = np.array([leader_weight(v, h, float(k), l1, l2, *box) for k in range(start + 1, start + count + 1)])
    sizes, squares = leader_sums(v, h, float(start), float(count), l1, l2, *box, True)
    slack = 1e-10 * abs(v) / h  # where a weight is next to nothing, its digits are those of v
    assert sizes == pytest.approx(np.abs(weights).sum(), rel=1e-11, abs=slack)
    assert squares == pytest.approx((weights**2).sum(), rel=1e-11, abs=slack**2 + 1e-300)
    assert np.all(weights <= 0.0) or np.all(weights >= 0.0)


@pytest.mark.parametrize("box", BOXES[1:4])
@pytest.mark.parametrize("v", [-3.0, -0.2, 0.3, 2.0])
def test_the_weight_is_the_minimizer(v, box):
    def objective(w):
        return -v * w + 1.5 * w * w + 4.0 * (0.05 * abs(w) + 0.1 * w * w)

    found = minimize_scalar(objective, bounds=box, method="bounded", options={"xatol": 1e-12}).x
    assert leader_weight(v, 3.0, 4.0, 0.05, 0.2, *box) == pytest.approx(found, abs=1e-5)

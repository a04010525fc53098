"""Laws of the elastic net, zeros of either strength included."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.regularizers import ElasticNet

NETS = [ElasticNet(l1, l2) for l1 in (0.0, 0.7) for l2 in (0.0, 0.3, 5.0)]
STRONG = [net for net in NETS if net.l2 > 0]
vectors = st.lists(st.floats(-50, 50), min_size=1, max_size=4).map(np.array)


@pytest.mark.parametrize("net", NETS, ids=str)
@given(w=vectors, step=st.floats(1e-3, 1e3), nudge=st.floats(-1, 1))
def test_prox_is_optimal(net, w, step, nudge):
    best = np.empty_like(w)
    net.prox(w, step, best)

    def objective(x):
        return net.value(x) + np.sum((x - w) ** 2) / (2 * step)

    for j in range(w.size):
        other = best.copy()
        other[j] += nudge
        assert objective(best) <= objective(other) + 1e-9 * (1 + objective(other))


@pytest.mark.parametrize("net", STRONG, ids=str)
@given(v=vectors, w=vectors)
def test_fenchel_young_with_equality_at_the_maximizer(net, v, w):
    best = np.empty_like(v)
    net.maximizer(v, best)
    assert net.value(best) + net.conjugate(v) == pytest.approx(best @ v, rel=1e-10, abs=1e-12)
    size = min(v.size, w.size)
    assert net.value(w[:size]) + net.conjugate(v[:size]) >= w[:size] @ v[:size] - 1e-9 * (1 + abs(w[:size] @ v[:size]))


@pytest.mark.parametrize("net", STRONG, ids=str)
@given(w=vectors, step=st.floats(1e-3, 1e3))
def test_moreau_identity(net, w, step):
    """prox of Omega and of its conjugate add up: w = prox(w) + step * p, where p is a subgradient at prox(w)."""
    point, back = np.empty_like(w), np.empty_like(w)
    net.prox(w, step, point)
    p = (w - point) / step
    net.maximizer(p, back)
    np.testing.assert_allclose(back, point, rtol=1e-7, atol=1e-9 * (1 + 1 / step))


def test_conjugate_without_l2_is_an_indicator():
    net = ElasticNet(1.0, 0.0)
    assert net.conjugate(np.array([0.5, -1.0])) == 0.0
    assert net.conjugate(np.array([0.5, -1.1])) == math.inf
    assert ElasticNet(0.0, 0.5).strong_convexity() == 0.5

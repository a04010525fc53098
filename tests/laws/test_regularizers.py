"""Laws of the regularizers that stand alone: the elastic net and the group lasso, zeros of every strength included."""

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.capabilities import is_quadratic, offers
from empirisk.regularizers import ElasticNet, GroupLasso, NegativeEntropy, as_regularizer, group_lasso
from tests.laws.compiled_regularizers import assert_compiled_equals_interpreted

getcontext().prec = 60
D = 4
NETS = [ElasticNet(l1, l2) for l1 in (0.0, 0.7) for l2 in (0.0, 0.3, 5.0)]
GROUPS = [group_lasso([[2, 0], [1], [3]], s)._replace(l2=l2) for s in (0.0, 0.7) for l2 in (0.0, 0.3, 5.0)]
GROUPS += [group_lasso([[3, 1, 0, 2]], 0.5, factors=[1.0]), group_lasso([[0], [1, 2, 3]], 0.5, factors=[0.0, 2.0])]
ALL = NETS + GROUPS
STRONG = [net for net in ALL if net.l2 > 0]
WEAK = [net for net in ALL if net.l2 == 0]
vectors = st.lists(st.floats(-50, 50), min_size=D, max_size=D).map(np.array)


def named(net):
    return f"{type(net).__name__}-{net[0]}-{net.l2}-{len(net)}"


def called(method, *args):
    out = np.empty(D)
    method(*args, out)
    return out


@pytest.mark.parametrize("net", ALL, ids=named)
@given(w=vectors, step=st.floats(1e-3, 1e3), nudge=vectors)
def test_prox_is_optimal(net, w, step, nudge):
    best = called(net.prox, w, step)

    def objective(x):
        return net.value(x) + np.sum((x - w) ** 2) / (2 * step)

    for other in [*(best + np.diag(nudge)), best + nudge, best + 1e-3 * nudge, np.zeros(D), w]:
        assert objective(best) <= objective(other) + 1e-9 * (1 + objective(other))


@pytest.mark.parametrize("net", STRONG, ids=named)
@given(v=vectors, w=vectors)
def test_fenchel_young_with_equality_at_the_maximizer(net, v, w):
    best = called(net.maximizer, v)
    assert net.value(best) + net.conjugate(v) == pytest.approx(best @ v, rel=1e-10, abs=1e-12)
    assert net.value(w) + net.conjugate(v) >= w @ v - 1e-9 * (1 + abs(w @ v))
    if offers(net, "maximizer_coordinate"):
        each = [net.maximizer_coordinate(j, v[j]) for j in range(D)]
        np.testing.assert_allclose(each, best, rtol=1e-15)


@pytest.mark.parametrize("net", STRONG, ids=named)
@given(w=vectors, step=st.floats(1e-3, 1e3))
def test_moreau_identity(net, w, step):
    """prox of Omega and of its conjugate add up: w = prox(w) + step * p, where p is a subgradient at prox(w)."""
    point = called(net.prox, w, step)
    back = called(net.maximizer, (w - point) / step)
    np.testing.assert_allclose(back, point, rtol=1e-7, atol=1e-9 * (1 + 1 / step))


def exceeds(net, v, scale, error):
    """Whether scale v' leaves the domain of the conjugate for some v' within `error` of v, in exact arithmetic."""
    if isinstance(net, ElasticNet):
        sizes, limits = [abs(Decimal(x)) for x in v], [Decimal(net.l1)] * D
    else:
        groups = [net.members[a:b] for a, b in zip(net.starts, net.starts[1:], strict=False)]
        sizes = [sum(Decimal(v[j]) ** 2 for j in group).sqrt() for group in groups]
        limits = [Decimal(net.strength) * Decimal(factor) for factor in net.factors]
    return any(Decimal(scale) * (size + Decimal(error)) > limit for size, limit in zip(sizes, limits, strict=True))


@pytest.mark.parametrize("net", WEAK, ids=named)
@given(v=vectors, error=st.sampled_from([0.0, 1e-9, 3.0]), small=st.booleans())
def test_dual_scale_is_the_largest_that_stays_inside(net, v, error, small):
    v = v / 100 if small else v
    scale = net.dual_scale(v, error)
    assert 0.0 <= scale <= 1.0
    assert not exceeds(net, v, scale, error)
    if scale < 1.0:
        assert exceeds(net, v, scale * (1 + 1e-13) + 1e-300, error)
    assert math.isfinite(net.conjugate(scale * v / (1 + 1e-15)))


@pytest.mark.parametrize("net", WEAK, ids=named)
@given(v=vectors, other=vectors)
def test_nearest_dual_is_the_projection_on_the_domain(net, v, other):
    near, x = called(net.nearest_dual, v), called(net.nearest_dual, other)
    assert net.conjugate(near) == 0.0
    assert net.value(called(net.maximizer, near)) == 0.0
    assert (v - near) @ (x - near) <= 1e-12 * (1 + v @ v)
    if net.conjugate(v) == 0.0:
        np.testing.assert_array_equal(near, v)
    else:
        assert np.any(near != v)


@pytest.mark.parametrize("net", STRONG, ids=named)
@given(v=vectors)
def test_with_l2_every_dual_point_is_allowed(net, v):
    assert net.dual_scale(v, 1e3) == 1.0
    np.testing.assert_array_equal(called(net.nearest_dual, v), v)
    assert math.isfinite(net.conjugate(v))


@pytest.mark.parametrize("net", ALL, ids=named)
@given(w=vectors)
def test_growth_is_a_lower_bound(net, w):
    assert net.value(w) >= net.growth() * math.hypot(*w) * (1 - 1e-12)
    assert net.norm_bound() == math.inf
    assert net.strong_convexity() == net.l2


def test_growth_is_the_largest():
    assert ElasticNet(0.7, 0.0).value(np.eye(D)[1]) == ElasticNet(0.7, 0.0).growth()
    net = group_lasso([[2, 0], [1], [3]], 0.7)
    assert net.value(np.eye(D)[1]) == net.growth()


def test_conjugate_without_l2_is_an_indicator():
    net = ElasticNet(1.0, 0.0)
    assert net.conjugate(np.array([0.5, -1.0])) == 0.0
    assert net.conjugate(np.array([0.5, -1.1])) == math.inf
    grouped = group_lasso([[0, 1], [2]], 1.0, factors=[5.0, 1.0])
    assert grouped.conjugate(np.array([3.0, -4.0, 1.0])) == 0.0
    assert grouped.conjugate(np.array([3.0, -4.1, 1.0])) == math.inf


def test_groups_of_one_are_the_elastic_net():
    net, grouped = ElasticNet(0.7, 0.3), group_lasso([[0], [1], [2], [3]], 0.7)._replace(l2=0.3)
    v = np.array([-3.0, 0.2, 0.0, 9.0])
    assert grouped.value(v) == pytest.approx(net.value(v))
    assert grouped.conjugate(v) == pytest.approx(net.conjugate(v))
    np.testing.assert_allclose(called(grouped.prox, v, 0.4), called(net.prox, v, 0.4))


def test_only_l2_alone_is_quadratic():
    assert [is_quadratic(net) for net in NETS] == [net.l1 == 0.0 for net in NETS]
    assert not any(is_quadratic(net) for net in GROUPS)


@pytest.mark.parametrize("net", [ElasticNet(0.7, 0.0), ElasticNet(0.7, 0.3), GROUPS[3], GROUPS[4]], ids=named)
def test_compiled_equals_interpreted(net):
    for v in np.random.default_rng(0).normal(size=(5, D)):
        assert_compiled_equals_interpreted(net, v, rtol=1e-14)


def test_group_lasso_is_built_for_kernels():
    net = group_lasso(([4, 2], range(2)), 1)
    assert [net.members.tolist(), net.starts.tolist()] == [[4, 2, 0, 1], [0, 2, 4]]
    assert net.members.dtype == net.starts.dtype == np.int64
    assert type(net.strength) is float
    np.testing.assert_array_equal(net.factors, np.sqrt([2, 2]))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: group_lasso([], 1.0), ValueError, "none of them empty"),
        (lambda: group_lasso([[0], []], 1.0), ValueError, "none of them empty"),
        (lambda: group_lasso([0, 1], 1.0), ValueError, "lists of columns"),
        (lambda: group_lasso([[0.5], [1]], 1.0), ValueError, "numbers of columns"),
        (lambda: group_lasso([["a"], ["b"]], 1.0), ValueError, "numbers of columns"),
        (lambda: group_lasso([[0], [-1]], 1.0), ValueError, "counted from 0"),
        (lambda: group_lasso([[0, 3], [1, 3]], 1.0), ValueError, "column 3 is in more than one group"),
        (lambda: group_lasso([[0, 0], [1]], 1.0), ValueError, "column 0 is in more than one group, or twice"),
        (lambda: group_lasso([[0], [1]], -1.0), ValueError, "strength of a group lasso must be a finite number >= 0"),
        (lambda: group_lasso([[0], [1]], "1"), TypeError, "strength of a group lasso must be a number"),
        (lambda: group_lasso([[0], [1]], 1.0, factors=[1.0]), ValueError, "a factor for each group: 2"),
        (lambda: group_lasso([[0], [1]], 1.0, factors=[1.0, -1.0]), ValueError, "finite and >= 0"),
        (lambda: group_lasso([[0], [1]], 1.0, factors=["a", "b"]), TypeError, "must hold numbers"),
        (lambda: as_regularizer(GroupLasso(1.0, [0, 1], [0, 3], [1.0])), ValueError, "build a GroupLasso with"),
        (lambda: as_regularizer(NegativeEntropy(0.0)), ValueError, "must be positive"),
        (lambda: as_regularizer(NegativeEntropy(math.nan)), ValueError, "finite"),
        (lambda: as_regularizer("l1"), TypeError, "regularizer must be"),
    ],
)
def test_bad_regularizers_are_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()

"""Laws that every loss of a vector of scores obeys."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.capabilities import has_kinks, is_convex
from empirisk.compiled import adopt, kernel
from empirisk.losses import Hinge, Logistic, SquaredHinge
from empirisk.vector_losses import OneVersusRest, Softmax
from empirisk.vector_losses.softmax import _omega

SMOOTH = [Softmax(1.0), Softmax(2.5), OneVersusRest(Logistic(1.0)), OneVersusRest(SquaredHinge(2.5))]
ALL = [*SMOOTH, OneVersusRest(Hinge(1.0))]
K = 4

scores = st.lists(st.floats(-30.0, 30.0), min_size=K, max_size=K).map(np.array)
classes = st.integers(0, K - 1)


def gradient(loss, z, k):
    out = np.empty(z.size)
    value = loss.gradient(z, k, out)
    return value, out


@pytest.mark.parametrize("loss", ALL, ids=str)
@given(z=scores, a=scores, k=classes)
def test_gradient_is_a_subgradient_of_value(loss, z, a, k):
    value, g = gradient(loss, z, k)
    assert value == pytest.approx(loss.value(z, k), rel=1e-14)
    assert loss.value(a, k) >= value + g @ (a - z) - 1e-11 * (1 + abs(value) + np.abs(g * (a - z)).sum())


@pytest.mark.parametrize("loss", SMOOTH, ids=str)
@given(z=scores, k=classes)
def test_gradient_is_that_of_value(loss, z, k):
    step = 1e-6
    _, g = gradient(loss, z, k)
    for j in range(K):
        e = step * np.eye(K)[j]
        slope = (loss.value(z + e, k) - loss.value(z - e, k)) / (2 * step)
        assert g[j] == pytest.approx(slope, abs=1e-5 * (1 + loss.value(z, k)))


@pytest.mark.parametrize("loss", [Softmax(1.0), Softmax(2.5), OneVersusRest(Logistic(1.0))], ids=str)
@given(z=scores, a=scores, k=classes)
def test_hessian_product_is_the_change_of_the_gradient(loss, z, a, k):
    step = 1e-5
    c, product = np.empty(K), a.copy()
    loss.curvature(z, k, c)
    loss.hessian_product(c, product, product)
    change = (gradient(loss, z + step * a, k)[1] - gradient(loss, z - step * a, k)[1]) / (2 * step)
    np.testing.assert_allclose(product, change, atol=1e-4)
    assert product @ a <= loss.smoothness() * (a @ a) * (1 + 1e-12)
    assert product @ a >= -1e-12 * (a @ a)


@pytest.mark.parametrize("loss", ALL, ids=str)
@given(z=scores, a=scores, t=st.floats(0.0, 1.0), k=classes)
def test_convex_on_segments(loss, z, a, t, k):
    chord = t * loss.value(z, k) + (1 - t) * loss.value(a, k)
    assert loss.value(t * z + (1 - t) * a, k) <= chord + 1e-12 * (1 + abs(chord))


@pytest.mark.parametrize("loss", ALL, ids=str)
@given(z=scores, a=scores, k=classes)
def test_fenchel_young_with_equality_at_the_gradient(loss, z, a, k):
    value, u = gradient(loss, z, k)
    size = 1 + abs(value) + np.abs(u * z).sum() + np.abs(u).sum()
    assert value + loss.conjugate(u, k) == pytest.approx(u @ z, abs=1e-11 * size)
    wide = size + abs(loss.value(a, k)) + np.abs(u * a).sum()
    assert loss.value(a, k) + loss.conjugate(u, k) >= u @ a - 1e-11 * wide


def test_conjugate_is_infinite_outside_its_domain():
    for loss in ALL:
        assert loss.conjugate(np.zeros(K), 1) <= 0.0
        assert loss.conjugate(np.array([0.0, 0.2, 0.0, 0.0]), 1) == math.inf
    assert Softmax(1.0).conjugate(np.array([0.5, -0.4, 0.0, 0.0]), 1) == math.inf
    assert Softmax(1.0).conjugate(np.array([-0.1, 0.1, 0.0, 0.0]), 1) == math.inf


@pytest.mark.parametrize("loss", ALL, ids=str)
@given(z=scores, start=scores, other=scores, k=classes, q=st.floats(-6.0, 4.0).map(lambda e: 10.0**e))
def test_dual_step_is_optimal(loss, z, start, other, k, q):
    before = -gradient(loss, start, k)[1]
    if has_kinks(loss):
        before *= 0.5
    u = before.copy()
    loss.dual_step(u, z, k, q)

    def objective(t):
        return -loss.conjugate(-t, k) - z @ (t - before) - 0.5 * q * ((t - before) @ (t - before))

    reached = objective(u)
    room = 1e-7 * (1 + abs(reached) + np.abs(z * (u - before)).sum() + q * ((u - before) @ (u - before)))
    assert math.isfinite(reached)
    for rival in (before, -gradient(loss, z, k)[1], -gradient(loss, other, k)[1], 0.999 * u + 0.001 * before):
        assert reached >= objective(rival) - room


@pytest.mark.parametrize("loss", ALL, ids=str)
@pytest.mark.parametrize("size", [1e300, 1e160, 800.0, 1e-320])
def test_extreme_scores_give_no_nan(loss, size):
    for signs in ([1, -1, 1, -1], [-1, -1, -1, 1], [0, 0, 0, 0], [1, 1, 1, 1]):
        z = size * np.array(signs, dtype=float)
        for k in range(K):
            value, g = gradient(loss, z, k)
            assert not math.isnan(value)
            assert value >= 0.0
            assert np.all(np.isfinite(g))
            u = np.zeros(K)
            if size < 1e10:
                loss.dual_step(u, z, k, 0.5)
                assert math.isfinite(loss.conjugate(-u, k))
            if not has_kinks(loss):
                c = np.empty(K)
                loss.curvature(z, k, c)
                assert np.all(np.isfinite(c))


@given(x=st.floats(-700.0, 1e12))
def test_omega_solves_its_equation(x):
    y = _omega(x)
    assert y > 0.0
    assert y + math.log(y) == pytest.approx(x, abs=1e-7 * (1 + abs(x)))


def test_adding_a_number_to_all_scores_changes_no_softmax():
    z = np.array([0.3, -1.0, 2.0, 0.0])
    np.testing.assert_allclose(gradient(Softmax(1.0), z + 5.0, 2)[1], gradient(Softmax(1.0), z, 2)[1], rtol=1e-13)


def test_one_versus_rest_takes_its_nature_from_its_base():
    assert has_kinks(OneVersusRest(Hinge(1.0)))
    assert not has_kinks(OneVersusRest(Logistic(1.0)))
    assert is_convex(OneVersusRest(Hinge(1.0)))


def test_a_class_out_of_range_is_none_of_these():
    loss, z = OneVersusRest(Logistic(1.0)), np.array([0.3, -1.0])
    assert loss.value(z, -1) == pytest.approx(np.log1p(np.exp(z)).sum())
    assert loss.value(z, 5) == loss.value(z, -1)


@kernel
def everything(loss, z, k, q, out):
    out[0, 0] = loss.value(z, k)
    out[0, 1] = loss.gradient(z, k, out[1])
    out[0, 2] = loss.conjugate(out[1], k)
    for j in range(z.size):
        out[2, j] = -0.5 * out[1, j]
    loss.dual_step(out[2], z, k, q)


@kernel
def second_order(loss, z, k, out):
    loss.curvature(z, k, out[0])
    loss.hessian_product(out[0], z, out[1])


@pytest.mark.parametrize("loss", [Softmax(2.5), OneVersusRest(Logistic(1.0)), OneVersusRest(Hinge(1.0))], ids=str)
def test_compiled_equals_interpreted(loss):
    adopt(loss)
    if isinstance(loss, OneVersusRest):
        adopt(loss.base)
    rng = np.random.default_rng(0)
    for k in range(K):
        z = rng.normal(size=K) * 3.0
        out, plain = np.empty((3, K)), np.empty((3, K))
        everything(loss, z, k, 0.7, out)
        getattr(everything, "py_func", everything)(loss, z, k, 0.7, plain)
        np.testing.assert_allclose(out[0, :3], plain[0, :3], rtol=1e-12)
        np.testing.assert_allclose(out[1:], plain[1:], rtol=1e-9, atol=1e-12)
        if not has_kinks(loss):
            second_order(loss, z, k, out)
            getattr(second_order, "py_func", second_order)(loss, z, k, plain)
            np.testing.assert_allclose(out[:2], plain[:2], rtol=1e-12)

"""Laws that every loss of the registry obeys."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.compiled import adopt, kernel
from empirisk.losses import LOSSES, as_loss, loss_text
from empirisk.protocols import is_convex, is_smooth, name_of, offers, tasks_of

ALL = [cls(scale) for cls in LOSSES.values() for scale in (1.0, 2.5)]
CONVEX = [loss for loss in ALL if is_convex(loss)]
IDS = [f"{name_of(loss)}-{loss.scale}" for loss in ALL]
CONVEX_IDS = [f"{name_of(loss)}-{loss.scale}" for loss in CONVEX]

scores = st.floats(-30.0, 30.0)


def labels_of(loss):
    return (-1.0, 1.0) if "regression" not in tasks_of(loss) else (-1.0, 1.0, 0.3, -4.0)


@pytest.mark.parametrize("loss", CONVEX, ids=CONVEX_IDS)
@given(z=scores)
def test_derivative_is_that_of_value(loss, z):
    step = 1e-6
    for y in labels_of(loss):
        slope = (loss.value(z + step, y) - loss.value(z - step, y)) / (2 * step)
        low, high = sorted((loss.derivative(z - step, y), loss.derivative(z + step, y)))
        assert low - 1e-6 * (1 + abs(low)) <= slope <= high + 1e-6 * (1 + abs(high))


@pytest.mark.parametrize("loss", CONVEX, ids=CONVEX_IDS)
@given(a=scores, b=scores, t=st.floats(0.0, 1.0))
def test_convex_on_segments(loss, a, b, t):
    for y in labels_of(loss):
        chord = t * loss.value(a, y) + (1 - t) * loss.value(b, y)
        assert loss.value(t * a + (1 - t) * b, y) <= chord + 1e-12 * (1 + abs(chord))


@pytest.mark.parametrize("loss", CONVEX, ids=CONVEX_IDS)
@given(z=scores, other=scores)
def test_fenchel_young_with_equality_at_the_derivative(loss, z, other):
    for y in labels_of(loss):
        u = loss.derivative(z, y)
        scale = 1 + abs(loss.value(z, y)) + abs(u * z) + abs(u * y)
        assert loss.value(z, y) + loss.conjugate(u, y) == pytest.approx(u * z, abs=1e-12 * scale)
        wide = scale + abs(loss.value(other, y)) + abs(u * other)
        assert loss.value(other, y) + loss.conjugate(u, y) >= u * other - 1e-12 * wide


@pytest.mark.parametrize("loss", CONVEX, ids=CONVEX_IDS)
def test_conjugate_is_infinite_outside_its_domain(loss):
    for y in (-1.0, 1.0):
        inside = loss.derivative(0.0, y)
        assert math.isfinite(loss.conjugate(inside, y))
        assert math.isfinite(loss.conjugate(0.0, y))  # repairs scale towards zero
        if "regression" not in tasks_of(loss):
            assert loss.conjugate(0.1 * y, y) == math.inf


@pytest.mark.parametrize("loss", [x for x in CONVEX if is_smooth(x)], ids=str)
@given(a=scores, b=scores)
def test_declared_smoothness_holds(loss, a, b):
    for y in labels_of(loss):
        change = abs(loss.derivative(a, y) - loss.derivative(b, y))
        assert change <= loss.smoothness() * abs(a - b) * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize("loss", [x for x in CONVEX if offers(x, "second_derivative")], ids=str)
@given(z=scores)
def test_second_derivative_is_that_of_derivative(loss, z):
    step = 1e-5
    for y in labels_of(loss):
        if abs(y * z - 1.0) < 1e-4 and name_of(loss) == "squared_hinge":
            continue  # the jump
        slope = (loss.derivative(z + step, y) - loss.derivative(z - step, y)) / (2 * step)
        assert loss.second_derivative(z, y) == pytest.approx(slope, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("loss", [x for x in CONVEX if offers(x, "dual_step")], ids=str)
@given(z=st.floats(-20, 20), share=st.floats(0.0, 1.0), q=st.floats(1e-6, 1e6), nudge=st.floats(1e-6, 0.5))
def test_dual_step_is_optimal(loss, z, share, q, nudge):
    for y in (-1.0, 1.0):
        u = share * loss.scale * y
        best = loss.dual_step(u, z, y, q)

        def dual(t, u=u, y=y):
            return -loss.conjugate(-t, y) - z * (t - u) - q / 2 * (t - u) ** 2

        value = dual(best)
        assert math.isfinite(value)
        for other in (best + nudge, best - nudge, best * (1 - nudge), u, 0.0):
            assert dual(other) <= value + 1e-9 * (1 + abs(value))


@pytest.mark.parametrize("loss", ALL, ids=IDS)
@pytest.mark.parametrize("z", [1e300, -1e300, 1e160, -1e160, 0.0, 1e-320])
def test_extreme_scores_give_no_nan(loss, z):
    for y in (-1.0, 1.0):
        value = loss.value(z, y)
        assert not math.isnan(value)
        squares = name_of(loss) in ("squared", "squared_hinge")
        assert math.isfinite(value) or (squares and abs(z) >= 1e154)
        if offers(loss, "derivative"):
            assert math.isfinite(loss.derivative(z, y))


@pytest.mark.parametrize("loss", ALL, ids=IDS)
def test_compiled_equals_interpreted(loss):
    adopt(loss)
    rng = np.random.default_rng(0)
    z = np.concatenate([rng.normal(size=200) * 10, [0.0, 1.0, -1.0, 1e300, -1e300]])
    for y in (-1.0, 1.0):
        np.testing.assert_allclose(_values(loss, z, y), [loss.value(x, y) for x in z], rtol=4e-16, atol=0.0)
        if offers(loss, "derivative"):
            expected = [loss.derivative(x, y) for x in z]
            np.testing.assert_allclose(_derivatives(loss, z, y), expected, rtol=4e-16, atol=0.0)


@pytest.mark.parametrize("loss", ALL, ids=IDS)
def test_text_round_trip(loss):
    again = as_loss(loss_text(loss))
    assert type(again) is type(loss)
    assert tuple(again) == tuple(loss)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "one of 'logistic'"),
        ("logistic:scael=2", "no parameter 'scael'"),
        ("logistic:scale=two", "must be a number"),
        ("logistic:scale=-1", "positive"),
        ("logistic:scale=nan", "positive"),
    ],
)
def test_bad_texts_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        as_loss(text)


def test_zero_one_counts_points_on_the_plane():
    assert [as_loss("zero_one").value(z, 1.0) for z in (-1.0, 0.0, 1e-300)] == [1.0, 1.0, 0.0]


@kernel
def _values(loss, z, y):
    out = np.empty(z.size)
    for i in range(z.size):
        out[i] = loss.value(z[i], y)
    return out


@kernel
def _derivatives(loss, z, y):
    out = np.empty(z.size)
    for i in range(z.size):
        out[i] = loss.derivative(z[i], y)
    return out

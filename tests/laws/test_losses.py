"""Laws of the value and derivatives of every loss of the registry."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.capabilities import has_kinks, name_of, offers
from empirisk.compiled import adopt
from empirisk.losses import LOSSES, as_loss
from empirisk.losses.exp_concavity import exp_concavity
from empirisk.losses.laws.machine_code import run
from tests.laws.loss_cases import ALL, CONVEX, case_id, labels_of, those_with
from tests.laws.loss_formulas import FORMULAS, LONG

ULP = float(np.finfo(float).eps)
UNDERFLOW = 1e-300
scores = st.floats(-30.0, 30.0)

# Scores where the second derivative jumps.
JUMPS = {
    "squared_hinge": lambda loss, y: (y,),
    "smoothed_hinge": lambda loss, y: (y, y * (1 - loss.width)),
    "modified_huber": lambda loss, y: (y, -y),
    "huber": lambda loss, y: (y - loss.delta, y + loss.delta),
    "squared_epsilon_insensitive": lambda loss, y: (y - loss.epsilon, y + loss.epsilon),
}
OVERFLOWS = {"squared", "squared_hinge", "squared_epsilon_insensitive", "exponential", "poisson"}


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
@given(z=scores)
def test_derivative_is_that_of_value(loss, z):
    step = 1e-6
    for y in labels_of(loss):
        slope = (loss.value(z + step, y) - loss.value(z - step, y)) / (2 * step)
        low, high = sorted((loss.derivative(z - step, y), loss.derivative(z + step, y)))
        assert low - 1e-6 * (1 + abs(low)) <= slope <= high + 1e-6 * (1 + abs(high))


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
@given(z=scores)
def test_accurate_to_8_units_in_the_last_place(loss, z):
    formula, conjugate = FORMULAS[name_of(loss)]
    for y in labels_of(loss):
        value, derivative = (LONG(loss.scale) * part for part in formula(loss, LONG(z), LONG(y)))
        u = loss.derivative(z, y)
        # An error of the score itself is the caller's: z - y is exact to half a unit of the larger.
        room = 8 * ULP * (abs(value) + 2 * abs(u * y) + abs(u * z))
        assert abs(loss.value(z, y) - value) <= room + UNDERFLOW
        assert abs(u - derivative) <= 8 * ULP * (abs(derivative) + abs(loss.scale * y)) + UNDERFLOW
        for dual in (u, u / 3):
            exact = LONG(loss.scale) * conjugate(loss, LONG(dual) / LONG(loss.scale), LONG(y))
            room = 8 * ULP * (abs(exact) + 2 * abs(dual) * max(1.0, abs(y)))
            assert abs(loss.conjugate(dual, y) - exact) <= room + UNDERFLOW


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
@given(a=scores, b=scores, t=st.floats(0.0, 1.0))
def test_convex_on_segments(loss, a, b, t):
    for y in labels_of(loss):
        chord = t * loss.value(a, y) + (1 - t) * loss.value(b, y)
        assert loss.value(t * a + (1 - t) * b, y) <= chord + 1e-12 * (1 + abs(chord))


@pytest.mark.parametrize("loss", those_with("smoothness"), ids=case_id)
@given(a=scores, b=scores)
def test_declared_smoothness_holds(loss, a, b):
    for y in labels_of(loss):
        change = abs(loss.derivative(a, y) - loss.derivative(b, y))
        rounding = 4 * ULP * (abs(loss.derivative(a, y)) + loss.smoothness() * (abs(a) + abs(b) + abs(y)))
        assert change <= loss.smoothness() * abs(a - b) + rounding


@pytest.mark.parametrize("loss", those_with("smoothness"), ids=case_id)
def test_declared_smoothness_is_reached(loss):
    curves = [loss.second_derivative(z, y) for y in labels_of(loss) for z in np.linspace(-8.0, 8.0, 1601).tolist()]
    assert max(curves) == pytest.approx(loss.smoothness(), rel=1e-12)


@pytest.mark.parametrize("loss", those_with("second_derivative"), ids=case_id)
@given(z=scores)
def test_second_derivative_is_that_of_derivative(loss, z):
    step = 1e-5
    jumps = JUMPS.get(name_of(loss), lambda loss, y: ())
    for y in labels_of(loss):
        if any(abs(z - jump) < 2 * step for jump in jumps(loss, y)):
            continue
        slope = (loss.derivative(z + step, y) - loss.derivative(z - step, y)) / (2 * step)
        assert loss.second_derivative(z, y) == pytest.approx(slope, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("loss", those_with("derivative"), ids=case_id)
def test_kinks_are_those_declared(loss):
    fine = np.linspace(-12.0, 12.0, 240_001)
    for y in labels_of(loss):
        slopes = np.array([loss.derivative(z, y) for z in fine[::100].tolist()])
        steps = np.diff(slopes)
        k = int(np.argmax(steps / (1e-12 + np.abs(slopes[1:]) + np.abs(slopes[:-1]))))
        near = np.array([loss.derivative(z, y) for z in fine[100 * k : 100 * k + 101].tolist()])
        jump = np.diff(near).max() / np.abs(near).max()
        assert (jump > 0.1) == has_kinks(loss)


def test_subderivatives_at_the_kinks():
    for y in (-1.0, 1.0):
        assert as_loss("perceptron:scale=2").derivative(0.0, y) == -2.0 * y
        assert as_loss("hinge").derivative(y, y) == 0.0
    assert as_loss("absolute").derivative(0.3, 0.3) == 0.0
    assert as_loss("quantile:level=0.9").derivative(0.3, 0.3) == 0.0
    for end in (0.5, -0.5):
        assert as_loss("epsilon_insensitive:epsilon=0.5").derivative(end, 0.0) == 0.0


@pytest.mark.parametrize("loss", those_with("pieces"), ids=case_id)
@given(z=scores)
def test_the_largest_piece_is_the_value(loss, z):
    y = np.array(labels_of(loss))
    values = np.array([loss.value(z, label) for label in y.tolist()])
    lines = [np.broadcast_to(slope * z + offset, y.shape) for slope, offset in loss.pieces(y)]
    np.testing.assert_allclose(np.max(lines, axis=0), values, rtol=1e-14, atol=1e-13)
    for k, label in enumerate(y.tolist()):
        assert max(slope * z + offset for slope, offset in loss.pieces(label)) == pytest.approx(values[k], abs=1e-13)


def test_piecewise_linear_losses_are_those_with_kinks():
    assert those_with("pieces") == [loss for loss in CONVEX if has_kinks(loss)]


@pytest.mark.parametrize("loss", ALL, ids=case_id)
@pytest.mark.parametrize("z", [1e300, -1e300, 1e160, -1e160, 800.0, -800.0, 0.0, 1e-320])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_extreme_scores_give_no_nan(loss, z, kind):
    z = kind(z)
    for y in map(kind, labels_of(loss)):
        value = loss.value(z, y)
        assert not math.isnan(value)
        assert math.isfinite(value) or (name_of(loss) in OVERFLOWS and abs(z) > 700)
        if offers(loss, "derivative"):
            u = loss.derivative(z, y)
            assert math.isfinite(u) or (name_of(loss) in ("exponential", "poisson") and abs(z) > 700)
            assert not math.isnan(loss.conjugate(u, y))
        if offers(loss, "second_derivative"):
            assert loss.second_derivative(z, y) >= 0.0


@pytest.mark.parametrize("loss", those_with("recedes"), ids=case_id)
def test_receding_losses_fall_forever(loss):
    assert loss.recedes()
    for y in (-1.0, 1.0):
        falling = [loss.value(y * m, y) for m in (0.0, 1.0, 10.0, 100.0, 700.0)]
        assert all(later < earlier for earlier, later in itertools.pairwise(falling))


def test_losses_that_recede_say_so():
    """Those for classification that never reach their infimum, 0."""
    receding = {name for name, cls in LOSSES.items() if offers(cls(), "recedes")}
    unreached = {
        name
        for name, cls in LOSSES.items()
        if labels_of(cls()) == (-1.0, 1.0) and all(cls().value(m, 1.0) > 0.0 for m in (2.0, 700.0))
    }
    assert receding == unreached


@pytest.mark.parametrize("name", ["logistic", "exponential"])
def test_probability_minimises_the_expected_loss(name):
    """The score z is the best one where label +1 has the chance probability(z)."""
    loss = as_loss(name)
    for z in (-3.0, -0.4, 0.0, 2.0):
        p = loss.probability(z)
        assert p * loss.derivative(z, 1.0) + (1 - p) * loss.derivative(z, -1.0) == pytest.approx(0.0, abs=1e-14)
    assert [loss.probability(z) for z in (-1e300, 0.0, 1e300)] == [0.0, 0.5, 1.0]


def test_poisson_takes_counts_and_predicts_their_mean():
    loss = as_loss("poisson")
    np.testing.assert_array_equal(loss.accepts(np.array([-1.0, 0.0, 2.5, np.nan])), [False, True, True, False])
    assert loss.labels() == "numbers >= 0"
    for z in (-2.0, 0.0, 3.0):
        assert loss.derivative(z, loss.mean(z)) == 0.0
    assert loss.mean(1e300) == math.inf


@pytest.mark.parametrize("loss", ALL, ids=case_id)
def test_compiled_equals_interpreted(loss):
    adopt(loss)
    rng = np.random.default_rng(0)
    z = np.concatenate([rng.normal(size=200) * 10, [0.0, 1.0, -1.0, 1e300, -1e300]])
    for y in labels_of(loss):
        expected = np.array([loss.value(x, y) for x in z.tolist()])
        got = run(loss, "value", (z, np.full(z.size, y)))
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(got[~finite], expected[~finite])
        size = np.abs(expected) + (loss.scale * abs(y * z) if name_of(loss) == "poisson" else 0.0)
        assert np.all(np.abs(got[finite] - expected[finite]) <= 4 * ULP * size[finite])
        if offers(loss, "derivative"):
            expected = [loss.derivative(x, y) for x in z.tolist()]
            np.testing.assert_allclose(
                run(loss, "derivative", (z, np.full(z.size, y))), expected, rtol=4e-16, atol=1e-15 * abs(y)
            )


def test_zero_one_counts_points_on_the_plane():
    assert [as_loss("zero_one").value(z, 1.0) for z in (-1.0, 0.0, 1e-300)] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
@pytest.mark.parametrize("ends", [(-2.0, 2.0), (-0.2, 0.2), (-0.5, 3.0)])
def test_exp_concavity_is_the_largest_that_keeps_the_exponential_concave(loss, ends):
    alpha = exp_concavity(loss, *ends)
    found = (-1.0, 1.0) if loss.tasks() == ("classification",) else np.linspace(*ends, 9)
    labels = [y for y in found if not offers(loss, "accepts") or loss.accepts(y)]
    z, step = np.linspace(ends[0] + 1e-3, ends[1] - 1e-3, 501), 1e-3

    def bends(power):
        """The most that exp(-power loss) bends upwards, relative to its size; rounding counts a little."""
        values = [[[power * loss.value(x + k * step, y) for k in (-1, 0, 1)] for x in z] for y in labels]
        parts = np.array(values)
        change = np.exp(parts[..., 1:2] - parts[..., ::2]).sum(axis=-1) - 2.0
        return np.max(change) / step**2

    room = 1e-8 + 1e-2 * alpha * loss.scale  # of second differences over a step
    assert alpha == 0.0 or math.isinf(alpha) or bends(alpha) <= room
    assert alpha > 0.0 or not offers(loss, "second_derivative") or bends(1e-3) > 0.0
    if 0.0 < alpha < math.inf:
        assert bends(1.1 * alpha) > 0.0

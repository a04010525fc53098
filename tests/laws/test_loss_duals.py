"""Laws of the conjugate, the dual step and the prox of every loss of the registry."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from empirisk.capabilities import name_of, offers
from empirisk.compiled import adopt
from empirisk.losses.laws.machine_code import run
from tests.laws.loss_cases import CONVEX, case_id, labels_of, those_with

scores = st.floats(-30.0, 30.0)
nearer = st.floats(-20.0, 20.0)
# Dual variables as solvers meet them: a share of minus the derivative at some score.
shares = st.floats(0.0, 1.0)
curvatures = st.floats(1e-6, 1e6) | st.just(0.0)


def subderivatives(loss, x, y, off):
    """The interval of subderivatives at points within `off` of x."""
    return loss.derivative(x - off, y), loss.derivative(x + off, y)


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
@given(z=scores, other=scores)
def test_fenchel_young_with_equality_at_the_derivative(loss, z, other):
    for y in labels_of(loss):
        u = loss.derivative(z, y)
        scale = 1 + abs(loss.value(z, y)) + abs(u * z) + abs(u * y)
        assert loss.value(z, y) + loss.conjugate(u, y) == pytest.approx(u * z, abs=1e-12 * scale)
        wide = scale + abs(loss.value(other, y)) + abs(u * other)
        assert loss.value(other, y) + loss.conjugate(u, y) >= u * other - 1e-12 * wide


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
def test_conjugate_is_finite_on_its_domain_and_infinite_outside(loss):
    """The domain lies between the slopes at both ends of the scores."""
    for y in labels_of(loss):
        low, high = loss.derivative(-700.0, y), loss.derivative(700.0, y)
        for share in (0.0, 1e-9, 0.3, 1.0 - 1e-9, 1.0):  # repairs scale towards zero
            for end in (low, high):
                assert math.isfinite(loss.conjugate(share * end, y))
        for end, outwards in ((low, -1.0), (high, 1.0)):
            if abs(end) < 100:  # the slope has an end
                beyond = end + outwards * 1e-9 * (loss.scale + abs(end))
                assert loss.conjugate(beyond, y) == math.inf


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
def test_conjugate_at_zero_is_minus_the_least_value(loss):
    for y in labels_of(loss):
        zs = np.append(np.linspace(-12.0, 12.0, 24_001), [-700.0, 700.0]).tolist()
        assert -loss.conjugate(0.0, y) == pytest.approx(min(loss.value(z, y) for z in zs), abs=1e-6 * loss.scale)


@pytest.mark.parametrize("loss", those_with("dual_step"), ids=case_id)
@given(z=nearer, at=nearer, share=shares, q=curvatures, nudge=st.floats(1e-6, 0.5))
def test_dual_step_is_optimal(loss, z, at, share, q, nudge):
    for y in labels_of(loss):
        u = -share * loss.derivative(at, y)
        best = loss.dual_step(u, z, y, q)

        def dual(t, u=u, y=y):
            return -loss.conjugate(-t, y) - z * (t - u) - q / 2 * (t - u) ** 2

        value = dual(best)
        assert math.isfinite(value)
        # The terms of the dual may be larger than their sum.
        size = 1 + abs(loss.conjugate(-best, y)) + abs(z) * (abs(best) + abs(u)) + q * (best**2 + u**2) * 1e-5
        for other in (best + nudge, best - nudge, best * (1 - nudge), u, 0.0):
            assert dual(other) <= value + 1e-9 * size


@pytest.mark.parametrize("loss", those_with("prox"), ids=case_id)
@given(z=nearer, step=st.floats(1e-6, 1e6))
def test_prox_is_optimal(loss, z, step):
    """(z - x) / step is a subderivative at x."""
    for y in labels_of(loss):
        x = loss.prox(z, y, step)
        low, high = subderivatives(loss, x, y, 1e-9 * (1 + abs(x) + abs(y)))
        off = 1e-14 * (abs(x) + abs(z)) / step + 1e-8 * (abs(low) + abs(high))
        assert low - off <= (z - x) / step <= high + off


@pytest.mark.parametrize("loss", those_with("prox"), ids=case_id)
@given(z=st.floats(-700.0, 700.0), power=st.floats(-200.0, 200.0))
@example(z=-300.0, power=160.0)
@example(z=-1.0, power=50.0)
def test_prox_takes_steps_of_any_length(loss, z, power):
    """x - z + step loss'(x) changes its sign at x, as when an implicit learner meets a row of a huge norm."""
    step = 10.0**power
    for y in labels_of(loss):
        x = float(loss.prox(z, y, step))
        nearby = 1e-9 * (1.0 + abs(x) + abs(z) + abs(y))
        before, after = (t - z + step * loss.derivative(t, y) for t in (x - nearby, x + nearby))
        assert before <= 0.0 <= after


@pytest.mark.parametrize("loss", those_with("prox"), ids=case_id)
@given(z=nearer, at=nearer, share=shares, q=st.floats(1e-6, 1e6))
def test_dual_step_and_prox_agree(loss, z, at, share, q):
    """Moreau: with x = prox(z - q u, y, q) the step leads to (x - z + q u) / q."""
    for y in labels_of(loss):
        u = -share * loss.derivative(at, y)
        x = loss.prox(z - q * u, y, q)
        t = loss.dual_step(u, z, y, q)
        assert x == pytest.approx(z + q * (t - u), rel=1e-9, abs=1e-9 * (1 + abs(z) + abs(y) + q * abs(u)))


@pytest.mark.parametrize("loss", those_with("dual_step"), ids=case_id)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_dual_step_at_the_extremes_stays_in_the_domain(loss, kind):
    for y in map(kind, labels_of(loss)):
        for z in map(kind, (-1e300, -800.0, 0.0, 800.0, 1e300)):
            for q in map(kind, (0.0, 1e-320, 1e-12, 1.0, 1e12)):
                t = loss.dual_step(kind(0.0), z, y, q)
                assert not math.isnan(t)
                assert not math.isnan(loss.conjugate(-t, y))
                if math.isfinite(t) and abs(t) < 1e150:
                    assert math.isfinite(loss.conjugate(-t, y))


@pytest.mark.parametrize("loss", CONVEX, ids=case_id)
def test_compiled_equals_interpreted(loss):
    adopt(loss)
    rng = np.random.default_rng(0)
    z = np.concatenate([rng.normal(size=200) * 5, [0.0, 1.0, -1.0]])
    for y in labels_of(loss):
        u = [-loss.derivative(x, y) * rng.random() for x in z.tolist()]
        q = 10.0 ** rng.uniform(-3, 3, size=z.size)
        ys = np.full(z.size, y)
        duals = run(loss, "conjugate", (-np.array(u), ys))
        rows = list(zip(u, z.tolist(), q.tolist(), strict=True))
        expected = np.array([loss.conjugate(-a, y) for a, _, _ in rows])
        room = 1e-14 * (np.abs(expected) + np.abs(u) * (1 + abs(y)) + loss.scale * abs(y))
        assert np.all(np.abs(duals - expected) <= room)
        if offers(loss, "dual_step"):
            steps = run(loss, "dual_step", (np.array(u), z, ys, q))
            expected = [loss.dual_step(a, b, y, c) for a, b, c in rows]
            np.testing.assert_allclose(steps, expected, rtol=1e-9, atol=1e-12 * loss.scale * (1 + abs(y)))
        if offers(loss, "prox"):
            proxes = run(loss, "prox", (z, ys, q))
            expected = [loss.prox(b, y, c) for _, b, c in rows]
            np.testing.assert_allclose(proxes, expected, rtol=1e-9, atol=1e-9)


def test_the_slowest_dual_steps_converge():
    """Where Newton's method meets the flat ends of the exponential and the logistic function."""
    for loss in (x for x in CONVEX if name_of(x) in ("logistic", "exponential", "poisson")):
        for y in labels_of(loss):
            for z in (-600.0, -50.0, 50.0, 600.0):
                for q in (1e-6, 1.0, 1e6):
                    x = z + q * loss.dual_step(0.0, z, y, q)
                    low, high = subderivatives(loss, x, y, 1e-10 * (1 + abs(z)))
                    t = -loss.dual_step(0.0, z, y, q)
                    assert low - 1e-9 * abs(low) <= t <= high + 1e-9 * abs(high)

"""One solver after another: the second goes on where the first gets slow."""

import numpy as np
import pytest

import empirisk as er
from empirisk.selection import choose
from empirisk.solvers.handover import PASSES, Handover


def far_from_zero(n=300, d=20, seed=0):
    """Columns far from zero, which is slow for steps along the gradient."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + rng.uniform(-100.0, 100.0, d)
    z = X @ rng.standard_normal(d)
    return X, z + np.std(z) * rng.standard_normal(n)


@pytest.mark.parametrize(
    ("loss", "handover"),
    [
        ("huber", Handover(er.FISTA(), er.solvers.CompositeNewton())),
        ("absolute", Handover(er.solvers.SmoothedFISTA(), er.solvers.SmoothedNewton())),
    ],
    ids=["smooth", "kinks"],
)
def test_the_second_goes_on_where_the_first_is_slow(loss, handover):
    X, y = far_from_zero()
    problem = er.EmpiricalRisk(X, y, loss, l2=1e-6, constraint=er.L2Ball(2.0))
    alone = er.minimize(problem, handover.first)
    assert not alone.certified
    together = er.minimize(problem, handover)
    assert together.certified
    assert together.passes > PASSES
    assert together.certificate.verify(problem, together.point).holds
    passes = [check.passes for check in together.trace.checks]
    assert passes == sorted(passes)


def test_the_first_is_all_where_it_is_fast():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.standard_normal(200)
    problem = er.EmpiricalRisk(X, y, "squared", l2=0.1, constraint=er.L2Ball(0.1))
    alone = er.minimize(problem, er.FISTA())
    together = er.minimize(problem, Handover(er.FISTA(), er.solvers.CompositeNewton()))
    np.testing.assert_array_equal(alone.weights, together.weights)
    assert alone.passes == together.passes


@pytest.mark.parametrize(
    ("shape", "loss", "first", "then"),
    [
        ((500, 400), "logistic", "fista", "composite_newton"),
        ((500, 400), "hinge", "smoothed_fista", "smoothed_newton"),
        ((300, 400), "logistic", "fista", None),  # a model with fewer rows than columns is singular
        ((1200, 1100), "logistic", "fista", None),  # too large
    ],
)
def test_auto_hands_over_where_a_model_is_affordable(shape, loss, first, then):
    X = np.random.default_rng(0).standard_normal(shape)
    problem = er.EmpiricalRisk(X, np.where(X[:, 0] > 0.1, 1.0, -1.0), loss, l2=1e-6, constraint=er.L2Ball(1.0))
    chosen, reason = choose(problem, seed=3)
    assert reason.startswith(f"{first}: ")
    assert isinstance(chosen, Handover) == (then is not None)
    assert (then is not None) == reason.endswith(f"If that gets slow, {then} goes on.")


def test_the_seed_reaches_the_first():
    X = np.random.default_rng(0).standard_normal((500, 400))
    problem = er.EmpiricalRisk(X, np.where(X[:, 0] > 0.1, 1.0, -1.0), "hinge", l1=1e-3, l2=1e-3)
    chosen, _ = choose(problem, seed=3)
    assert chosen.first == er.SDCA(seed=3)


def test_a_loss_whose_curvature_jumps_is_handed_over():
    """Almost separable data and little l2: Newton's method goes from one set of rows with curvature to the next."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 160))
    y = np.where(X @ rng.standard_normal(160) + 10.0 * rng.standard_normal(400) > 0.0, 1.0, -1.0)
    problem = er.EmpiricalRisk(X, y, "squared_hinge", l2=1e-6)
    found = er.minimize(problem)
    assert found.certified
    assert "proximal_newton goes on" in found.reason

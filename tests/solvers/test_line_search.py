"""The root of a slope: where rounding makes the start rise, where the slope stays the same, where it overflows."""

import numpy as np
import pytest

import empirisk as er
from empirisk.losses import LOSSES
from empirisk.solvers.steps.line_search import root_of_slope

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize(
    "slope", [lambda t: 1e-17, lambda t: 1e-17 + t, lambda t: 0.0, lambda t: np.nan if t else -1.0]
)
def test_no_slope_divides_by_zero(slope):
    assert root_of_slope(slope) >= 0.0


def test_the_root_is_found():
    assert root_of_slope(lambda t: 3.0 * t - 2.0) == pytest.approx(2.0 / 3.0, rel=0.02)


def test_points_with_an_offset_are_fitted():
    """Sets of four points near 1e8, where the slope at the start is rounding."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = 10.0 ** rng.uniform(0, 9) + rng.normal(size=(4, int(rng.integers(1, 3))))
        name = str(rng.choice(["huber", "smoothed_hinge", "squared_hinge", "modified_huber"]))
        y = rng.normal(size=4) if name == "huber" else np.where(rng.random(4) < 0.5, -1.0, 1.0)
        for l2 in (0.0, 1e-4):
            er.minimize(er.EmpiricalRisk(X, y, name, l2=l2), max_passes=30)


def test_a_weighted_hinge_can_start_near_zero():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.where(rng.random(12) < 0.5, -1.0, 1.0)
    for size in (1e-20, 1e-10, 1e-300):
        problem = er.EmpiricalRisk(X, y, "hinge", sample_weight=rng.random(12), l2=1e-4)
        assert er.minimize(problem, start=(size * rng.normal(size=2), 0.0)).certified


@pytest.mark.parametrize("scale", [1e-150, 1e-250, 1e-300, 1e200])
@pytest.mark.parametrize("solver", ["smoothed_fista", "smoothed_newton"])
def test_smoothing_has_a_strength_for_every_scale(scale, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 2))
    for name in ("hinge", "absolute"):
        for factor in (1.0, 1e-150):
            y = np.where(rng.random(10) < 0.5, -1.0, 1.0)
            er.minimize(er.EmpiricalRisk(factor * X, y, LOSSES[name](scale), l2=scale), solver, max_passes=10)

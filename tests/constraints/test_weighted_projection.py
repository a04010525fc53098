"""Projections and proximal steps in the norm sum_j h_j x_j^2."""

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from empirisk.compiled import adopt, kernel
from empirisk.constraints import Box, HalfSpace, L1Ball, L2Ball, Simplex, as_constraint
from empirisk.problems.penalty_and_constraint import join
from empirisk.regularizers import NegativeEntropy, group_lasso

D = 4
SETS = [as_constraint(cls(radius)) for cls in (L2Ball, L1Ball, Simplex) for radius in (1, 7.5)]
SETS += [as_constraint(HalfSpace([0.3, -4.0, 0.0, 1.0], offset)) for offset in (2.0, -3.0)]
PENALTIES = [
    join(*strengths, None, constraint, D)
    for strengths in ((0.0, 0.0), (0.7, 0.0), (0.7, 0.4))
    for constraint in (None, Box(-1.0, 2.0), Box(1.0, 4.0), Box(-3.0, -1.0), L2Ball(1.5), L1Ball(1.5), Simplex(1.5))
]
PENALTIES += [join(0.0, l2, None, HalfSpace([0.3, -4.0, 0.0, 1.0], -1.0), D) for l2 in (0.0, 0.4)]
GROUPS = group_lasso([[2, 0], [1], [3]], 0.7, factors=[2.0, 1.0, 0.0])
PENALTIES += [join(0.0, l2, GROUPS, None, D) for l2 in (0.0, 0.4)]
PENALTIES += [join(0.0, 0.0, NegativeEntropy(strength), Simplex(1.5), D) for strength in (0.05, 2.0)]

vectors = st.lists(st.floats(-50, 50), min_size=D, max_size=D).map(np.array)
wide = st.tuples(vectors, st.integers(-6, 6)).map(lambda pair: pair[0] * 10.0 ** pair[1])
scales = st.lists(st.floats(-3, 3), min_size=D, max_size=D).map(lambda powers: 10.0 ** np.array(powers))


def called(method, *args):
    out = np.empty(D)
    method(*args, out)
    return out


@pytest.mark.parametrize("c", SETS, ids=str)
@given(w=wide, h=scales, other=wide)
def test_projection_is_optimal(c, w, h, other):
    """<h (w - Pw), x - Pw> <= 0 for every x of a convex set says that Pw is the closest point."""
    near, x = called(c.prox_scaled, w, h), called(c.prox, other, 1.0)
    assert c.value(near) == 0.0
    size = np.abs(w).max() + np.abs(x).max() + np.abs(near).max()
    assert h * (w - near) @ (x - near) <= 1e-12 * h.max() * size**2
    c.prox_scaled(w, h, w)
    np.testing.assert_array_equal(w, near)


@pytest.mark.parametrize("c", SETS, ids=str)
@given(w=vectors, size=st.floats(1e-3, 1e3))
def test_equal_scales_give_the_plain_projection(c, w, size):
    near = called(c.prox_scaled, w, np.full(D, size))
    np.testing.assert_allclose(near, called(c.prox, w, 1.0), atol=1e-12 * (1.0 + np.abs(w).max()))


@pytest.mark.parametrize("c", [L2Ball(1.0), Simplex(1.0)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_projection_agrees_with_a_general_method(c, seed):
    rng = np.random.default_rng(seed)
    w, h = 2.0 * rng.normal(size=D), np.exp(2.0 * rng.normal(size=D))
    if isinstance(c, Simplex):
        limits = [{"type": "eq", "fun": lambda x: x.sum() - 1.0}]
    else:
        limits = [{"type": "ineq", "fun": lambda x: 1.0 - x @ x}]
    ends = [(0.0 if isinstance(c, Simplex) else -2.0, 2.0)] * D
    found = scipy.optimize.minimize(
        lambda x: h @ (x - w) ** 2, np.full(D, 0.25), method="SLSQP", bounds=ends, constraints=limits, tol=1e-14
    )
    np.testing.assert_allclose(called(c.prox_scaled, w, h), found.x, atol=1e-5)


@pytest.mark.parametrize("omega", PENALTIES, ids=str)
@given(w=vectors, h=scales, other=vectors)
def test_proximal_step_is_the_minimiser(omega, w, h, other):
    """A strongly convex f has f(x) >= f(p) + 1/2 sum_j (h_j + l2) (x_j - p_j)^2 at every x, if p is its minimiser."""
    near, x = called(omega.prox_scaled, w, h), called(omega.prox, other, 0.0)
    assert math.isfinite(omega.value(near))
    room = omega.value(x) - omega.value(near) + 0.5 * h @ ((x - w) ** 2 - (near - w) ** 2)
    bend = 0.5 * (h + omega.strong_convexity()) @ (x - near) ** 2
    assert room - bend >= -1e-11 * (1.0 + h.max()) * (1.0 + np.abs(w).max() + np.abs(x).max()) ** 2


@pytest.mark.parametrize("c", SETS, ids=str)
@pytest.mark.parametrize("size", [1e300, 1e160, 1e-320])
def test_extreme_points_project_inside(c, size):
    h = np.array([1.0, 1e-8, 1e8, 3.0])
    for w in (np.full(D, size), np.array([-size, size, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, -size])):
        assert c.value(called(c.prox_scaled, w, h)) == 0.0


@pytest.mark.parametrize("c", SETS, ids=str)
def test_nan_is_not_hidden(c):
    assert c.value(called(c.prox_scaled, np.array([0.0, math.nan, 0.0, 1.0]), np.ones(D))) == math.inf


@pytest.mark.parametrize("c", [L2Ball(1.0), L1Ball(1.0), Simplex(1.0)], ids=str)
def test_many_weights_project_inside(c):
    rng = np.random.default_rng(0)
    adopt(c)
    w, h = rng.normal(size=20_000) + 3.0, np.exp(3.0 * rng.normal(size=20_000))
    assert _value_of_projection(c, w, h, np.empty(w.size)) == 0.0


@kernel
def _value_of_projection(c, w, h, out):
    c.prox_scaled(w, h, out)
    return c.value(out)

"""Laws that every constraint obeys, and the words for those that cannot be."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from empirisk.capabilities import name_of, offers
from empirisk.compiled import adopt, kernel
from empirisk.constraints import (
    CONSTRAINTS,
    Box,
    HalfSpace,
    L2Ball,
    as_constraint,
    constraint_text,
)

D = 4
ALL = [
    as_constraint(cls(**{key: factor * value for key, value in cls._field_defaults.items()}))
    for cls in CONSTRAINTS.values()
    if cls not in (Box, HalfSpace)
    for factor in (1, 0.3, 7.5)
]
ALL += [as_constraint(Box(*ends)) for ends in ((), (-2, 3), (1, 4), (-5, -1), (-math.inf, 2), (-math.inf, math.inf))]
ALL += [as_constraint(HalfSpace([0.3, -4.0, 0.0, 1.0], offset)) for offset in (0.0, 2.0, -3.0)]
BOUNDED = [c for c in ALL if not isinstance(c, HalfSpace) and all(map(math.isfinite, c))]
SHRINKING = [c for c in ALL if offers(c, "shrink")]

vectors = st.lists(st.floats(-50, 50), min_size=D, max_size=D).map(np.array)
wide = st.tuples(vectors, st.integers(-8, 8)).map(lambda pair: pair[0] * 10.0 ** pair[1])


def called(method, *args):
    out = np.empty(D)
    method(*args, out)
    return out


def project(c, w):
    return called(c.prox, w, 1.0)


@pytest.mark.parametrize("c", ALL, ids=str)
@given(w=wide, other=wide)
def test_projection_is_optimal(c, w, other):
    """<w - Pw, x - Pw> <= 0 for every x of a convex set says that Pw is the closest point."""
    near, x = project(c, w), project(c, other)
    assert c.value(near) == 0.0
    size = 1.0 + np.linalg.norm(w) + np.linalg.norm(x) + np.linalg.norm(near)
    assert (w - near) @ (x - near) <= 1e-13 * size**2


@pytest.mark.parametrize("c", ALL, ids=str)
@given(w=wide)
def test_projection_of_a_point_inside_is_itself(c, w):
    near = project(c, w)
    np.testing.assert_allclose(project(c, near), near, rtol=1e-12, atol=1e-15 * (1 + np.abs(near).max()))
    if c.value(w) == math.inf:
        assert np.any(near != w)


@pytest.mark.parametrize("c", ALL, ids=str)
@given(w=wide)
def test_projection_in_place(c, w):
    near = project(c, w)
    c.prox(w, 1.0, w)
    np.testing.assert_array_equal(w, near)


@pytest.mark.parametrize("c", [cls() for cls in CONSTRAINTS.values() if cls._fields == ("radius",)], ids=str)
def test_projections_of_many_weights_are_inside(c):
    """Equal terms make plain sums drift; distant ones make the threshold's rounding count."""
    far = 1e9 + np.random.default_rng(0).random(20_000) * 1e-4
    one_large = np.append(0.7, np.full(100_000, 0.1))
    adopt(c)
    for w in (np.full(100_000, 0.1), far, one_large):
        points = np.empty((2, w.size))
        assert _measure(c, w, points)[1] == 0.0
        assert _measure(c, points[0] * (1 + 1e-11), points)[0] == math.inf


@pytest.mark.parametrize("c", ALL, ids=str)
@pytest.mark.parametrize("size", [1e300, 1e160, 1e-320])
def test_extreme_points_project_inside(c, size):
    for w in (np.full(D, size), np.array([-size, size, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, -size])):
        near = project(c, w)
        assert c.value(near) == 0.0, near


@pytest.mark.parametrize("c", [c for c in ALL if isinstance(c, HalfSpace)], ids=str)
@pytest.mark.parametrize("distance", [1e8, 1e100, 1e300])
def test_far_points_project_inside_along_the_normal(c, distance):
    """Nearly everything cancels: one projection leaves the rounding of the distance."""
    near = project(c, distance * c.normal)
    assert c.value(near) == 0.0
    np.testing.assert_allclose(near, c.offset / (c.normal @ c.normal) * c.normal, atol=1e-12)


@pytest.mark.parametrize("c", ALL, ids=str)
def test_nan_is_outside(c):
    assert c.value(np.array([0.0, math.nan, 0.0, 1.0])) == math.inf
    assert c.value(project(c, np.full(D, math.nan))) == math.inf


@pytest.mark.parametrize("c", ALL, ids=str)
@given(v=vectors, other=wide, t=st.floats(0, 20))
def test_support_function_is_the_supremum(c, v, other, t):
    if isinstance(c, HalfSpace):  # finite on a ray only
        v = t * c.normal
    support = c.conjugate(v)
    x = project(c, other)
    assert x @ v <= support + 1e-11 * (1 + np.abs(x) @ np.abs(v))
    if math.isfinite(support):
        best = called(c.maximizer, v)
        assert c.value(best) == 0.0
        assert best @ v == pytest.approx(support, rel=1e-12, abs=1e-11)
        np.testing.assert_array_equal(best, in_place(c.maximizer, v))


def in_place(method, v):
    v = v.copy()
    method(v, v)
    return v


@pytest.mark.parametrize("c", ALL, ids=str)
@given(v=vectors)
def test_support_function_is_infinite_where_the_set_runs_off(c, v):
    if isinstance(c, HalfSpace):
        assume(np.linalg.matrix_rank(np.array([v, c.normal]), tol=1e-6) == 2)
        expected = math.inf
    elif isinstance(c, Box):
        expected = math.inf if (np.any(v > 0) and c.high == math.inf) or (np.any(v < 0) and c.low == -math.inf) else 0.0
    else:
        expected = 0.0
    assert (c.conjugate(v) == math.inf) == (expected == math.inf)


@pytest.mark.parametrize("c", BOUNDED, ids=str)
@given(v=vectors, other=vectors)
def test_no_point_is_beyond_the_maximizer(c, v, other):
    best, x = called(c.maximizer, v), project(c, other)
    assert c.value(best) == 0.0
    assert best @ v >= x @ v - 1e-11 * (1 + np.abs(x) @ np.abs(v))


@pytest.mark.parametrize("c", [c for c in ALL if offers(c, "norm_bound")], ids=str)
@given(w=wide)
def test_norm_bound_holds_and_is_reached(c, w):
    assert np.linalg.norm(project(c, w)) <= c.norm_bound() * (1 + 1e-12)
    if math.isfinite(c.norm_bound()):
        corner = np.array([c.norm_bound(), 0.0, 0.0, 0.0])
        assert c.value(corner) == 0.0


@pytest.mark.parametrize("c", SHRINKING, ids=str)
@pytest.mark.parametrize("l1", [0.0, 0.6, 20.0])
@given(v=vectors, other=wide, part=st.sampled_from([1.0, 0.1, 1e-3]))
def test_shrinking_accounts_for_l1(c, l1, v, other, part):
    shrunk = called(c.shrink, v, l1)
    np.testing.assert_array_equal(shrunk, in_place(lambda a, out: c.shrink(a, l1, out), v))
    near, x = project(c, shrunk), project(c, other)

    def linear(w):
        return w @ v - l1 * np.abs(w).sum()

    def squared(w):
        return l1 * np.abs(w).sum() + np.sum((w - v) ** 2) / 2

    size = 1 + np.abs(x).sum() * (l1 + np.abs(v).max())
    support = c.conjugate(shrunk)
    assert linear(x) <= support + 1e-11 * size
    if math.isfinite(support):
        best = called(c.maximizer, shrunk)
        assert linear(best) == pytest.approx(support, rel=1e-11, abs=1e-11)
    assert squared(near) <= squared(near + part * (x - near)) + 1e-12 * (1 + squared(x) + squared(near))


@pytest.mark.parametrize("c", ALL, ids=str)
def test_compiled_equals_interpreted(c):
    adopt(c)
    rng = np.random.default_rng(0)
    for w in rng.normal(size=(5, D)) * 10.0 ** np.arange(-3, 2)[:, None]:
        compiled, interpreted = np.empty((2, D)), np.empty((2, D))
        found = _measure(c, w, compiled)
        expected = _measure.py_func(c, w, interpreted)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        np.testing.assert_allclose(compiled, interpreted, rtol=1e-14, atol=1e-15)
        if offers(c, "shrink"):
            found, expected = np.empty(D), np.empty(D)
            _shrink(c, w, found)
            _shrink.py_func(c, w, expected)
            np.testing.assert_allclose(found, expected, rtol=1e-14)


@kernel
def _measure(c, w, out):
    c.prox(w, 1.0, out[0])
    c.maximizer(w, out[1])
    return c.value(w), c.value(out[0]), c.conjugate(w)


@kernel
def _shrink(c, w, out):
    c.shrink(w, 0.5, out)


@pytest.mark.parametrize("c", [c for c in ALL if not isinstance(c, HalfSpace)], ids=str)
def test_text_round_trip(c):
    again = as_constraint(constraint_text(c))
    assert type(again) is type(c)
    assert tuple(again) == tuple(c)


def test_names_and_none():
    assert all(name_of(cls) == name for name, cls in CONSTRAINTS.items())
    assert {type(c) for c in ALL} == set(CONSTRAINTS.values())
    assert as_constraint(None) is None
    assert as_constraint("box:low=-inf,high=2") == Box(-math.inf, 2.0)
    assert constraint_text(Box()) == "box"
    assert all(type(field) is float for field in as_constraint(Box(0, 1)))


@pytest.mark.parametrize("text", ["l2_ball", "l1_ball", "simplex"])
def test_radius_as_text(text):
    assert as_constraint(f"{text}:radius=2").radius == 2.0
    assert name_of(as_constraint(text)) == text


def test_half_space_is_scaled_exactly():
    given_one = as_constraint(HalfSpace([3e200, -4e200], 1e200))
    np.testing.assert_array_equal(given_one.normal * 1e200, given_one.normal[0] / 3.0 * np.array([3e200, -4e200]))
    near = np.empty(2)
    given_one.prox(np.array([1.0, 0.0]), 1.0, near)
    np.testing.assert_allclose(near, [1.0 - 3 * 2 / 25, 4 * 2 / 25])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nonsense", "one of 'l2_ball', 'l1_ball', 'simplex', 'box'"),
        ("half_space", "give a HalfSpace object in Python"),
        ("l2_ball:size=2", "no parameter 'size'; it has radius"),
        ("box:low=0,hihg=1", "no parameter 'hihg'; it has low, high"),
        ("l2_ball:radius=two", "must be a number, got 'two'"),
        ("l2_ball:radius=0", "positive and finite"),
        ("l1_ball:radius=-1", "positive and finite"),
        ("simplex:radius=inf", "positive and finite"),
        ("simplex:radius=nan", "must be a number"),
        ("box:low=2,high=1", "excludes every point"),
        ("box:low=inf", "excludes every point"),
        ("box:low=nan", "must be a number"),
        (L2Ball(True), "must be a number"),
        (L2Ball("2"), "must be a number"),
        (HalfSpace([0.0, 0.0], 1.0), "all zeros"),
        (HalfSpace([1.0, math.nan], 1.0), "finite normal"),
        (HalfSpace([1.0], math.inf), "finite offset"),
        (HalfSpace([[1.0]], 1.0), "must be a vector"),
        (HalfSpace([], 1.0), "must be a vector"),
        (HalfSpace([1e-300], 1e300), "too large beside its normal"),
    ],
)
def test_bad_constraints_are_refused(spec, words):
    with pytest.raises(ValueError, match=words):
        as_constraint(spec)


@pytest.mark.parametrize("spec", [3.0, L2Ball, ("l2_ball", 1.0)])
def test_other_things_are_no_constraints(spec):
    with pytest.raises(TypeError, match="such as HalfSpace"):
        as_constraint(spec)


def test_words_in_a_normal_and_the_text_of_a_half_space():
    with pytest.raises(TypeError, match="must hold numbers"):
        as_constraint(HalfSpace(["a"], 1.0))
    with pytest.raises(ValueError, match="has no text"):
        constraint_text(HalfSpace([1.0], 1.0))

"""Laws of penalty and constraint as one function, against a conic solver and against exact arithmetic."""

import itertools
import math
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.capabilities import is_quadratic, offers
from empirisk.constraints import Box, HalfSpace, L1Ball, L2Ball, Simplex
from empirisk.problems.penalty_and_constraint import BoxedNet, Constrained, RidgeOnHalfSpace, join
from empirisk.protocols import Unsupported
from empirisk.regularizers import ElasticNet, GroupLasso, NegativeEntropy, group_lasso
from tests.laws.compiled_regularizers import assert_compiled_equals_interpreted

D = 4
NORMAL = [0.3, -4.0, 0.0, 1.0]
GROUPS = [[2, 0], [1], [3]]
BOXES = [Box(), Box(-2.0, 3.0), Box(1.0, 4.0), Box(-5.0, -1.0), Box(-math.inf, 2.0), Box(-math.inf, math.inf)]
STRENGTHS = list(itertools.product((0.0, 0.7), (0.0, 0.3)))

OMEGAS = [join(l1, l2, None, c, D) for c in (L2Ball(2), L1Ball(3), Simplex(3), *BOXES) for l1, l2 in STRENGTHS]
OMEGAS += [join(0, l2, None, HalfSpace(NORMAL, offset), D) for offset in (0, 2, -3) for l2 in (0.0, 0.3)]
OMEGAS += [join(0, l2, group_lasso(GROUPS, 0.7), None, D) for l2 in (0.0, 0.3)]
OMEGAS += [join(l1, 0, NegativeEntropy(s), Simplex(r), D) for l1, s, r in ((0, 1, 1), (0.7, 0.1, 3), (0, 20, 0.2))]
UNBOUNDED = [omega for omega in OMEGAS if omega.strong_convexity() == 0.0 and omega.norm_bound() == math.inf]

vectors = st.lists(st.floats(-50, 50), min_size=D, max_size=D).map(np.array)


def named(omega):
    return str(omega).replace("\n", "")


def called(method, *args):
    out = np.empty(D)
    method(*args, out)
    return out


def conic_value(omega, x):
    """The formula and the constraints that a conic solver needs, from the fields alone."""
    l1, l2 = getattr(omega, "l1", 0.0), getattr(omega, "l2", 0.0)
    value = l1 * cp.norm1(x) + l2 / 2 * cp.sum_squares(x)
    if isinstance(omega, GroupLasso):
        value += 0.7 * sum(math.sqrt(len(group)) * cp.norm2(x[group]) for group in GROUPS)
        return value, []
    if isinstance(omega, BoxedNet):
        ends = [x >= omega.box.low] if omega.box.low > -math.inf else []
        return value, ends + ([x <= omega.box.high] if omega.box.high < math.inf else [])
    if isinstance(omega, RidgeOnHalfSpace):
        return value, [omega.half_space.normal @ x <= omega.half_space.offset]
    if isinstance(omega, Constrained) and not isinstance(omega.constraint, Simplex):
        norm = cp.norm1 if isinstance(omega.constraint, L1Ball) else cp.norm2
        return value, [norm(x) <= omega.constraint.radius]
    simplex = omega.constraint if isinstance(omega, Constrained) else omega.simplex
    if not isinstance(omega, Constrained):
        value += omega.strength * (simplex.radius * math.log(D / simplex.radius) - cp.sum(cp.entr(x)))
    return value, [x >= 0, cp.sum(x) == simplex.radius]


@pytest.mark.parametrize("omega", OMEGAS, ids=named)
def test_prox_agrees_with_a_conic_solver(omega):
    rng = np.random.default_rng(1)
    for w, step in ((rng.normal(size=D) * 4, 0.5), (rng.normal(size=D), 3.0)):
        x = cp.Variable(D)
        value, limits = conic_value(omega, x)
        problem = cp.Problem(cp.Minimize(value + cp.sum_squares(x - w) / (2 * step)), limits)
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-8, tol_gap_rel=1e-8, tol_feas=1e-8)
        found = called(omega.prox, w, step)
        np.testing.assert_allclose(found, x.value, atol=1e-4)
        objective = omega.value(found) + np.sum((found - w) ** 2) / (2 * step)
        assert objective == pytest.approx(problem.value, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("omega", OMEGAS, ids=named)
@given(w=vectors, other=vectors, step=st.floats(1e-3, 1e3), part=st.sampled_from([1.0, 0.1, 1e-3]))
def test_prox_is_optimal(omega, w, other, step, part):
    best = called(omega.prox, w, step)
    inside = called(omega.prox, other, step)

    def objective(x):
        return omega.value(x) + np.sum((x - w) ** 2) / (2 * step)

    size = 1 + abs(objective(inside)) + (w @ w) / step
    assert objective(best) <= objective(best + part * (inside - best)) + 1e-12 * size
    omega.prox(w, step, w)
    np.testing.assert_array_equal(w, best)


@pytest.mark.parametrize("omega", OMEGAS, ids=named)
@given(v=vectors, other=vectors)
def test_fenchel_young_with_equality_at_the_maximizer(omega, v, other):
    v = called(omega.nearest_dual, v)
    x = called(omega.prox, other, 1.0)
    conjugate = omega.conjugate(v)
    assert math.isfinite(conjugate)
    best = called(omega.maximizer, v)
    size = 1 + np.abs(x) @ np.abs(v) + np.abs(best) @ np.abs(v)
    assert omega.value(best) + conjugate == pytest.approx(best @ v, abs=1e-11 * size)
    assert omega.value(x) + conjugate >= x @ v - 1e-11 * size
    if offers(omega, "maximizer_coordinate"):
        np.testing.assert_array_equal([omega.maximizer_coordinate(j, v[j]) for j in range(D)], best)


@pytest.mark.parametrize("omega", OMEGAS, ids=named)
@given(a=vectors, b=vectors)
def test_values_on_segments_are_below_the_chord_by_the_strong_convexity(omega, a, b):
    a, b = called(omega.prox, a, 1.0), called(omega.prox, b, 1.0)
    chord = (omega.value(a) + omega.value(b)) / 2 - omega.strong_convexity() / 8 * np.sum((a - b) ** 2)
    assert omega.value((a + b) / 2) <= chord + 1e-11 * (1 + abs(chord) + a @ a + b @ b)
    assert omega.value(a) >= omega.growth() * np.linalg.norm(a) - 1e-12 * (1 + omega.growth())
    assert np.linalg.norm(a) <= omega.norm_bound() * (1 + 1e-12)


def test_strong_convexity_of_the_entropy_is_the_largest():
    omega = join(0.0, 0.0, NegativeEntropy(0.5), Simplex(3.0), 2)
    a, b = np.array([1.5 + 1e-3, 1.5 - 1e-3]), np.array([1.5 - 1e-3, 1.5 + 1e-3])
    drop = (omega.value(a) + omega.value(b)) / 2 - omega.value((a + b) / 2)
    assert drop == pytest.approx(omega.strong_convexity() / 8 * np.sum((a - b) ** 2), rel=1e-4)


def exceeds(omega, v, scale, error):
    """Whether scale v' leaves the domain of the conjugate for some v' within `error` of v, in exact arithmetic."""
    sides = [1] * (omega.box.high == math.inf) + [-1] * (omega.box.low == -math.inf)
    return any(Fraction(scale) * (s * Fraction(x) + Fraction(error)) > Fraction(omega.l1) for s in sides for x in v)


@pytest.mark.parametrize("omega", [o for o in UNBOUNDED if isinstance(o, BoxedNet)], ids=named)
@given(v=vectors, error=st.sampled_from([0.0, 1e-9, 3.0]), divisor=st.sampled_from([1.0, 100.0]))
def test_dual_scale_on_unbounded_boxes(omega, v, error, divisor):
    v = v / divisor
    scale = omega.dual_scale(v, error)
    assert 0.0 <= scale <= 1.0
    assert not exceeds(omega, v, scale, error)
    if scale < 1.0:
        assert exceeds(omega, v, scale * (1 + 1e-13) + 1e-300, error)


@pytest.mark.parametrize("omega", UNBOUNDED, ids=named)
@given(v=vectors, other=vectors)
def test_nearest_dual_is_the_projection_on_the_domain(omega, v, other):
    near, x = called(omega.nearest_dual, v), called(omega.nearest_dual, other)
    assert math.isfinite(omega.conjugate(near))
    assert (v - near) @ (x - near) <= 1e-12 * (1 + v @ v + other @ other)
    assert np.any(near != v) or math.isfinite(omega.conjugate(v))


def test_dual_scale_on_a_half_space():
    """Only zero is certain to lie on the ray where the conjugate is finite."""
    omega = join(0.0, 0.0, None, HalfSpace(NORMAL, 2.0), D)
    assert omega.dual_scale(np.zeros(D), 0.0) == 1.0
    assert omega.dual_scale(np.zeros(D), 1e-9) == 0.0
    assert omega.dual_scale(np.ones(D), 0.0) == 0.0


@pytest.mark.parametrize("omega", [o for o in OMEGAS if all(o is not u for u in UNBOUNDED)], ids=named)
@given(v=vectors)
def test_bounded_or_strongly_convex_allows_every_dual_point(omega, v):
    assert omega.dual_scale(v, 1e3) == 1.0
    np.testing.assert_array_equal(called(omega.nearest_dual, v), v)
    assert math.isfinite(omega.conjugate(v))


def test_norm_bound_of_a_box_is_reached():
    assert join(0.0, 0.0, None, Box(-3.0, 2.0), D).norm_bound() == np.linalg.norm(np.full(D, -3.0))


@pytest.mark.parametrize("ratio", [1e-12, 1e-3, 1e3, 1e12])
def test_prox_of_the_entropy_for_any_strength(ratio):
    """a log x_j + x_j - w_j is the same for all j; for small a it is the projection, for large a equal weights."""
    omega = join(0.0, 0.0, NegativeEntropy(ratio), Simplex(2.0), D)
    w = np.array([0.9, -0.3, 0.1, 0.8])
    x = called(omega.prox, w, 1.0)
    assert omega.simplex.value(x) == 0.0
    kept = x > 0.0
    level = ratio * np.log(x[kept]) + x[kept] - w[kept]
    np.testing.assert_allclose(level, level[0], rtol=1e-9, atol=1e-9)
    end = called(Simplex(2.0).prox, w, 1.0) if ratio < 1.0 else np.full(D, 0.5)
    np.testing.assert_allclose(x, end, atol=20 * min(ratio, 1 / ratio))


# The constraints themselves are compared in tests/laws, and so is the group lasso.
COMPILED = [o for o in OMEGAS if not isinstance(o, GroupLasso)]
COMPILED = [o for o in COMPILED if not isinstance(o, Constrained) or isinstance(o.constraint, L1Ball)]


@pytest.mark.parametrize("omega", COMPILED, ids=named)
def test_compiled_equals_interpreted(omega):
    for v in np.random.default_rng(0).normal(size=(4, D)):
        assert_compiled_equals_interpreted(omega, v, rtol=1e-13, atol=1e-15)


def test_without_a_constraint_it_is_the_elastic_net():
    assert type(join(1, 2, None, None, D)) is ElasticNet
    assert join(1, 2, None, None, D) == ElasticNet(1.0, 2.0)
    assert not any(is_quadratic(omega) for omega in OMEGAS)
    assert {type(o) for o in OMEGAS if offers(o, "maximizer_coordinate")} == {BoxedNet}
    assert join(0, 0.2, group_lasso(GROUPS, 1.0)._replace(l2=0.1), None, D).l2 == pytest.approx(0.3)


PAIRS = "supported are l1 and l2 alone or with an l2_ball"


@pytest.mark.parametrize(
    ("l1", "l2", "regularizer", "constraint", "words"),
    [
        (0.5, 0.0, None, HalfSpace(NORMAL, 1.0), "l1 = 0.5 with half_space is not supported; " + PAIRS),
        (0.5, 0.0, group_lasso(GROUPS, 1.0), None, "l1 = 0.5 with group_lasso is not supported"),
        (0.0, 0.0, group_lasso(GROUPS, 1.0), Box(), "group_lasso with box is not supported"),
        (0.0, 0.0, NegativeEntropy(), None, "negative_entropy is not supported; .* negative_entropy with a simplex"),
        (0.0, 0.0, NegativeEntropy(), L2Ball(), "negative_entropy with l2_ball is not supported"),
        (0.0, 0.1, NegativeEntropy(), Simplex(), "l2 = 0.1 with negative_entropy with simplex is not supported"),
    ],
)
def test_other_pairs_are_refused_with_those_supported(l1, l2, regularizer, constraint, words):
    with pytest.raises(Unsupported, match=words):
        join(l1, l2, regularizer, constraint, D)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, 0.0, group_lasso([[0, 1], [2]], 1.0), None, D), "column 3 is in none"),
        ((0.0, 0.0, group_lasso([[0, 1], [2, 3, 4]], 1.0), None, D), "name column 4, but X has 4 column"),
        ((0.0, 0.0, None, HalfSpace([1.0, 2.0], 1.0), D), "half-space is for 2 column.s., but X has 4"),
        ((-1.0, 0.0, None, Box(), D), "l1 must be a finite number >= 0"),
        ((0.0, math.nan, None, Box(), D), "l2 must be a finite number >= 0"),
        ((0.0, 0.0, None, "box:low=1,high=0", D), "excludes every point"),
    ],
)
def test_bad_parts_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        join(*arguments)

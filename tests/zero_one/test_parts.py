"""The pieces of the search: covers, nearest points, sweeps, whitening, packings, each against something simpler."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.separation.points import points_of
from empirisk.zero_one.box_losses import BLOCKED, FOUND, cover_below, empty_cover
from empirisk.zero_one.merged_points import in_units, merge_points
from empirisk.zero_one.nearest_point import CONFLICT, SEPARATED, empty_hull, nearest_point
from empirisk.zero_one.plane_sweeps import best_of_sweep, sweep_through
from empirisk.zero_one.recount import wrong_rows
from empirisk.zero_one.whitened_points import independent_columns, is_invertible, whitened_points, whitening
from tests.zero_one.oracle import fewest

pytestmark = pytest.mark.compiled

SETS = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=4), max_size=8)


@given(SETS, st.lists(st.integers(1, 3), min_size=8, max_size=8), st.integers(1, 9))
def test_covers_are_found_exactly_where_there_are_some(sets, weights, limit):
    cover = empty_cover(16)
    for k, members in enumerate(sets):
        cover.masks[k] = sum(1 << i for i in members)
    outcome = cover_below(cover, len(sets), np.array(weights + [0] * 56), limit, 100_000)
    least = min(
        sum(weights[i] for i in chosen)
        for size in range(9)
        for chosen in itertools.combinations(range(8), size)
        if all(members & set(chosen) for members in sets)
    )
    assert outcome == (FOUND if least < limit else BLOCKED)
    if outcome == FOUND:
        chosen = {i for i in range(8) if int(cover.answer[0]) >> i & 1}
        assert all(members & chosen for members in sets)
        assert sum(weights[i] for i in chosen) < limit


@given(st.integers(0, 10_000))
def test_the_nearest_point_separates_or_shows_a_conflict(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 5))
    a = rng.standard_normal((n, k))
    norms = np.linalg.norm(a, axis=1)
    hull = empty_hull(k, n)
    outcome = nearest_point(a, norms, np.full(n, 1e-14), np.arange(n), n, hull, 500)
    is_separable = fewest(a, np.ones(n, int), fit_intercept=False) == 0
    if outcome == SEPARATED:
        assert is_separable
        assert np.all(a @ hull.x > 0.0)
    else:
        assert outcome == CONFLICT
        assert not is_separable
        members, shares = hull.members[: hull.filled[0]], hull.shares[: hull.filled[0]]
        assert np.all(shares > 0.0)
        assert members.size <= k + 1
        assert np.allclose(shares @ (a[members] / norms[members][:, None]), 0.0, atol=1e-9)


@given(st.integers(0, 10_000))
def test_no_plane_of_a_sweep_is_better_than_the_best(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 30)), int(rng.integers(2, 5))
    a, weights = rng.standard_normal((n, k)), rng.integers(1, 4, n)
    u, v, tilt, out = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    chosen = rng.choice(n, size=k - 2, replace=False)
    sweep_through(a, chosen.astype(np.int64), np.zeros((k + 2, k)), u, v, tilt)
    assert np.allclose(a[chosen] @ np.array([u, v]).T, 0.0, atol=1e-9)
    assert np.allclose(a[chosen] @ tilt, 1.0)
    assert np.allclose(np.array([u, v]) @ np.array([u, v]).T, np.eye(2))
    others = np.ones(n, bool)
    others[chosen] = False
    least = best_of_sweep(a, weights, u, v, np.empty(n), np.empty(n, np.int64), out)
    assert weights[others & (a @ out <= 0.0)].sum() == least
    for angle in rng.uniform(0.0, 2.0 * np.pi, 40):
        w = np.cos(angle) * u + np.sin(angle) * v
        assert weights[others & (a @ w <= 0.0)].sum() >= least
    tilted = np.empty(k)
    assert best_of_sweep(a, weights, out, tilt, np.empty(n), np.empty(n, np.int64), tilted) <= least
    assert weights[a @ tilted <= 0.0].sum() <= least


def test_columns_that_depend_on_others_are_left_out():
    x = np.array([[1.0, 2.0, 0.5], [3.0, 6.0, 0.25], [0.1, 0.2, 7.0], [5.0, 10.0, 1.0]])
    assert independent_columns(x).tolist() == [0, 2]
    assert independent_columns(x + 1e-16 * np.array([0, 0, 1])).tolist() == [0, 2]
    x[0, 1] = np.nextafter(2.0, 3.0)
    assert independent_columns(x).tolist() == [0, 1, 2]
    assert not is_invertible(np.array([[1.0, 2.0], [0.5, 1.0]]))
    assert is_invertible(np.array([[1.0, 2.0], [0.5, np.nextafter(1.0, 2.0)]]))


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12, 1e150])
def test_the_blur_of_whitened_points_covers_their_rounding(scale):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3)) * [scale, 1.0, 1.0 / scale]
    y = np.where(rng.random(40) < 0.5, -1, 1)
    points = points_of(X, y, True)
    merged = merge_points(points, np.ones(40))
    L = whitening(merged.z, 0)
    whitened = whitened_points(merged, np.arange(4), L)
    assert is_invertible(L)
    for _ in range(20):
        u = np.round(rng.uniform(-1, 1, 4) * 64) / 64
        computed = whitened.a @ u
        for i in range(40):
            terms = [
                Fraction(float(z)) * Fraction(float(entry)) * Fraction(float(c))
                for z, row in zip(merged.z[i], L, strict=True)
                for entry, c in zip(row, u, strict=True)
            ]
            exact = sum(terms, Fraction(0)) * Fraction(2) ** int(whitened.powers[i])
            assert abs(exact - Fraction(float(computed[i]))) <= Fraction(float(whitened.blur[i]))
    assert np.all(whitened.blur < 1e-12)


def test_recounting_is_exact_where_floats_cannot_tell():
    X = np.array([[0.1, 0.2], [0.1, 0.2], [1.0, 1.0], [-1.0, -1.0]])
    points = points_of(X, [1, -1, 1, -1], True)
    w, b = np.array([1.0, 1.0]), -0.30000000000000004  # float addition gives zero, the exact sum does not
    assert Fraction(0.1) + Fraction(0.2) < Fraction(0.30000000000000004)
    assert wrong_rows(points, w, b).tolist() == [True, False, False, False]
    assert wrong_rows(points, np.zeros(2), 0.0).all()


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=20))
def test_units_are_exact_while_they_fit(weights):
    units, exponent = in_units(np.array(weights))
    for weight, unit in zip(weights, units, strict=True):
        short = Fraction(weight) - unit * Fraction(2) ** exponent
        assert 0 <= short < Fraction(2) ** exponent
    assert in_units(np.ones(7)) == ([1] * 7, 0)

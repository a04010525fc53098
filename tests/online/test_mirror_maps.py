"""Laws of the mirror maps."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.constraints import Simplex
from empirisk.mirror_maps import MIRROR_MAPS, Entropic, Euclidean
from empirisk.problems.penalty_and_constraint import join

pytestmark = pytest.mark.interpreted
MAPS = [Euclidean(), Entropic(1.0), Entropic(3.0)]


def points(mirror, count=20, d=4):
    rng = np.random.default_rng(0)
    found = rng.normal(size=(count, d))
    if isinstance(mirror, Entropic):
        found = np.exp(found)
        found *= mirror.radius / found.sum(axis=1, keepdims=True)
    return found


def gradient(mirror, w):
    out = np.empty(w.size)
    mirror.gradient(w, out)
    return out


@pytest.mark.parametrize("mirror", MAPS, ids=str)
def test_divergence_is_that_of_the_value_and_curves(mirror):
    for u, w in zip(points(mirror), points(mirror)[::-1], strict=True):
        found = mirror.divergence(u, w)
        assert found == pytest.approx(mirror.value(u) - mirror.value(w) - gradient(mirror, w) @ (u - w), abs=1e-12)
        order = 2 if isinstance(mirror, Euclidean) else 1
        assert found >= 0.5 * mirror.modulus() * np.linalg.norm(u - w, order) ** 2 - 1e-12
        assert mirror.divergence(w, w) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("mirror", MAPS, ids=str)
def test_three_points(mirror):
    a, b, c = points(mirror)[:3]
    left = mirror.divergence(a, b) + mirror.divergence(b, c) - mirror.divergence(a, c)
    assert left == pytest.approx((gradient(mirror, c) - gradient(mirror, b)) @ (a - b), abs=1e-12)


@pytest.mark.parametrize("mirror", MAPS, ids=str)
def test_inverse_undoes_the_gradient(mirror):
    for w in points(mirror):
        out = np.empty(w.size)
        mirror.inverse(gradient(mirror, w), out)
        np.testing.assert_allclose(out, w, rtol=1e-12)


@pytest.mark.parametrize("mirror", MAPS, ids=str)
def test_no_point_beats_the_minimizer(mirror):
    is_simplex = isinstance(mirror, Entropic)
    omega = join(0.1, 0.0, None, Simplex(mirror.radius), 4) if is_simplex else join(0.1, 0.2, None, "l2_ball", 4)
    v, best = np.array([0.3, -1.0, 0.2, 2.0]), np.empty(4)
    mirror.minimizer(v, 0.5, omega, best)

    def value(w):
        return v @ w + 0.5 * omega.value(w) + mirror.value(w)

    others = points(mirror)
    if not is_simplex:
        others = others / np.maximum(1.0, np.linalg.norm(others, axis=1, keepdims=True))
    assert all(value(best) <= value(w) + 1e-12 for w in (*others, *(0.99 * best + 0.01 * w for w in others)))


def test_the_registry_has_a_law_for_each():
    assert {type(mirror) for mirror in MAPS} <= set(MIRROR_MAPS.values())

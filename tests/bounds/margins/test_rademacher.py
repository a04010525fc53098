"""Complexities against brute force over all labels of a few points."""

import itertools
import math

import numpy as np
import pytest

from empirisk.bounds.margins.rademacher import Complexity, ball_complexity, plane_complexity, rademacher_bound

POINTS = np.array([0.0, 1.0, 2.5, 3.0, 4.5, 7.0])[:, None]


def exact_plane_complexity(x):
    """Of thresholds on a line, both ways round."""
    n, total = len(x), 0.0
    cuts = [np.where(np.arange(n) < k, -1.0, 1.0) for k in range(n + 1)]
    for labels in itertools.product((-1.0, 1.0), repeat=n):
        total += max(abs(float(np.dot(labels, cut))) for cut in cuts) / n
    return total / 2**n


def test_planes_on_a_line():
    exact = exact_plane_complexity(POINTS)
    found = plane_complexity(POINTS, draws=200, max_nodes=None)
    assert found.mean == pytest.approx(exact, abs=0.08)
    assert found.value >= exact
    assert found.error == pytest.approx(math.sqrt(2.0 * math.log(200.0) / (6 * 200)), rel=1e-9)


def test_a_search_that_is_cut_short_only_adds():
    X = np.random.default_rng(0).standard_normal((14, 2))
    whole, cut = (plane_complexity(X, draws=3, max_nodes=most) for most in (None, 0))
    assert whole.mean <= cut.mean <= 1.0
    assert all(proof is None or proof.bound <= proof.errors for proof in cut.proofs)


def test_norm_balls_by_all_signs():
    X = np.random.default_rng(1).standard_normal((8, 2))
    Z = np.column_stack([X, np.ones(8)])
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))
    exact = 2.0 / 8.0 * float(np.linalg.norm(signs @ Z, axis=1).mean())
    found = ball_complexity(X, 2.0, draws=500)
    assert found.mean == pytest.approx(exact, rel=0.1)
    assert found.value >= exact
    assert exact <= 2.0 / 8.0 * math.sqrt((Z**2).sum())


def test_the_bound():
    complexity = Complexity(0.1, 0.08, 0.02, 10, 0.01)
    expected = 5 / 100 + 0.1 + 3.0 * math.sqrt(math.log(2.0 / 0.04) / 200.0)
    assert rademacher_bound(5, 100, complexity) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="larger than"):
        rademacher_bound(5, 100, complexity, 0.01)
    with pytest.raises(ValueError, match="at most n"):
        rademacher_bound(101, 100, complexity)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"delta": 0.0}, {"seed": -1}])
def test_refuses(wrong):
    with pytest.raises(ValueError, match="must be"):
        plane_complexity(POINTS, **wrong)

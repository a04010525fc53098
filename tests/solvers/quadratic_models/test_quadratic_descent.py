"""Coordinate descent on a quadratic model: both forms reach its minimiser; Anderson's extrapolation saves epochs."""

import math

import numpy as np
import pytest

from empirisk.designs import as_design
from empirisk.solvers.quadratic_models import quadratic_descent
from empirisk.solvers.quadratic_models.anderson import MEMORY, extrapolate
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.quadratic_descent import descend_on_columns, descend_on_matrix


def model(seed=0, k=12, n=40, bend=1.5):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, n)) * np.logspace(0, -bend, k)[:, None] + rng.normal(size=n)
    roots = rng.uniform(0.5, 1.0, size=n)
    return A, roots, rng.normal(size=k + 1), rng.normal(size=k + 1)


def by_matrix(A, roots, g, start, penalty, tol=1e-12, most=100_000):
    rows = np.vstack([A, roots])
    x = start.copy()
    return x, descend_on_matrix(rows @ rows.T, g, penalty, True, x, tol, most)


def by_columns(A, roots, g, start, penalty, tol=1e-12, most=100_000):
    x, weights = start.copy(), roots**2
    return x, descend_on_columns(as_design(A / roots), weights, weights.sum(), g, penalty, x, tol, most)


@pytest.mark.parametrize("descend", [by_matrix, by_columns])
@pytest.mark.parametrize("ends", [(-math.inf, math.inf), (-0.1, 0.3)])
def test_the_result_is_the_minimiser(descend, ends):
    A, roots, g, start = model()
    penalty = IntervalPenalty(0.3, 0.1, *ends)
    start[:-1] = np.clip(start[:-1], *ends)
    x, _ = descend(A, roots, g, start, penalty)
    rows = np.vstack([A, roots])
    slope = g + rows @ (rows.T @ (x - start))
    assert slope[-1] == pytest.approx(0.0, abs=1e-9)
    for j in range(12):
        pull = x[j] - (slope[j] + penalty.l2 * x[j])  # a step of the proximal gradient method stays at x
        moved = math.copysign(max(0.0, abs(pull) - penalty.l1), pull)
        assert x[j] == pytest.approx(min(max(moved, ends[0]), ends[1]), abs=1e-9)


def test_both_forms_agree():
    A, roots, g, start = model(1)
    penalty = IntervalPenalty(0.2, 0.0, -math.inf, math.inf)
    np.testing.assert_allclose(
        by_matrix(A, roots, g, start, penalty)[0], by_columns(A, roots, g, start, penalty)[0], atol=1e-8
    )


def test_extrapolation_saves_epochs(monkeypatch):
    A, _, g, start = model(2, bend=0.5)
    penalty = IntervalPenalty(0.01, 0.0, -math.inf, math.inf)
    descend = quadratic_descent._descend
    plain = getattr(descend, "py_func", descend)
    epochs, _ = plain(A @ A.T, g[:-1].copy(), penalty, start[:-1].copy(), 1e-8, 100_000)
    monkeypatch.setattr(quadratic_descent, "extrapolate", lambda points, out: False)
    assert 3 * epochs < plain(A @ A.T, g[:-1].copy(), penalty, start[:-1].copy(), 1e-8, 100_000)[0]


def test_the_linear_system_of_the_signs_saves_epochs(monkeypatch):
    A, roots, g, start = model(2, bend=0.5)
    penalty = IntervalPenalty(0.01, 0.0, -math.inf, math.inf)
    polished, epochs = by_matrix(A, roots, g, start, penalty)
    monkeypatch.setattr(quadratic_descent, "_polish", lambda *arguments: None)
    slow, more = by_matrix(A, roots, g, start, penalty)
    assert 2 * epochs < more
    np.testing.assert_allclose(polished, slow, atol=1e-8)


def test_a_linear_sequence_of_few_modes_is_solved_by_one_extrapolation():
    rates = np.array([0.9, 0.7, -0.5, 0.3])
    limit = np.array([1.0, 2.0, 3.0, 4.0])
    points = np.array([limit + rates**k * np.array([1.0, -2.0, 1.0, 3.0]) for k in range(MEMORY + 1)])
    out = np.empty(4)
    assert extrapolate(points, out)
    assert np.linalg.norm(out - limit) < 1e-3 * np.linalg.norm(points[-1] - limit)


def test_a_sequence_that_stands_still_is_not_extrapolated():
    assert not extrapolate(np.ones((MEMORY + 1, 3)), np.empty(3))

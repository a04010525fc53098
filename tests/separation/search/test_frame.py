"""Frames: what is left of columns is computed exactly, and then far from dependent."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from empirisk.separation.search.frame import NEAR, frame_of, is_near_singular


def dependent(n=60, n_drawn=5, n_made=4, seed=0):
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((n, n_drawn)) * 10.0 ** rng.integers(-9, 9, n_drawn)
    return np.column_stack([drawn, drawn @ rng.uniform(-1.0, 1.0, (n_drawn, n_made)), np.ones(n)])


def exact_values(values, vector):
    scale = Fraction(2) ** vector.exponent
    return [scale * sum(v * Fraction(float(row[j])) for j, v in vector.integers.items()) for row in values]


@pytest.mark.parametrize("seed", range(4))
def test_a_frame_is_far_from_dependent_and_right_to_the_last_digits(seed):
    values = dependent(seed=seed)
    assert is_near_singular(values)
    frame = frame_of(values)
    assert len(frame.vectors) == values.shape[1]
    assert 4 <= frame.is_plain.sum() <= 6
    assert np.linalg.cond(frame.values) < 1.0 / NEAR**2
    for k, vector in enumerate(frame.vectors):
        for x, exact in zip(frame.values[:, k], exact_values(values, vector), strict=True):
            assert abs(Fraction(float(x)) - exact) <= abs(exact) * Fraction(1, 2**50)


def test_columns_that_depend_exactly_are_left_out():
    rng = np.random.default_rng(0)
    drawn = rng.integers(-9, 9, (50, 3)).astype(float)
    thirds = 3.0 * drawn  # each drawn column is a third of one of them, which no float is
    values = np.column_stack([thirds, drawn[:, 0] + drawn[:, 1], np.ones(50), drawn[:, :1]])
    frame = frame_of(values)
    assert len(frame.vectors) == 4
    assert not is_near_singular(frame.values)


def test_the_plane_of_a_frame_has_the_same_scores():
    values = dependent()
    frame = frame_of(values)
    u = np.random.default_rng(1).standard_normal(len(frame.vectors))
    exact = exact_values(values, frame.vector(u))
    np.testing.assert_allclose([float(x) for x in exact], frame.values @ u, rtol=1e-12, atol=1e-14)
    plain = frame.plain()
    assert np.all(plain.is_plain)
    w, b = plain.plane(u[: len(plain.vectors)])
    np.testing.assert_allclose(values[:, :-1] @ w + b, plain.values @ u[: len(plain.vectors)], rtol=1e-9)


def test_independent_columns_need_no_frame():
    values = np.random.default_rng(0).standard_normal((400, 6))
    assert not is_near_singular(values)
    assert is_near_singular(np.column_stack([values, values[:, 0]]))
    assert not is_near_singular(np.column_stack([values, np.zeros(400)]))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_numbers_at_the_ends_of_double_precision_give_a_frame_or_none(size):
    with np.errstate(all="ignore"):
        values = np.clip(dependent(n_drawn=2, n_made=1) * size, -1e308, 1e308)
        frame = frame_of(values)
    assert frame is None or np.all(np.isfinite(frame.values))

"""The linear program: its value tells, its solution and its multipliers prove."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from empirisk.separation.points import points_of
from empirisk.separation.search.margin_program import solve_margin_program
from empirisk.separation.search.working_set import working_set


def solved(X, y, fit_intercept=True):
    points = points_of(X, y, fit_intercept)
    chosen = working_set(points, np.arange(points.n_rows))
    return chosen, solve_margin_program(chosen)


def points_in(chosen):
    """The signed points of a working set, with their intercept's coordinate."""
    X = chosen.design.values
    return chosen.y[:, None] * (np.column_stack([X, np.ones(len(X))]) if chosen.lift else X)


@given(
    hnp.arrays(np.float64, (9, 2), elements=st.integers(-4, 4).map(float)),
    st.lists(st.sampled_from([-1.0, 1.0]), min_size=8, max_size=8),
    st.booleans(),
)
def test_weak_and_strong_duality(X, y, fit_intercept):
    """t <= ||sum_i lambda_i z_i||_1 for every lambda, with equality here."""
    y = np.array([-1.0, 1.0, *y[1:]])
    chosen, program = solved(X, y, fit_intercept)
    Z = points_in(chosen)
    u = np.append(program.w, program.b) if fit_intercept else program.w
    assert np.all(np.abs(u) <= 1.0 + 1e-9)
    assert program.value == pytest.approx(max(0.0, float(np.min(Z @ u))), abs=1e-8)
    assert np.all(program.multipliers >= 0.0)
    assert program.multipliers.sum() == pytest.approx(1.0)
    assert np.abs(program.multipliers @ Z).sum() == pytest.approx(program.value, abs=1e-8)


def test_the_multipliers_of_inseparable_points_are_a_conflict():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [7.0, 7.0]])
    y = np.array([1, 1, 0, 0, 1])
    for rows in (X, scipy.sparse.csr_array(X)):
        _, program = solved(rows, y)
        assert program.value == pytest.approx(0.0, abs=1e-9)
        assert program.multipliers.sum() == pytest.approx(1.0)
        points = np.where(y == 1, 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(5)])
        assert program.multipliers @ points == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_working_set_changes_neither_the_question_nor_the_plane():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3)) * np.array([1e-9, 1.0, 1e9]) + np.array([0.0, 1e5, 0.0])
    y = np.sign(X[:, 0] * 1e9 + X[:, 1] - 1e5)
    chosen, program = solved(X, y)
    assert np.all(np.abs(chosen.design.values) <= 1.0)
    assert chosen.powers.dtype == np.int64
    w, b = chosen.plane(program.w, program.b)
    assert program.value > 0.0
    assert np.all(y * (X @ w + b) > 0.0)


def test_no_time_no_solution():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 60))
    points = points_of(X, np.sign(X[:, 0] + rng.standard_normal(3000)))
    assert solve_margin_program(working_set(points, np.arange(3000)), 0.0) is None

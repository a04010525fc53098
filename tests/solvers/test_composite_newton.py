"""Newton's method under any prox: few passes on any scale of the columns, and the models that it minimises."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.penalty_and_constraint import join
from empirisk.solvers.quadratic_models.proximal_model import minimize_model, model_of


def correlated(n=200, d=8, seed=0):
    """Columns of sizes from 0.01 to 100 that are nearly one, with means far from zero."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, 1)) + 0.05 * rng.normal(size=(n, d)) + 3.0) * np.logspace(-2, 2, d)
    z = (X - X.mean(axis=0)) @ (rng.normal(size=d) / X.std(axis=0)) + 0.3 * rng.normal(size=n)
    return X, np.where(z > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
def test_few_passes_where_fista_fails(wrap, intercept):
    X, y = correlated()
    s = np.random.default_rng(1).integers(0, 3, size=y.size).astype(float)
    constraint = er.L1Ball(1.0)
    problem = er.EmpiricalRisk(
        wrap(X), y, "logistic", l2=0.0, constraint=constraint, sample_weight=s, fit_intercept=intercept
    )
    ours = er.minimize(problem, er.solvers.CompositeNewton())
    fista = er.minimize(problem, er.FISTA(), max_passes=300)
    assert ours.certified
    assert ours.passes <= 40.0
    assert not fista.certified
    assert ours.objective <= fista.objective


def test_the_squared_loss_takes_one_model():
    X, _ = correlated()
    y = X @ np.logspace(2, -2, 8) + np.random.default_rng(2).normal(size=200)
    for radius in (0.1, 1.0, 100.0):
        found = er.minimize(er.EmpiricalRisk(X, y, "squared", l2=0.0, constraint=er.L1Ball(radius)), "composite_newton")
        assert found.certified
        assert found.passes <= 8.0


def test_the_unit_of_a_column_does_not_matter():
    """For weights >= 0 nothing but the unit of the weights changes."""
    X, y = correlated()
    units = np.logspace(2, -2, 8)
    half_line = {"l2": 0.0, "constraint": er.Box(0.0, np.inf)}
    plain = er.minimize(er.EmpiricalRisk(X, y, "logistic", **half_line), "composite_newton")
    other = er.minimize(er.EmpiricalRisk(X * units, y, "logistic", **half_line), "composite_newton")
    assert plain.certified
    assert other.objective == pytest.approx(plain.objective, rel=1e-6)
    assert abs(other.passes - plain.passes) <= 6.0


def test_the_objective_never_rises():
    X, y = correlated()
    problem = er.EmpiricalRisk(X, y, er.SquaredHinge(), l2=0.0, constraint=er.L1Ball(1.0))
    solver = er.solvers.CompositeNewton()
    state = solver.init(problem, LinearPoint(np.zeros(8), 0.0))
    for _ in range(12):
        after = solver.step(problem, state)
        assert after.objective <= state.objective * (1.0 + 1e-13)
        state = after


def test_rows_without_curvature_at_the_start_are_no_obstacle():
    X, _ = correlated()
    y = 1e3 + X[:, 3]  # far out on Huber's straight pieces
    found = er.minimize(er.EmpiricalRisk(X, y, er.Huber(0.1), l2=0.0, constraint=er.L1Ball(2.0)), "composite_newton")
    assert found.certified
    assert found.passes <= 100.0


@given(seed=st.integers(0, 10_000), rank=st.integers(1, 6), spread=st.floats(0.0, 3.0))
def test_models_are_minimised(seed, rank, spread):
    """To a proximal fixed point, for a singular matrix too: no point nearby is lower."""
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.uniform(-spread, spread, size=6)
    rows = rng.normal(size=(rank, 6)) * scales
    matrix, slope = rows.T @ rows, rows.T @ rng.normal(size=rank) + 0.1 * scales * rng.normal(size=6)
    omega = join(0.0, 0.0, None, er.L1Ball(1.0), 6)
    start = np.zeros(6)

    def value(x):
        return slope @ x + 0.5 * (rows @ x) @ (rows @ x) + omega.value(x)

    def gap(x, smooth, g):
        return omega.conjugate(-g) + g @ x

    x = minimize_model(omega, model_of(matrix, np.zeros(6), slope, start), gap, 0.0)
    size = abs(value(x)) + omega.conjugate(-slope)
    assert gap(x, 0.0, slope + matrix @ x) <= 1e-7 * size
    assert value(x) <= 1e-15 * size

"""The proximal Newton method on kinks: its envelope, the rows it works on, its starts, and the dual finish."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported
from empirisk.solvers.dual_newton import DualNewton
from empirisk.solvers.proximal_newton import ProximalNewton
from empirisk.solvers.smoothing.envelope import Envelope, evaluate, slope_along, unsettled
from empirisk.solvers.working_sets.rows import all_rows, sample_sizes, unsettled_rows

LOSSES = ["hinge", "epsilon_insensitive"]


def problem(loss="hinge", n=300, d=8, seed=0, wrap=np.asarray, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X[:, 0] + 0.5 * rng.normal(size=n)
    y = np.where(scores > 0, 1.0, -1.0) if loss == "hinge" else scores
    return er.EmpiricalRisk(wrap(X), y, loss, **({"l2": 1e-3} | options))


def duals_of(p, rng):
    """Feasible ones: both ends of each interval and points between."""
    u = np.clip(rng.normal(size=p.labels.size, scale=2.0), -1.0, 1.0)
    return np.abs(u) * p.labels if "classification" in p.loss.tasks() else u


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from(LOSSES), strength=st.floats(1e-3, 10.0))
def test_the_envelope_has_the_derivative_minus_u_and_the_curvature_given(seed, loss, strength):
    rng = np.random.default_rng(seed)
    p = problem(loss, n=20, seed=seed, sample_weight=np.arange(1.0, 21.0))
    envelope = Envelope(duals_of(p, rng), strength)
    z, change = rng.normal(size=(2, 20), scale=2.0)
    s = p.weights / p.total_weight

    def at(t):
        u, curvatures, changes = np.zeros((3, 20))
        sums = evaluate(p, envelope, z + t * change, u, curvatures, changes)
        conjugates = np.array([p.loss.conjugate(-a, b) for a, b in zip(u, p.labels, strict=True)])
        value = s @ (-conjugates - (z + t * change) * u - 0.5 * strength * (u - envelope.centers) ** 2)
        return float(value), u, curvatures, changes, sums

    step = 1e-7
    _, u, curvatures, changes, sums = at(0.0)
    slope = slope_along(p, envelope, z, change, 0.0)
    assert slope == pytest.approx(-float(s @ (u * change)), abs=1e-12)
    assert slope == pytest.approx((at(step)[0] - at(-step)[0]) / (2 * step), abs=1e-5 / strength)
    np.testing.assert_allclose(changes, s * u, atol=1e-15)
    assert sums.kinks >= -1e-15
    assert sums.curved == np.count_nonzero(curvatures)
    np.testing.assert_allclose(curvatures[curvatures > 0], (s / strength)[curvatures > 0], rtol=0.6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from(LOSSES))
def test_rows_left_out_are_known_without_a_look(seed, loss):
    rng = np.random.default_rng(seed)
    p = problem(loss, n=60, d=3, seed=seed, sample_weight=rng.integers(0, 3, size=60) + (np.arange(60) == 0))
    w, b, slack = rng.normal(size=3), 0.2, np.full(60, 0.3)
    z = scores_of(p.rows.whole(), w, b)
    u = np.array([-p.loss.derivative(a, t) for a, t in zip(z, p.labels, strict=True)])
    rows = unsettled(p, 0.01, z, u, slack)
    working = unsettled_rows(p, rows, u)
    others = np.setdiff1d(np.arange(60), rows)
    moved = w + 0.05 * rng.normal(size=3)
    new = scores_of(p.rows.whole(), moved, b)
    assume(rows.size and np.all(np.abs(new - z) <= slack))
    s = p.weights / p.total_weight
    values = np.array([p.loss.value(a, t) for a, t in zip(new, p.labels, strict=True)])
    assert working.others(moved, b) == pytest.approx(float(s[others] @ values[others]), abs=1e-12)
    assert np.array_equal(working.spread(u[rows], u), u)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_high_precision_takes_few_passes(loss, intercept):
    p = problem(loss, n=2000, fit_intercept=intercept)
    solution = er.minimize(p, ProximalNewton(), tol=1e-10)
    assert solution.certified
    assert solution.passes < 40
    assert solution.certificate.dual_rows.size <= 2 * 8


def test_the_rows_at_work_are_those_near_the_kink():
    p = problem(n=2000)
    solver = ProximalNewton()
    state = solver.init(p, p.zero())
    while state.rows.are_all:
        state = solver.step(p, state)
    assert state.scores.size < 1000
    w, b, u = solver.point(state)
    assert u.size == 2000
    z = scores_of(p.rows.whole(), w, b)
    objective = np.maximum(0.0, 1.0 - p.labels * z).mean() + 5e-4 * float(w @ w)
    assert state.at.objective == pytest.approx(objective, rel=1e-3)  # rows left out may have crossed the kink by now


def test_without_l2_it_is_the_linear_program():
    p = problem(n=60, d=3, l2=0.0)
    mine = er.minimize(p, ProximalNewton(), tol=1e-8)
    other = er.minimize(p, "linear_program", tol=1e-8)
    assert mine.objective == pytest.approx(other.objective, rel=1e-6)


def test_samples_are_for_many_rows_only():
    assert sample_sizes(problem(n=300).rows) == []
    tall = problem(n=100_000, d=3)
    sizes = sample_sizes(tall.rows)
    assert sizes == sorted(sizes)
    assert sizes[-1] == 25_000
    state = ProximalNewton().init(tall, tall.zero())
    assert state.gap < 0.1 * state.at.objective  # before the first look at all rows
    assert state.passes < 10


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_a_start_with_duals_saves_most_of_the_work(wrap):
    p = problem(n=1000, wrap=wrap)
    cold = er.minimize(p, ProximalNewton(), tol=1e-8)
    z = scores_of(p.rows.whole(), cold.weights, cold.intercept)
    implied = np.where(p.labels * z < 1.0, p.labels, 0.0)
    u = implied.copy()
    u[cold.certificate.dual_rows] = cold.certificate.dual_values
    solver = ProximalNewton()
    X = wrap(p.rows.whole().values) if wrap is np.asarray else p.rows.whole()
    near = er.EmpiricalRisk(X, p.labels, "hinge", l2=8e-4)
    state = solver.from_dual(near, cold.weights, cold.intercept, u)
    while state.gap > 1e-6 * state.at.objective:
        state = solver.step(near, state)
    assert state.passes < 0.7 * er.minimize(near, solver, tol=1e-6).passes


def test_dual_ascent_hands_over_where_it_is_slow():
    p = problem("epsilon_insensitive", n=120, d=6, fit_intercept=True)
    solver = DualNewton()
    state = solver.init(p, p.zero())
    while isinstance(state.part, er.SDCA):
        before, state = state, solver.step(p, state)
    assert before.inner.passes - before.mark_passes > 10.0
    solution = er.minimize(p, solver, tol=1e-10)
    assert solution.certified
    assert solution.passes < 0.5 * er.minimize(p, "sdca", tol=1e-10, max_passes=3000).passes


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_rows_of_very_different_size_are_solved_within_the_default_passes(loss, intercept):
    """As counts of words are: neither dual ascent nor conjugate gradients get far, the rows at kinks are few."""
    rng = np.random.default_rng(0)
    n, d, entries = 300, 400, 20
    columns = (d * rng.random((n, entries)) ** 3).astype(np.int32)  # some are frequent
    values = np.exp(2.5 * rng.normal(size=(n, 1))) * rng.random((n, entries))
    starts = np.arange(0, n * entries + 1, entries, dtype=np.int32)
    X = scipy.sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    p = er.EmpiricalRisk(X, np.sign(rng.normal(size=n)), loss, l2=0.01 / n, fit_intercept=intercept)
    solution = er.minimize(p)
    assert solution.solver == "dual_newton"
    assert solution.certified
    assert solution.passes < 500


def test_dual_ascent_goes_on_where_it_is_fast():
    p = problem(n=100, d=500, fit_intercept=False, l2=1e-2)
    a, b = er.minimize(p, DualNewton(), tol=1e-9), er.minimize(p, "sdca", tol=1e-9)
    assert a.certified
    assert np.array_equal(a.weights, b.weights)


def test_the_dual_finish_needs_l2():
    with pytest.raises(Unsupported, match="needs l2 > 0"):
        er.minimize(problem(l2=0.0), DualNewton())
    with pytest.raises(Unsupported, match="needs l1 = 0"):
        er.minimize(problem(l1=0.1), DualNewton())


def test_all_rows_leave_nothing_out():
    rows = all_rows(problem())
    assert rows.are_all
    assert rows.others(np.ones(8), 1.0) == 0.0

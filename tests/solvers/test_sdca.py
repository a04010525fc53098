"""Dual coordinate ascent: rows that drop out, the free estimate of the gap, starts."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import certify
from empirisk.problems.linear_point import LinearPoint
from empirisk.solvers.sdca import ROUND, SDCA


def problem(loss="hinge", n=400, d=10, noise=0.5, seed=0, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X[:, 0] + noise * rng.normal(size=n)
    y = np.where(scores > 0, 1.0, -1.0) if loss == "hinge" else scores
    return er.EmpiricalRisk(X, y, loss, **({"l2": 1e-2, "fit_intercept": False} | options))


def states(p, n_steps, solver=None):
    solver = solver or SDCA()
    found = [solver.init(p, p.zero())]
    for _ in range(n_steps):
        last = found[-1]
        copied = last._replace(u=last.u.copy(), w=last.w.copy(), seen=last.seen.copy(), order=last.order.copy())
        found.append(solver.step(p, copied))
    return found


def test_rows_at_an_end_drop_out_and_cost_no_passes():
    p = problem()
    found = states(p, 12)
    last = found[-1]
    assert last.n_active < 0.5 * last.u.size
    assert last.passes < 0.8 * len(found)
    left_out = last.order[last.n_active :]
    ends = np.isin(last.u[left_out] * p.labels[left_out], (0.0, 1.0))
    assert ends.mean() > 0.99  # a row may also rest strictly inside, where it does not move
    assert np.array_equal(np.sort(last.order), np.arange(last.u.size))


def test_all_rows_are_visited_again_after_a_digit():
    p = problem()
    seen_full = 0
    for before, after in zip((found := states(p, 30)), found[1:], strict=False):
        if before.last.gap <= ROUND * before.round_gap:
            assert after.passes - before.passes == pytest.approx(1.0)
            assert after.round_gap == after.last.gap
            seen_full += 1
    assert seen_full >= 2


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), intercept=st.booleans(), loss=st.sampled_from(["hinge", "epsilon_insensitive"]))
def test_whatever_drops_out_the_answer_is_that_of_newton(seed, intercept, loss):
    p = problem(loss, n=60, d=4, seed=seed, fit_intercept=intercept)
    mine = er.minimize(p, SDCA(), tol=1e-7, max_passes=20_000)
    other = er.minimize(p, er.solvers.ProximalNewton(), tol=1e-9)
    assert mine.certified
    assert mine.objective == pytest.approx(other.objective, rel=2e-7)


@pytest.mark.parametrize("options", [{}, {"l1": 0.05}], ids=["l2", "elastic net"])
def test_the_estimate_is_near_the_gap_of_the_certificate(options):
    p = problem(**options)
    solver = SDCA()
    for state in states(p, 15)[2:]:
        at = solver.progress(p, state)
        proof = certify(p, solver.point(state))
        assert proof.gap <= 1.5 * at.gap + 1e-3 * proof.scale
        assert at.objective - at.gap == pytest.approx(proof.dual_value, rel=1e-9)


def test_no_certificate_is_wasted_on_an_easy_problem():
    solution = er.minimize(problem(noise=0.05), SDCA(), tol=1e-6)
    checks = [check for check in solution.trace.checks if not np.isnan(check.gap)]
    assert solution.certified
    assert len(checks) <= 1 + 0.1 * solution.passes


def test_epsilon_insensitive_reaches_high_precision():
    solution = er.minimize(problem("epsilon_insensitive"), SDCA(), tol=1e-9, max_passes=1000)
    assert solution.certified


def test_seeds_repeat_and_differ():
    p = problem()
    a, b, c = (states(p, 5, SDCA(seed))[-1].w for seed in (0, 0, 1))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_a_row_of_weight_zero_is_never_visited_again():
    p = problem(n=50, sample_weight=np.arange(50) % 2)
    state = states(p, 1)[-1]
    assert state.n_active <= 25
    assert not np.any(state.u[::2])


def test_a_dual_start_saves_passes_along_a_path():
    n = 400
    solver, cold, warm = SDCA(), 0.0, 0.0
    duals = None
    for l2 in (4 / n, 3 / n, 2 / n, 1.5 / n, 1 / n):
        p = problem(n=n, d=20, l2=l2)
        plain = er.minimize(p, solver, tol=1e-3)
        assert plain.certified
        state = solver.init(p, p.zero()) if duals is None else solver.from_dual(p, *p.zero()[:2], duals)
        while not certify(p, solver.point(state)).is_within(1e-3):
            state = solver.step(p, state)
        duals = state.u
        if l2 < 4 / n:
            cold, warm = cold + plain.passes, warm + state.passes
    assert warm < 0.7 * cold


def test_implied_duals_are_scaled_to_the_best_multiple():
    p = problem(l2=1e-4)
    w = np.zeros(10)
    w[0] = 0.1
    start = SDCA().init(p, LinearPoint(w, 0.0))
    assert -start.last.conjugates - start.last.omega > 0.0  # that of zero duals
    scale = np.abs(start.u).max()
    assert 0.0 < scale < 1.0
    for other in (0.9, 1.1):
        moved = SDCA().from_dual(p, w, 0.0, other * start.u)
        assert moved.last.conjugates + moved.last.omega >= start.last.conjugates + start.last.omega


def test_sparse_rows_take_the_same_steps():
    p = problem(n=80, d=5)
    X = scipy.sparse.csr_array(p.rows.whole().values)
    sparse = er.EmpiricalRisk(X, p.labels, "hinge", l2=1e-2, fit_intercept=False)
    a, b = states(p, 6)[-1], states(sparse, 6)[-1]
    np.testing.assert_allclose(a.w, b.w, rtol=1e-9, atol=1e-12)
    assert a.n_active == b.n_active

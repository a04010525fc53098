"""Frank-Wolfe: its rates in steps, its gap as the certificate, sparse iterates, and what it refuses."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import duality_gap
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty, project
from empirisk.protocols import Unsupported
from empirisk.solvers import frank_wolfe
from empirisk.solvers.frank_wolfe import FrankWolfe

RNG = np.random.default_rng(0)
N, D = 200, 12
X = RNG.normal(size=(N, D)) + 0.3
Z = X @ np.linspace(0.8, -0.4, D) + 0.3 * RNG.normal(size=N)
CLASSES = np.sign(Z - np.median(Z))
WEIGHTS = RNG.integers(0, 3, size=N).astype(float)

POLYTOPES = {"l1_ball": er.L1Ball(1.0), "simplex": er.Simplex(1.5), "box": er.Box(-0.2, 0.4)}
SETS = POLYTOPES | {"l2_ball": er.L2Ball(0.7)}


def squared(constraint, l2=0.0, **options):
    return er.EmpiricalRisk(X, Z, "squared", l2=l2, constraint=constraint, **({"fit_intercept": False} | options))


def states(problem, solver, n_steps):
    w, b, _ = problem.zero()
    state = solver.init(problem, LinearPoint(project(problem, w), b))
    for _ in range(n_steps):
        yield state
        state = solver.step(problem, state)
    yield state


def frank_wolfe_gap(constraint, w, l1):
    """max over s of <grad, w - s> + l1 (||w||_1 - ||s||_1), from the corners of the set."""
    g = X.T @ (X @ w - Z) / N
    if isinstance(constraint, er.L2Ball):
        best = -constraint.radius * np.linalg.norm(np.maximum(0.0, np.abs(g) - l1))
    elif isinstance(constraint, er.L1Ball):
        best = constraint.radius * min(0.0, l1 - np.abs(g).max())
    elif isinstance(constraint, er.Simplex):
        best = constraint.radius * (l1 + g.min())
    else:
        ends = np.array([constraint.low, 0.0, constraint.high])
        best = (np.outer(g, ends) + l1 * np.abs(ends)).min(axis=1).sum()
    return g @ w + l1 * np.abs(w).sum() - best


@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("name", SETS)
def test_the_certificate_is_the_frank_wolfe_gap(name, l1):
    problem = squared(SETS[name], l1=l1)
    least_penalty = 1.5 * l1 if name == "simplex" else 0.0
    for state in states(problem, FrankWolfe("diminishing"), 30):
        gap = frank_wolfe_gap(SETS[name], state.w, l1)
        assert state.gap == pytest.approx(gap, rel=1e-9)
        at_most = state.objective - least_penalty  # the dual point zero proves this much
        assert duality_gap(problem, LinearPoint(state.w, 0.0)).gap == pytest.approx(min(gap, at_most), rel=1e-9)
    assert gap < at_most


def test_with_l2_the_certificate_is_tighter():
    problem = squared(er.L1Ball(1.0), l2=0.1)
    w = np.linspace(-0.05, 0.05, D)
    g = X.T @ (X @ w - Z) / N + 0.1 * w
    assert duality_gap(problem, LinearPoint(w, 0.0)).gap < g @ w + np.abs(g).max()


@pytest.mark.parametrize("steps", ["exact", "short", "diminishing"])
@pytest.mark.parametrize("name", ["l1_ball", "simplex"])
def test_plain_steps_fall_like_one_over_k(name, steps):
    """P - min P <= 2 C / (k + 2), and the best gap so far <= 6.75 C / (k + 2) (Jaggi, 2013); C is a largest square."""
    problem = squared(SETS[name])
    corners = SETS[name].radius * (np.vstack([X.T, -X.T]) if name == "l1_ball" else X.T)
    curvature = ((corners[:, None, :] - corners[None, :, :]) ** 2).sum(axis=2).max() / N
    least = er.minimize(problem, "fista", tol=1e-12).objective
    best_gap = math.inf
    for k, state in enumerate(states(problem, FrankWolfe(steps, "plain"), 300)):
        best_gap = min(best_gap, state.gap)
        if k > 0:
            assert state.objective - least <= 2.0 * curvature / (k + 2)
            assert best_gap <= 6.75 * curvature / (k + 2)
    assert best_gap > 1e-6 * least  # it is slow: a linear rate would be through


def steps_to(problem, solver, levels, most):
    """The first step with a gap of at most each level, relative to the objective."""
    found, k = [], 0
    for k, state in enumerate(states(problem, solver, most)):
        while len(found) < len(levels) and state.gap <= levels[len(found)] * state.objective:
            found.append(k)
        if len(found) == len(levels):
            return found
    raise AssertionError(f"level {levels[len(found)]} is not reached in {k} steps")


@pytest.mark.parametrize("steps", ["exact", "short"])
@pytest.mark.parametrize("variant", ["away", "pairwise"])
@pytest.mark.parametrize("name", POLYTOPES)
def test_away_and_pairwise_steps_converge_linearly_on_polytopes(name, variant, steps):
    problem = squared(SETS[name], l2=1e-2)
    first, second, third = steps_to(problem, FrankWolfe(steps, variant), [1e-3, 1e-6, 1e-9], 200)
    assert third - second <= 2 * (second - first) + 10  # each factor of a thousand takes about as many steps
    plain = FrankWolfe(steps, "plain")
    with pytest.raises(AssertionError, match="not reached"):
        steps_to(problem, plain, [1e-6], 200)


@pytest.mark.parametrize("radius", [0.5, 20.0], ids=["boundary", "interior"])
def test_exact_steps_converge_linearly_on_the_l2_ball(radius):
    """On the boundary with a gradient (Levitin and Polyak, 1966), and inside (Guelat and Marcotte, 1986)."""
    problem = squared(er.L2Ball(radius), l2=1e-2)
    first, second, third = steps_to(problem, FrankWolfe(), [1e-3, 1e-6, 1e-9], 200)
    assert third - second <= 2 * (second - first) + 10


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.01])
@pytest.mark.parametrize("name", POLYTOPES)
def test_it_certifies_1e_9(name, l1, intercept):
    problem = er.EmpiricalRisk(X, CLASSES, l1=l1, l2=1e-2, constraint=SETS[name], fit_intercept=intercept)
    solution = er.minimize(problem, FrankWolfe(), tol=1e-9)
    assert solution.certified
    assert solution.passes < 500


@pytest.mark.parametrize(("wrap", "dtype"), [(np.asarray, np.float64), (scipy.sparse.csr_array, np.float32)])
@pytest.mark.parametrize("name", SETS)
def test_agrees_with_fista(name, wrap, dtype):
    rows = wrap((X * (np.abs(X) > 0.5)).astype(dtype))
    problem = er.EmpiricalRisk(rows, CLASSES, "logistic", l2=1e-3, constraint=SETS[name], sample_weight=WEIGHTS)
    fast = er.minimize(problem, "fista", tol=1e-10)
    solution = er.minimize(problem, FrankWolfe(), tol=1e-9)
    assert solution.certified
    assert solution.objective == pytest.approx(fast.objective, rel=1e-9)
    np.testing.assert_allclose(solution.weights, fast.weights, atol=1e-3)
    assert solution.intercept == pytest.approx(fast.intercept, abs=1e-3)


@pytest.mark.interpreted
def test_a_loss_that_is_only_a_derivative_and_an_entropy():
    problem = er.EmpiricalRisk(
        X, CLASSES, "exponential", l2=0.0, constraint=er.Simplex(), regularizer=er.NegativeEntropy(0.1)
    )
    assert er.minimize(problem, FrankWolfe(), tol=1e-8).certified


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("variant", ["plain", "away", "pairwise"])
def test_on_the_l1_ball_there_are_at_most_as_many_nonzeros_as_steps(variant, wrap):
    wide = np.random.default_rng(1).normal(size=(60, 300))
    problem = er.EmpiricalRisk(wrap(wide), wide[:, :4].sum(axis=1), "squared", l2=0.0, constraint=er.L1Ball(2.0))
    for k, state in enumerate(states(problem, FrankWolfe(variant=variant), 40)):
        assert np.count_nonzero(state.w) <= k
    assert state.passes <= 2 + 40 * (1 + 2 / 300)  # a step reads the data once, and at most two columns again


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_columns_give_the_same_scores_as_a_pass(wrap, monkeypatch):
    wide = np.random.default_rng(1).normal(size=(60, 40))
    problem = er.EmpiricalRisk(wrap(wide), wide[:, :4].sum(axis=1), "squared", l2=0.0, constraint=er.L1Ball(2.0))
    *_, by_columns = states(problem, FrankWolfe(), 10)
    monkeypatch.setattr(frank_wolfe, "FEW_COLUMNS", math.inf)
    *_, by_passes = states(problem, FrankWolfe(), 10)
    assert by_passes.passes > by_columns.passes + 5
    np.testing.assert_allclose(by_columns.w, by_passes.w, atol=1e-12)


def test_on_the_simplex_it_starts_from_a_corner_unless_told_where():
    problem = squared(er.Simplex(1.5))
    assert all(np.count_nonzero(s.w) <= k + 1 for k, s in enumerate(states(problem, FrankWolfe(), 10)))
    start = np.linspace(1.0, 2.0, D) * 1.5 / 18.0
    assert FrankWolfe().init(problem, LinearPoint(start, 0.0)).w is start


@settings(max_examples=20)
@given(
    st.sampled_from(sorted(SETS)),
    st.sampled_from(["plain", "auto"]),
    st.sampled_from([0.0, 0.02]),
    st.sampled_from([0.0, 0.1]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_every_exact_step_stays_inside_and_lowers_the_objective(name, variant, l1, l2, intercept, seed):
    rng = np.random.default_rng(seed)
    problem = squared(SETS[name], l2=l2, l1=l1, fit_intercept=intercept)
    solver = FrankWolfe("exact", variant)
    state = solver.init(problem, LinearPoint(project(problem, rng.normal(size=D) * rng.choice([0.01, 1.0])), 0.0))
    for _ in range(20):
        before, state = state, solver.step(problem, state)
        assert math.isfinite(penalty(problem, state.w))
        assert state.objective <= before.objective * (1 + 1e-14)
        assert abs(state.at.intercept) <= 1e-7 * (1 if intercept else 0)


def test_the_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60_000, 20))
    problem = er.EmpiricalRisk(rows, np.sign(rows[:, 0] + rng.normal(size=60_000)), l2=0.0, constraint=er.L2Ball(0.5))
    one, two = (er.minimize(problem, FrankWolfe(), max_passes=20, n_threads=k) for k in (1, 2))
    assert len(problem.rows.tree.leaves(problem.rows.n_columns + 1)) > 1
    assert one.weights.tobytes() == two.weights.tobytes()


def test_it_stops_at_the_limit_of_floating_point():
    solution = er.minimize(squared(er.L1Ball(1.0)), FrankWolfe(), tol=1e-300)
    assert solution.status in (er.Status.STALLED, er.Status.FLOATING_POINT)
    assert solution.certificate.relative_gap < 1e-11


@pytest.mark.parametrize(
    ("solver", "constraint", "error", "words"),
    [
        (FrankWolfe(), None, Unsupported, "needs a bounded constraint: l2_ball, l1_ball, simplex or a box with two"),
        (FrankWolfe(), er.Box(0.0, math.inf), Unsupported, "needs a bounded constraint"),
        (FrankWolfe("long"), er.L1Ball(), ValueError, "steps must be one of 'exact', 'short', 'diminishing', got 'lo"),
        (FrankWolfe(variant="far"), er.L1Ball(), ValueError, "variant must be one of 'auto', 'plain', 'away', 'pairw"),
        (FrankWolfe(variant="away"), er.L2Ball(), Unsupported, "away steps need a polytope.* for l2_ball take variant"),
        (FrankWolfe("diminishing", "away"), er.L1Ball(), ValueError, "'diminishing' go with variant 'plain', got 'aw"),
    ],
)
def test_what_it_refuses(solver, constraint, error, words):
    with pytest.raises(error, match=words):
        er.minimize(squared(constraint), solver)


def test_short_steps_need_a_smooth_loss():
    problem = er.EmpiricalRisk(X, CLASSES, "exponential", l2=0.0, constraint=er.L1Ball())
    with pytest.raises(Unsupported, match=r"needs loss\.smoothness"):
        er.minimize(problem, FrankWolfe("short"))

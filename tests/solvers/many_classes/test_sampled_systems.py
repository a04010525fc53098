"""Softmax with many rows for each column: systems with the Hessian of a sample, and a start from one."""

import numpy as np
import pytest

import empirisk as er
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import blank_scores, gradient, hessian_products, to_curvatures
from empirisk.solvers.linear_systems.conjugate_gradient import newton_direction
from empirisk.solvers.linear_systems.multiclass_hessian import add_penalty, softmax_hessian
from empirisk.solvers.linear_systems.multiclass_preconditioner import (
    Blocks,
    SampledWhole,
    preconditioner,
    systematic_draws,
    whole_sample,
)
from empirisk.solvers.newton import Newton
from empirisk.vector_losses import OneVersusRest, Softmax

pytestmark = pytest.mark.interpreted
K, D = 3, 8


def problem_of(n=4000, loss=None, **options):
    """Columns that hang together, and a rare class."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, D)) @ rng.normal(size=(D, D)) + 0.5
    y = np.argmax(X[:, :K] + rng.gumbel(size=(n, K)) - [0.0, 0.0, 3.0], axis=1)
    return MulticlassRisk(X, y, K, loss or Softmax(1.0), l2=1e-4, **options)


def system_of(problem):
    """Curvatures and slope away from zero."""
    x = 0.1 * np.random.default_rng(2).normal(size=(D + 1, K))
    x -= x.mean(axis=1, keepdims=True)
    x[-1] *= problem.fit_intercept
    scores = blank_scores(problem, x)
    slope = gradient(problem, x, scores).slope
    return to_curvatures(problem, scores), slope


@pytest.fixture(autouse=True)
def small_systems(monkeypatch):
    """A Hessian of 27 coordinates counts as one that is too dear to form from all rows."""
    monkeypatch.setattr("empirisk.solvers.linear_systems.multiclass_hessian.SMALL", 1)
    monkeypatch.setattr("empirisk.solvers.linear_systems.multiclass_hessian.MOST_PRODUCTS", 0.0)


@pytest.mark.parametrize("intercept", [False, True], ids=["through zero", "intercept"])
def test_the_sample_stands_for_all_rows(intercept):
    problem = problem_of(fit_intercept=intercept)
    curvatures, slope = system_of(problem)
    sampled = preconditioner(problem, curvatures)
    assert isinstance(sampled, SampledWhole)
    whole = add_penalty(problem, softmax_hessian(problem, curvatures))
    used = D + intercept
    images = [sampled.apply((whole @ basis).reshape(used, K)) for basis in np.eye(used * K)] if intercept else []
    if intercept:  # M^-1 H is near the identity on what has no sum over the classes
        center = np.kron(np.eye(used), np.eye(K) - 1.0 / K)
        spread = np.linalg.eigvals(np.column_stack([image.ravel() for image in images]) @ center).real
        spread = spread[spread > 1e-6]
        assert spread.size == used * (K - 1)
        assert spread.max() / spread.min() < 3.0
    direction, products = newton_direction(hessian_products(problem, curvatures), slope, sampled)
    exact = np.linalg.solve(whole, -slope[:used].ravel()).reshape(used, K)
    assert products <= 8
    assert np.allclose(direction[:used], exact, atol=0.02 * np.abs(exact).max())


def test_it_takes_fewer_products_than_a_block_for_each_class():
    problem = problem_of()
    curvatures, slope = system_of(problem)
    taken = newton_direction(hessian_products(problem, curvatures), slope, preconditioner(problem, curvatures))[1]
    split = MulticlassRisk(problem.rows.whole().values, problem.labels, K, OneVersusRest(er.Logistic()), l2=1e-4)
    blocks = preconditioner(split, curvatures * (1.0 - curvatures))
    assert isinstance(blocks, Blocks)
    other = newton_direction(hessian_products(problem, curvatures), slope, blocks._replace(centers=True))[1]
    assert taken < other


def test_where_there_is_no_sample():
    assert whole_sample(problem_of(n=60)) == 0  # too few rows
    assert whole_sample(problem_of(loss=OneVersusRest(er.Logistic()))) == 0  # no class hangs on another


def test_rows_without_weight_are_never_drawn():
    weights = np.zeros(4000)
    weights[[7, 4, 11]] = 1.0, 2.0, 3.0
    lonely = problem_of(sample_weight=weights)
    curvatures, slope = system_of(lonely)
    found = preconditioner(lonely, curvatures)
    assert isinstance(found, SampledWhole)
    whole = add_penalty(lonely, softmax_hessian(lonely, curvatures))
    right = slope - slope.mean(axis=1, keepdims=True)
    assert np.allclose(whole @ found.apply(right).ravel(), right.ravel(), atol=0.02 * np.abs(right).max())


def test_draws_meet_rows_as_often_as_their_chances_say():
    chances = np.array([0.0, 0.5, 0.125, 0.0, 0.375])
    rows, times = systematic_draws(chances, 8)
    assert rows.tolist() == [1, 2, 4]
    assert times.tolist() == [4, 1, 3]


def test_it_begins_at_about_the_answer_for_a_sample(monkeypatch):
    monkeypatch.setattr("empirisk.solvers.newton.SAMPLED_ENTRIES", 1)
    problem = problem_of()
    began = Newton().init(problem, problem.zero())
    least = er.minimize(problem, Newton(), tol=1e-8)
    assert least.certified
    assert began.gradient.objective < 1.05 * least.objective < np.log(K)  # which is the objective at zero
    assert began.passes < 20.0
    kept = Newton().init(problem, problem.start((least.weights, least.intercept)))
    assert kept.gradient.objective == pytest.approx(least.objective)

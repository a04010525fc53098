"""Learners that are the same under other names, to rounding; and some that are not."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.mirror_maps import DiagonalQuadratic, MatrixQuadratic
from empirisk.online import MirrorDescent, best_regularizer
from empirisk.update_rules.adagrad import INTERCEPT_SQUARE, SQUARE
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted

BALL = {"constraint": "l2_ball:radius=0.5", "fit_intercept": False}


def answers(learner, options, kind="random", loss="logistic"):
    X, y, s = rows(kind)
    run = er.online.learn(X[:0], y[:0], learner, loss=loss, **options)
    return run.learn(X, y, s)


def agree(first, second):
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"l2": 0.1}, {"l1": 0.02, "l2": 0.1}, BALL], ids=str)
def test_agile_mirror_descent_is_gradient_descent(options):
    agree(answers("mirror_descent:t=0.3", options), answers("gradient_descent:steps=constant,length=0.3", options))


@pytest.mark.parametrize("options", [{}, {"l2": 0.1}, BALL], ids=str)
def test_lazy_mirror_descent_is_the_regularized_leader(options):
    agree(answers("mirror_descent:form=lazy,t=0.3", options), answers("follow_the_regularized_leader:t=0.3", options))


def test_without_a_set_the_leader_is_gradient_descent():
    agree(answers("follow_the_regularized_leader:t=0.3", {}), answers("gradient_descent:steps=constant,length=0.3", {}))


def test_on_a_ball_agile_and_lazy_differ():
    agile, lazy = answers("mirror_descent:t=0.5", BALL), answers("mirror_descent:form=lazy,t=0.5", BALL)
    assert np.max(np.abs(agile - lazy)) > 0.01


def test_on_the_simplex_the_entropy_makes_them_one():
    simplex = {"constraint": "simplex:radius=2", "fit_intercept": False}
    agile = answers("mirror_descent:mirror_map=entropic,t=0.5", simplex)
    lazy = answers("follow_the_regularized_leader:mirror_map=entropic,t=0.5", simplex)
    np.testing.assert_allclose(agile, lazy, rtol=1e-10)


@pytest.mark.parametrize("form", ["agile", "lazy"])
@pytest.mark.parametrize("options", [{"l1": 0.02, "l2": 0.1}, BALL, {**BALL, "constraint": "l1_ball"}], ids=str)
def test_equal_lengths_make_quadratics_euclidean(form, options):
    euclidean = answers(f"mirror_descent:form={form},t=0.25", {**options, "fit_intercept": False})
    for mirror in (DiagonalQuadratic([2.0] * 4), MatrixQuadratic(2.0 * np.eye(4))):
        found = answers(MirrorDescent(mirror, form, 0.5), {**options, "fit_intercept": False})
        np.testing.assert_allclose(found, euclidean, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("options", [{"l1": 0.02, "l2": 0.1}, BALL], ids=str)
def test_a_diagonal_matrix_is_a_diagonal(options):
    h = [0.5, 1.0, 3.0, 0.1]
    maps = DiagonalQuadratic(h), MatrixQuadratic(np.diag(h))
    first, second = (answers(MirrorDescent(mirror), options) for mirror in maps)
    np.testing.assert_allclose(first, second, rtol=1e-10, atol=1e-12)


def test_the_signed_entropy_is_that_of_doubled_columns():
    X, y, _ = rows("random")
    ball = answers(
        "mirror_descent:mirror_map=signed_entropic,t=0.5", {"constraint": "l1_ball:radius=2", "fit_intercept": False}
    )
    run = er.online.learn(
        np.hstack([X, -X])[:0],
        y[:0],
        "mirror_descent:mirror_map=entropic,t=0.5",
        constraint="simplex:radius=2",
        fit_intercept=False,
    )
    np.testing.assert_allclose(run.learn(np.hstack([X, -X]), y), ball, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_without_penalty_and_set_the_proximal_leader_is_adagrad(kind):
    agree(answers("ftrl_proximal:alpha=0.3,beta=0", {}, kind), answers("adagrad:alpha=0.3", {}, kind))


@pytest.mark.parametrize("penalty", ["each", "once"])
def test_the_proximal_leader_is_the_published_one(penalty):
    X, y, _ = rows("sparse")
    alpha, beta, l1, l2 = 0.4, 0.7, 0.05, 0.02
    z, n, scores = np.zeros(4), np.zeros(4), []
    for k, (x, label) in enumerate(zip(X.toarray(), y, strict=True)):
        charged = 1.0 if penalty == "once" else k
        w = -np.sign(z) * np.maximum(np.abs(z) - charged * l1, 0.0) / ((beta + np.sqrt(n)) / alpha + charged * l2)
        scores.append(x @ w)
        g = -label * x / (1.0 + np.exp(label * scores[-1]))
        z += g - (np.sqrt(n + g * g) - np.sqrt(n)) / alpha * w
        n += g * g
    options = {"l1": l1, "l2": l2, "fit_intercept": False}
    agree(answers(f"ftrl_proximal:alpha={alpha},beta={beta},penalty={penalty}", options, "sparse"), scores)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", [{"l2": 0.05}, {"l1": 0.02, "l2": 0.01}], ids=str)
def test_adagrad_is_the_solver_begun_at_its_squares(penalty, wrap):
    X, y, _ = rows("random")
    problem = er.EmpiricalRisk(wrap(X), y, "logistic", **penalty)
    solver = er.Adagrad(0.3, shuffle=False, average="none")
    begun = solver.init(problem, problem.zero())
    run = er.online.learn(wrap(X)[:0], y[:0], "adagrad:alpha=0.3", **penalty)
    rule = run.state.rule
    rule.numbers[INTERCEPT_SQUARE] = begun.square_b
    rule.records[:, SQUARE] = begun.squares
    run.learn(wrap(X), y)
    after = solver.step(problem, begun)
    agree(run.point().weights, after.w)
    assert run.point().intercept == pytest.approx(after.b, rel=1e-12)


@pytest.mark.parametrize("options", [{"l1": 0.02, "l2": 0.1}, {"constraint": "box:low=-0.2,high=0.3"}], ids=str)
def test_in_one_column_full_adagrad_is_adagrad(options):
    X, y, s = rows("heavy", d=1)
    both = [er.online.learn(X[:0], y[:0], name, fit_intercept=False, **options) for name in ("adagrad", "full_adagrad")]
    agree(*(run.learn(X, y, s) for run in both))
    assert best_regularizer(both[0]).cost == pytest.approx(best_regularizer(both[1]).cost, rel=1e-12)


def test_on_rows_of_one_entry_full_adagrad_is_adagrad():
    options = {"l2": 0.01, **BALL}
    found, wanted = (answers(name, options, "one_hot") for name in ("full_adagrad", "adagrad"))
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("loss", "cost"), [("hinge", 0.3), ("squared_hinge", 0.7)])
def test_implicit_descent_is_passive_and_aggressive(loss, cost):
    X, y, _ = rows("random")
    w, scores = np.zeros(4), []
    for x, label in zip(X, y, strict=True):
        scores.append(x @ w)
        lost = max(0.0, 1.0 - label * scores[-1])
        step = min(cost, lost / (x @ x)) if loss == "hinge" else lost / (x @ x + 1.0 / (2.0 * cost * scale_of(loss)))
        w = w + step * label * x
    agree(answers(f"implicit_descent:t={cost}", {"fit_intercept": False}, loss=loss), scores)


def scale_of(loss):
    """The factor of the square: half of the second derivative."""
    return 0.5 * er.losses.LOSSES[loss]().second_derivative(-1.0, 1.0)


def test_the_perceptron_loss_with_step_one_is_the_perceptron():
    X, y, _ = rows("random")
    X = X + y[:, None] * [1.0, 0.0, 0.0, 0.0]
    run = er.online.learn(X[:0], y[:0], "gradient_descent:steps=constant,length=1", loss="perceptron")
    for n in range(1, y.size + 1):  # mistake for mistake
        run.learn(X[n - 1 : n], y[n - 1 : n])
        if abs(y[:n].sum()) < n:  # two classes
            assert run.ledger.errors == er.perceptron(X[:n], y[:n], order="cyclic", max_passes=1).mistakes
    rng, radius, wrong = np.random.default_rng(5), math.sqrt((X * X).sum(axis=1).max() + 1.0), run.ledger.errors
    assert wrong > 3
    for _ in range(200):
        u, b = rng.normal(size=4) * rng.exponential(2.0), rng.normal()
        hinge = np.maximum(0.0, 1.0 - y * (X @ u + b)).sum()
        assert wrong - radius * math.hypot(*u, b) * math.sqrt(wrong) <= hinge + 1e-12


def test_a_leader_is_led_by_the_nose():
    X = np.array([[1.0], *([[-2.0], [2.0]] * 100)])[:101] * 0.5
    y = np.ones(101)
    box = {"constraint": "box:low=-1,high=1", "fit_intercept": False, "loss": "absolute"}
    # Slopes of |z - y| at scores below y are -1: gradients are -1/2, 1, -1, 1, ...
    leader = er.online.learn(X, 10.0 * y, "follow_the_leader", **box).regret(X, 10.0 * y)
    calm = er.online.learn(X, 10.0 * y, "follow_the_regularized_leader:t=0.1", **box).regret(X, 10.0 * y)
    assert leader.regret >= 99.0
    assert calm.regret <= 11.0
    assert leader.holds
    assert calm.holds


def test_lazy_descent_moves_the_point_before_its_projection():
    X, y, s = rows("random")
    ball = {"constraint": "l2_ball:radius=0.5", "fit_intercept": False, "sample_weight": s}
    steps = ("constant,length=0.3", f"horizon,horizon=36,distance={0.3 * 6},gradient=1")
    lazy = [er.online.learn(X, y, f"gradient_descent:form=lazy,steps={text}", **ball) for text in steps]
    mirror = er.online.learn(X, y, "mirror_descent:form=lazy,t=0.3", **ball)
    agile = er.online.learn(X, y, "gradient_descent:steps=constant,length=0.3", **ball)
    for run in lazy:
        np.testing.assert_allclose(run.point().weights, mirror.point().weights, rtol=1e-12)
        assert run.regret(X, y, s).bound == pytest.approx(mirror.regret(X, y, s).bound, rel=1e-9)
    assert np.abs(lazy[0].point().weights - agile.point().weights).max() > 1e-3
    with pytest.raises(ValueError, match="form=lazy takes steps=constant or steps=horizon"):
        er.online.learn(X, y, "gradient_descent:form=lazy", **ball)
    with pytest.raises(ValueError, match="form must be one of agile, lazy"):
        er.online.learn(X, y, "gradient_descent:form=eager", **ball)

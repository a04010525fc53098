"""The online Newton step is what its formula says, promises what its theorem does, and says where that ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

import empirisk as er
from empirisk.capabilities import MOST_FACTORED
from empirisk.online.learners.promise import promised
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from tests.online.games import rows

pytestmark = pytest.mark.interpreted

BALL = {"constraint": "l2_ball:radius=0.5", "fit_intercept": False}


def test_it_is_the_formula():
    X, y, _ = rows("random", n=30)
    ball = {"constraint": "l2_ball:radius=0.2", "fit_intercept": False}
    run = er.online.learn(X[:0], y[:0], "newton_step:gradient=5", **ball)
    found = run.learn(X, y)
    gamma = 0.5 * min(1.0 / (5.0 * 0.4), math.exp(-1.0))  # scores are at most 0.2 times 5
    A, w, projected = np.eye(4) / (0.4 * gamma) ** 2, np.zeros(4), 0
    for k in range(30):
        assert found[k] == pytest.approx(X[k] @ w, rel=1e-6, abs=1e-7)
        g = -y[k] * X[k] / (1.0 + math.exp(y[k] * found[k]))
        A += np.outer(g, g)
        w = w - np.linalg.solve(A, g) / gamma
        if np.linalg.norm(w) > 0.2:
            projected += 1
            w = onto_ball(A, w)
    assert projected > 3
    np.testing.assert_allclose(run.point().weights, w, rtol=1e-6, atol=1e-7)


def onto_ball(A, x):
    """In the norm of A."""
    best = scipy_minimize(
        lambda w: (w - x) @ A @ (w - x) / np.trace(A),
        0.1 * x / np.linalg.norm(x),
        jac=lambda w: 2.0 * A @ (w - x) / np.trace(A),
        constraints={"type": "ineq", "fun": lambda w: 0.04 - w @ w, "jac": lambda w: -2.0 * w},
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return best.x


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "exponential"])
def test_the_inequality_that_its_proof_rests_on(loss):
    """loss(w) - loss(u) <= <g, w - u> - gamma/2 <g, w - u>^2 on the set, and not with ten times the gamma."""
    rng, learner = np.random.default_rng(0), "newton_step:gradient=8,score=2"
    run = er.online.learn(np.zeros((0, 4)), [], learner, loss=loss, **BALL)
    X, part, gamma = rng.normal(size=(500, 4)), run.game.loss, run.state.gamma
    X *= (4.0 * rng.random((500, 1))) / np.linalg.norm(X, axis=1, keepdims=True)  # scores up to 2
    w, u = (0.5 * v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.normal(size=(2, 500, 4)))
    left, most = [], []
    for x, here, there in zip(X, w, u, strict=True):
        slope = part.derivative(x @ here, 1.0)
        along = slope * (x @ (here - there))
        assert abs(slope) * np.linalg.norm(x) <= 40.0
        left.append(part.value(x @ here, 1.0) - part.value(x @ there, 1.0) - along)
        most.append(along**2 if abs(slope) * np.linalg.norm(x) <= 8.0 else 0.0)
    left, most = np.array(left), np.array(most)
    assert np.all((left <= -0.5 * gamma * most + 1e-12)[most > 0.0])
    assert np.any((left > -5.0 * gamma * most + 1e-12)[most > 0.0])


def test_regret_is_logarithmic_in_the_rounds():
    """The bound at most 2 (1 / alpha + G D) d log K, and less than that of gradient descent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(1500) < 0.7, 1.0, -1.0) * np.sign(X[:, 0])
    run = er.online.learn(X, y, "newton_step", constraint="l2_ball", fit_intercept=False)
    bound = run.regret(X, y)
    assert bound.regret <= bound.bound <= 2.0 * (math.exp(1.0) + 2.0) * 2.0 * math.log(1500.0)
    other = er.online.learn(X, y, "gradient_descent", constraint="l2_ball", fit_intercept=False).regret(X, y)
    assert bound.bound < 0.6 * other.bound


def test_labels_of_regression_count_as_scores():
    X, y, _ = rows("random", n=40)
    options = {"constraint": "l2_ball:radius=0.5", "fit_intercept": False, "loss": "squared"}
    run = er.online.learn(X, 0.7 * y, "newton_step:gradient=20,score=3", **options)
    assert run.regret(X, 0.7 * y).holds
    beyond = er.online.learn(X, 4.0 * y, "newton_step:gradient=50,score=3", **options)
    assert "beyond 3" in beyond.regret(X, 4.0 * y).sentence()


@pytest.mark.parametrize(
    ("learner", "weight", "words"),
    [
        ("newton_step", 1.0, "beyond G = 1"),
        ("newton_step:gradient=100,score=10", 3.0, "beyond largest_weight = 1"),
        ("newton_step:gradient=100,score=0.1", 1.0, "beyond 0.1"),
        ("newton_step:gradient=5,distance=0.5", 1.0, "diameter 1"),
    ],
)
def test_it_says_where_its_promise_ends(learner, weight, words):
    X, y, _ = rows("random", n=30)
    run = er.online.learn(X, y, learner, sample_weight=np.full(30, weight), **BALL)
    promise = promised(run.learner, run.met(), LinearPoint(np.zeros(4))).at
    assert math.isnan(promise.value)
    assert words in promise.why


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fit_intercept": False}, "bounded constraint"),
        ({"constraint": "l2_ball"}, "column of ones"),
        ({**BALL, "loss": "hinge"}, "second_derivative"),
        ({**BALL, "loss": "huber", "learner": "newton_step:gradient=9,score=4"}, "bends wherever it slopes"),
        ({**BALL, "loss": "squared"}, "needs score="),
    ],
    ids=str,
)
def test_what_it_cannot_play(options, words):
    X, y, _ = rows("random", n=5)
    with pytest.raises(Unsupported, match=words):
        er.online.learn(X, y, **{"learner": "newton_step", **options})


def test_too_many_columns():
    X = np.zeros((1, MOST_FACTORED + 1))
    with pytest.raises(Unsupported, match=f"at most {MOST_FACTORED} columns"):
        er.online.learn(X, [1.0], "newton_step", **BALL)


@pytest.mark.parametrize("text", ["gradient=0", "distance=-1", "score=nan", "largest_weight=inf"])
def test_numbers_that_cannot_be(text):
    with pytest.raises(ValueError, match=text.partition("=")[0]):
        er.online.as_learner(f"newton_step:{text}")


def test_columns_so_unequal_that_no_projection_is_left_overflow():
    X, y, _ = rows("random", n=30)
    wide = X * 10.0 ** np.array([-150.0, 150.0, 150.0, -150.0])
    with pytest.raises(er.online.Overflowed):
        er.online.learn(wide, y, "newton_step", **BALL)


def test_a_start_outside_of_the_set_is_said(caplog):
    X, y, _ = rows("random", n=5)
    er.online.learn(X, y, "gradient_descent", constraint="box:low=1,high=2", fit_intercept=False)
    assert "begins at the nearest point" in caplog.text

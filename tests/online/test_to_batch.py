"""Promises for rows to come, and plans of how many rounds they take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.online import future_errors, future_excess, future_loss, largest_loss, plan
from empirisk.protocols import Unsupported
from tests.online.games import rows

pytestmark = pytest.mark.interpreted


def test_the_plan_is_the_formula():
    assert plan(0.1, 2.0, 3.0) == 3600
    assert plan(0.1, 2.0, 3.0, delta=0.05, loss_bound=1.0) == math.ceil(
        ((6.0 + math.sqrt(2.0 * math.log(20.0))) / 0.1) ** 2
    )
    k = plan(0.01, 1.0, 2.0, curvature=0.5)
    assert 4.0 * (1.0 + math.log(k)) / k <= 0.01 < 4.0 * (1.0 + math.log(k - 1)) / (k - 1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.1}, "loss_bound"),
        ({"delta": 2.0, "loss_bound": 1.0}, "between 0 and 1"),
        ({"delta": 0.1, "curvature": 1.0}, "expectation"),
    ],
)
def test_bad_plans_are_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        plan(**{"epsilon": 0.1, "distance": 1.0, "gradient": 1.0, **asked})


def test_the_promise_is_kept_far_more_often_than_not():
    rng, delta, broken = np.random.default_rng(0), 0.2, 0
    ball = {"constraint": "l2_ball:radius=1", "fit_intercept": False}
    largest = math.log1p(math.exp(1.0))
    for _ in range(100):
        X = rng.normal(size=(540, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.where(X[:, 0] + 0.5 * rng.normal(size=540) > 0.0, 1.0, -1.0)
        run = er.online.learn(X[:40], y[:40], "gradient_descent", **ball)
        w = run.average().weights
        expected = np.log1p(np.exp(-y[40:] * (X[40:] @ w))).mean()
        broken += expected > future_loss(run.ledger, largest, delta).bound
    assert broken <= 100 * delta


def test_the_forms_are_those_of_the_book():
    X, y, _ = rows("random")
    ball = {"constraint": "l2_ball:radius=2", "fit_intercept": False}
    run = er.online.learn(X, y, "gradient_descent", l2=0.1, **ball)
    claim, ledger, c = run.regret(X, y), run.ledger, 3.0
    root = math.sqrt(math.log(20.0) / 120.0)
    assert future_loss(ledger, c, 0.05).bound == pytest.approx(ledger.total / 60 + c * root)
    found = future_excess(ledger, claim, c, 0.05)
    assert found.bound == pytest.approx(claim.most / 60 + 2.0 * c * root)
    assert "in expectation" in found.sentence()
    errors = future_errors(ledger, 0.05)
    assert errors.bound == pytest.approx(ledger.errors / 60 + root)
    assert "not said of the average" in errors.sentence()
    assert "the average of the points played has" in future_loss(ledger, c).sentence()
    for looks in ("mixture", "scale_free_betting", "normalized_adagrad"):  # at the row: there is no point to average
        said = future_loss(er.online.learn(X, y, looks).ledger, c).sentence()
        assert "a round drawn at random has" in said
    other = er.online.learn(X[:50], y[:50], "gradient_descent", l2=0.1, **ball)
    with pytest.raises(ValueError, match="not of the same run"):
        future_excess(other.ledger, claim, c)


def test_all_looks_together_spend_delta():
    ledger = er.online.learn(np.eye(3), np.ones(3)).ledger
    spent = math.fsum(future_errors(ledger, 0.1, look).delta for look in range(1, 2001))
    assert spent == pytest.approx(0.1 * (1.0 - 1.0 / 2001.0))


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "absolute", "huber"])
@pytest.mark.parametrize("constraint", ["l2_ball:radius=2", "l1_ball:radius=2", "simplex", "box:low=-1,high=0.5"])
def test_no_row_costs_more_than_the_largest_loss(loss, constraint):
    rng = np.random.default_rng(0)
    game = er.online.learn(np.zeros((0, 3)), [], "adagrad", loss=loss, constraint=constraint, fit_intercept=False).game
    c = largest_loss(game, 1.5, 4.0)
    for _ in range(200):
        x, w = rng.normal(size=3), 3.0 * rng.normal(size=3)
        x *= 1.5 / np.linalg.norm(x)
        game.constraint.prox(w, 1.0, w)
        label = rng.uniform(-4.0, 4.0) if loss in ("squared", "absolute", "huber") else rng.choice([-1.0, 1.0])
        assert game.loss.value(float(x @ w), float(label)) <= c + 1e-9
    assert c > 0.0


def test_what_has_no_largest_loss():
    X, y, _ = rows("random")
    with pytest.raises(Unsupported, match="bounded set"):
        largest_loss(er.online.learn(X, y, "adagrad").game, 1.0)
    bounded = er.online.learn(X, y, "adagrad", constraint="l2_ball", fit_intercept=False).game
    with pytest.raises(ValueError, match="row_norm"):
        largest_loss(bounded, math.inf)


def test_the_loss_of_the_average_on_a_test_set():
    X, y, s = rows("heavy")
    run = er.online.learn(X, y, "adagrad", l2=0.1, sample_weight=s)
    w, b = run.average()[:2]
    losses = np.log1p(np.exp(-y * (X @ w + b)))
    assert run.loss_of_average(X, y) == pytest.approx(losses.mean())
    assert run.loss_of_average(X, y, s) == pytest.approx(losses @ s / s.sum())
    with pytest.raises(ValueError, match="no rows"):
        run.loss_of_average(X[:0], y[:0])
    once = er.online.learn(X, y, "ftrl_proximal:penalty=once", l1=0.1, constraint="simplex", fit_intercept=False)
    with pytest.raises(ValueError, match="charged once"):
        future_loss(once.ledger, 1.0)


def test_looks_share_delta():
    X, y = np.eye(3), np.ones(3)
    ledger = er.online.learn(X, y).ledger
    first, second = (future_loss(ledger, 1.0, 0.1, look) for look in (1, 2))
    assert first.delta == pytest.approx(0.05)
    assert second.delta == pytest.approx(0.1 / 6.0)
    assert "independent and alike" in first.sentence()
    weighted = er.online.learn(X, y, sample_weight=[1.0, 2.0, 1.0]).ledger
    for ledger_, asked, said in (
        (ledger, {"delta": 1.5}, "below 1"),
        (weighted, {}, "weights of one"),
        (ledger, {"look": 0}, "look"),
    ):
        with pytest.raises(ValueError, match=said):
            future_loss(ledger_, 1.0, **asked)

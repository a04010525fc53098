"""Promises for rows to come, and plans of how many rounds they take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.online import future_loss, plan

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

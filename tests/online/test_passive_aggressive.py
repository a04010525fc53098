"""The mistake bounds of PA-I and PA-II: no game breaks them, whatever the comparator is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.protocols import Unsupported
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted


@given(
    kind=st.sampled_from([kind for kind in KINDS if kind != "heavy"]),
    loss=st.sampled_from(["hinge", "squared_hinge", "hinge:scale=0.3", "squared_hinge:scale=2"]),
    cost=st.sampled_from([0.01, 0.3, 1.0, 20.0]),
    seed=st.integers(0, 10**6),
    far=st.floats(0.0, 3.0),
    has_intercept=st.booleans(),
)
def test_no_game_breaks_them(kind, loss, cost, seed, far, has_intercept):
    X, y, _ = rows(kind, seed=seed)
    run = er.online.learn(X, y, f"implicit_descent:t={cost}", loss=loss, fit_intercept=has_intercept)
    rng = np.random.default_rng(seed)
    u = far * rng.normal(size=4), far * rng.normal() if has_intercept else 0.0
    found = er.online.passive_aggressive(run, X, y, u)
    assert found.holds
    assert found.found == pytest.approx(
        run.ledger.loss / run.game.loss.scale if found.is_squared else run.ledger.errors, abs=1e-12
    )


@pytest.mark.parametrize(("loss", "said"), [("hinge", "PA-I: "), ("squared_hinge", "PA-II: ")])
def test_the_formulas_with_an_intercept(loss, said):
    X, y, _ = rows("random")
    run = er.online.learn(X, y, "implicit_descent:t=0.5", loss=loss, start=([1.0, 0.0, 0.0, 0.0], 0.0))
    w, b = np.array([0.5, -0.2, 0.0, 0.1]), 0.3
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    radius = (X * X).sum(axis=1).max() + 1.0
    apart = (0.5 - 1.0) ** 2 + 0.04 + 0.01 + 0.09
    first = max(radius, 2.0) * (apart + slack.sum())
    second = (radius + 1.0) * (apart + slack @ slack)
    found = er.online.passive_aggressive(run, X, y, (w, b))
    assert found.bound == pytest.approx(first if loss == "hinge" else second, rel=1e-12)
    assert found.sentence().startswith(said)
    best = er.online.passive_aggressive(run, X, y)
    assert best.holds
    assert math.isfinite(best.bound)


def test_what_it_refuses():
    X, y, s = rows("heavy")
    for learner, loss, weights, said in (
        ("implicit_descent", "logistic", None, "hinge or squared_hinge"),
        ("adagrad", "hinge", None, "implicit_descent"),
        ("implicit_descent", "hinge", s, "weight one"),
    ):
        run = er.online.learn(X, y, learner, loss=loss, sample_weight=weights)
        with pytest.raises(Unsupported, match=said):
            er.online.passive_aggressive(run, X, y)
    run = er.online.learn(X, y, "implicit_descent", loss="hinge")
    with pytest.raises(ValueError, match="not the rows of the run"):
        er.online.passive_aggressive(run, X[:9], y[:9])

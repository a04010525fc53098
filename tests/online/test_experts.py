"""Hedge: its bounds, its equivalence with the regularized leader, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.protocols import Unsupported

pytestmark = pytest.mark.interpreted


@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 6),
    n=st.integers(1, 60),
    rate=st.sampled_from(["adaptive", "anytime", "fixed"]),
    kind=st.sampled_from(["uniform", "coins", "drift", "tails"]),
)
def test_no_game_breaks_the_bound(seed, d, n, rate, kind):
    rng = np.random.default_rng(seed)
    table = rng.random((n, d))
    if kind == "coins":
        table = np.round(table)
    elif kind == "drift":
        table = (np.arange(n)[:, None] * (1 + np.arange(d)) % 7) / 7.0
    elif kind == "tails":
        table = rng.standard_cauchy((n, d))
    spread = max(float(np.ptp(table, axis=1).max()), 1e-9)
    run = er.online.hedge(table, rate, spread=None if rate == "adaptive" else spread)
    assert run.holds
    assert not math.isnan(run.bound)
    assert run.weights.sum() == pytest.approx(1.0)


def test_at_a_fixed_rate_it_is_the_entropic_leader_and_mirror_descent():
    rng = np.random.default_rng(0)
    table = rng.random((50, 4))
    eta = math.sqrt(8.0 * math.log(4) / 50)
    run = er.online.hedge(table, "fixed", spread=1.0)
    # |z - y| far below y has the slope -1: rows of -c are a game whose gradients are the losses.
    box = {"constraint": "simplex", "fit_intercept": False, "loss": "absolute"}
    for learner in ("follow_the_regularized_leader", "mirror_descent"):
        other = er.online.learn(-table[:0], np.zeros(0), f"{learner}:mirror_map=entropic,t={eta!r}", **box)
        scores = other.learn(-table, np.full(50, 10.0))
        np.testing.assert_allclose(run.paid, -scores, rtol=1e-12)


def test_forecasts_of_experts_are_the_ordinary_game():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=80)
    forecasts = truth[:, None] + rng.normal(size=(80, 3)) * [1.0, 0.2, 3.0]
    simplex = {"constraint": "simplex", "fit_intercept": False, "loss": "absolute"}
    weights = rng.random(80)
    run = er.online.learn(forecasts, truth, "exponentiated_gradient:horizon=80", sample_weight=weights, **simplex)
    best = er.online.best_expert(run, forecasts, truth, weights)
    alone = weights @ np.abs(forecasts - truth[:, None])
    assert best.column == int(np.argmin(alone)) == 1
    np.testing.assert_allclose(best.losses, alone, rtol=1e-12)
    mixture = run.regret(forecasts, truth, weights)
    assert best.regret == pytest.approx(run.ledger.loss - alone.min())
    assert best.regret <= mixture.most + 1e-9  # no expert is better than the best mixture
    assert best.regret <= best.bound
    assert "the best single expert, column 1" in best.sentence()
    with pytest.raises(ValueError, match="not the rows of the run"):
        er.online.best_expert(run, forecasts[:5], truth[:5])
    free = er.online.learn(forecasts, truth, "adagrad", loss="absolute")
    with pytest.raises(Unsupported, match="simplex"):
        er.online.best_expert(free, forecasts, truth)


def test_a_wider_row_ends_the_claim():
    run = er.online.hedge([[0.0, 1.0], [5.0, 0.0]], "anytime", spread=1.0)
    assert math.isnan(run.bound)
    assert "differed by 5" in run.sentence()
    assert "at most" in er.online.hedge([[0.0, 1.0], [5.0, 0.0]]).sentence()


@pytest.mark.parametrize(
    ("losses", "asked", "said"),
    [
        ([1.0, 2.0], {}, "a row for each round"),
        ([[1.0, math.nan]], {}, "NaN"),
        ([[1.0, 2.0]], {"rate": "anytime"}, "needs spread"),
        ([[1.0, 2.0]], {"rate": "fast"}, "rate must be"),
    ],
)
def test_what_it_refuses(losses, asked, said):
    with pytest.raises(ValueError, match=said):
        er.online.hedge(losses, **asked)

"""The inequality of the proof holds in every round, its sum is the theorem, and a lie is found in its round."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.online import regret_bound as judge
from empirisk.protocols import Unsupported
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted
BALL = {"constraint": "l2_ball:radius=1.5", "fit_intercept": False}
BOX = {"constraint": "box:low=-0.7,high=1", "fit_intercept": False}
GAMES = [
    ("gradient_descent:steps=constant,length=0.3", {"l1": 0.05, "l2": 0.1}),
    ("gradient_descent", BALL),
    ("gradient_descent:steps=inverse_sqrt", {"l1": 0.05, **BOX}),
    ("gradient_descent:steps=inverse", {"l2": 0.2}),
    ("gradient_descent:steps=doubling", BALL),
    ("adagrad:alpha=0.3", {"l1": 0.05, "l2": 0.02}),
    ("adagrad", {"l1": 0.02, **BALL}),
    ("mirror_descent:t=0.2", {"l2": 0.1, **BALL}),
]


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_in_every_round(learner, options, kind):
    X, y, s = rows(kind, n=40)
    run = er.online.learn(X, y, learner, sample_weight=s, **options)
    trace = run.trace(X, y, s)
    assert trace.is_checked
    assert trace.holds
    assert trace.left.size == run.ledger.rounds
    restarts = [k for k in range(1, run.ledger.rounds + 1) if k & (k + 1) == 0] if "doubling" in learner else []
    assert (np.flatnonzero(np.isnan(trace.left)) + 1).tolist() == restarts
    assert trace.gradients @ trace.gradients == pytest.approx(run.ledger.squares, rel=1e-9)
    verdict = run.regret(X, y, s)
    found = verdict.verify(verdict.problem_of(X, y, s), trace=True)
    assert found.holds
    assert "held in every round" in found.sentence


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("gradient_descent:steps=constant,length=0.3", {"l2": 0.2, "start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
        ("gradient_descent:steps=inverse", {"l2": 0.2, "fit_intercept": False}),
        ("gradient_descent", {}),
        ("mirror_descent:t=0.2", {"l2": 0.1}),
        ("follow_the_regularized_leader:t=0.5", BALL),
        ("implicit_descent:t=0.5", {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_ledger_knows_the_longest_move(learner, options, kind):
    X, y, s = rows(kind, n=40)
    run = er.online.learn(X, y, learner, sample_weight=s, **options)
    moves = run.trace(X, y, s, against="l2_ball:radius=1").moves
    assert run.ledger.longest_move == pytest.approx(moves.max(), rel=1e-6)


def test_the_others_do_not():
    X, y, _ = rows("random")
    assert er.online.learn(X, y, "gradient_descent:steps=doubling").ledger.longest_move is None
    assert er.online.learn(X, y, "gradient_descent", **BALL).ledger.longest_move is None
    assert er.online.learn(X, y, "adagrad").ledger.longest_move is None


def test_added_up_it_is_the_theorem():
    X, y, _ = rows("random")
    run = er.online.learn(X, y, "gradient_descent:steps=constant,length=0.3", l2=0.1)
    trace, claim = run.trace(X, y), run.regret(X, y)
    squares = 0.5 * 0.3 * trace.gradients @ trace.gradients
    u = np.append(claim.weights, claim.intercept)
    last = np.linalg.norm(run.point().stacked() - u) ** 2 / 0.6
    linear = squares + u @ u / 0.6 - last  # the sum of <g_k, w_k - u> + Omega(w_{k+1}) - Omega(u), or more
    assert np.sum(trace.right - trace.left) >= -1e-9
    assert claim.regret <= linear + 1e-9 <= claim.bound + 1e-9


def test_a_step_too_long_is_found(monkeypatch):
    X, y, _ = rows("random")
    run = er.online.learn(X, y, "gradient_descent:steps=constant,length=0.3")
    claim = run.regret(X, y)
    trace = run.trace(X, y)
    bent = trace._replace(left=np.where(np.arange(60) == 6, trace.right + 1.0, trace.left))
    assert bent.first_violation == 7
    monkeypatch.setattr(judge, "regret_trace", lambda *_: bent)
    verdict = claim.verify(claim.problem_of(X, y), trace=True)
    assert not verdict.holds
    assert "did NOT hold in round 7" in verdict.sentence


def test_where_there_is_none():
    X, y, _ = rows("random")
    claim = er.online.learn(X, y).regret(X, y)
    verdict = claim.verify(claim.problem_of(X, y), trace=True)
    assert verdict.holds
    assert "no inequality in each round" in verdict.sentence
    run = er.online.learn(X, y, "gradient_descent", constraint="l2_ball:radius=0.1", fit_intercept=False)
    with pytest.raises(Unsupported, match="outside"):
        run.trace(X, y, against="l2_ball:radius=1")


def test_what_regularization_makes_small():
    """Gradients -1/2, +1, -1, +1, ... on [-1, 1]: a leader jumps from end to end, a regularized one hardly moves."""
    K = 101
    X, y = np.array([0.5, *(-1.0 if k % 2 else 1.0 for k in range(1, K))])[:, None], np.full(K, 10.0)
    line = {"constraint": "box:low=-1,high=1", "fit_intercept": False, "loss": "absolute"}
    leader = er.online.learn(X, y, "follow_the_leader", **line)
    calm = er.online.learn(X, y, f"follow_the_regularized_leader:t={1.0 / math.sqrt(K)!r}", **line)
    jumps, moves = leader.trace(X, y), calm.trace(X, y)
    assert leader.regret(X, y).regret == pytest.approx(K - 0.5, abs=1e-6)
    assert calm.regret(X, y).regret <= math.sqrt(K)
    np.testing.assert_allclose(jumps.moves[1:], 2.0)
    assert np.all(moves.moves <= moves.gradients / math.sqrt(K) + 1e-12)

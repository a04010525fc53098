"""The exact leader is the minimiser of every prefix, and promises what its theorem does."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.online import as_learner, learner_text
from empirisk.online.learners import exact_leader
from empirisk.online.learners.promise import promised
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from tests.online.games import rows

pytestmark = pytest.mark.interpreted

EXACT = "follow_the_leader:exact=true"
BALL = {"constraint": "l2_ball:radius=0.6", "fit_intercept": False}
GAMES = [
    ("squared", {"l2": 0.1}),
    ("squared", {"l1": 0.05, "l2": 0.05, **BALL}),
    ("logistic", {"l2": 0.1, **BALL}),
    ("hinge", {"l2": 0.2, "fit_intercept": False}),
]


def best_of(X, y, s, loss, l1=0.0, l2=0.0, **options):
    """By `minimize`, with the strengths of as many rounds as there are rows of weight > 0."""
    share = np.count_nonzero(s) / s.sum()
    problem = er.EmpiricalRisk(X, y, loss, l1=l1 * share, l2=l2 * share, sample_weight=s, **options)
    return er.minimize(problem, tol=1e-13).point


@pytest.mark.parametrize(("loss", "options"), GAMES, ids=str)
def test_it_is_the_minimiser_of_every_prefix(loss, options):
    X, y, s = rows("heavy", n=8)
    run = er.online.learn(X[:0], y[:0], EXACT, loss=loss, **options)
    paid, moves, scores, played = 0.0, 0.0, [], 0
    for k in range(8):
        w, b = run.point()[:2]
        scores.append(X[k] @ w + b)
        assert run.learn(X[[k]], y[[k]], s[[k]])[0] == pytest.approx(scores[-1], rel=1e-12, abs=1e-14)
        if s[k] == 0.0:
            continue
        best, found = best_of(X[: k + 1], y[: k + 1], s[: k + 1], loss, **options), run.point()
        # On the edge of a ball, a gap at the limit of floating point tells no more.
        np.testing.assert_allclose(found.stacked(), best.stacked(), atol=1e-6 if "constraint" in options else 1e-8)
        after = X[k] @ found.weights + found.intercept
        losses = [s[k] * run.game.loss.value(z, y[k]) for z in (scores[-1], after)]
        paid, moves, played = paid + losses[0], moves + losses[0] - losses[1], played + 1
    assert played >= 5
    assert run.ledger.loss == pytest.approx(paid, rel=1e-12)
    whole = er.online.learn(X[:0], y[:0], EXACT, loss=loss, **options)
    np.testing.assert_allclose(whole.learn(X, y, s), scores, rtol=1e-12, atol=1e-14)
    assert whole.ledger == run.ledger
    for u in (run.point(), LinearPoint(np.zeros(4))):
        promise = promised(run.learner, run.met(), u).at.value
        scored = X @ u.weights + u.intercept
        other = sum(weight * run.game.loss.value(z, label) for weight, z, label in zip(s, scored, y, strict=True))
        assert promise == pytest.approx(moves, rel=1e-6)
        assert run.ledger.total - other - played * run.game.regularizer.value(u.weights) <= promise + 1e-9


def test_its_certificate_verifies():
    X, y, _ = rows("random", n=12)
    bound = er.online.learn(X, y, EXACT, l2=0.1, fit_intercept=False).regret(X, y)
    assert bound.holds
    assert bound.learner == EXACT
    assert bound.verify(bound.problem_of(X, y)).holds


def test_it_does_not_look_ahead():
    X, y, _ = rows("random", n=8)
    answers = [
        er.online.learn(X[:0], y[:0], EXACT, l2=0.1, fit_intercept=False).learn(X, labels)
        for labels in (y, np.append(y[:5], -y[5:]))
    ]
    assert answers[0][:6].tobytes() == answers[1][:6].tobytes()


def test_it_keeps_no_more_rows_than_it_says(monkeypatch):
    monkeypatch.setattr(exact_leader, "MOST_ROUNDS", 5)
    X, y, _ = rows("random", n=8)
    run = er.online.learn(X[:4], y[:4], EXACT, l2=0.1, fit_intercept=False)
    with pytest.raises(er.online.Overflowed, match="keeps 5 rows at most"):
        run.learn(X[4:], y[4:])
    assert run.n_rows == 5
    run.again().learn(X[:5], y[:5])
    run.regret(X[:5], y[:5])


@pytest.mark.parametrize("options", [{}, {"constraint": "l2_ball"}, {"fit_intercept": False}], ids=str)
def test_where_there_may_be_no_leader(options):
    X, y, _ = rows("random", n=3)
    with pytest.raises(Unsupported, match="may be nowhere"):
        er.online.learn(X, y, EXACT, **options)


def test_words_for_true_and_false():
    assert as_learner(EXACT).exact is True
    assert learner_text(as_learner("follow_the_leader:exact=false")) == "follow_the_leader"
    for text in ("exact=1", "exact=yes", "exact="):
        with pytest.raises(ValueError, match="true or false"):
            as_learner(f"follow_the_leader:{text}")

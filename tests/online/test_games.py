"""Bounds hold in every game, for every learner, loss, penalty and set; ledgers are what a plain account says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.online import LEARNERS, as_learner
from empirisk.online.learners.promise import promised
from empirisk.online.learners.scale_free_betting import GAIN, LARGEST, SLOPES, SQUARES
from empirisk.problems.linear_point import LinearPoint
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted

BALL = {"constraint": "l2_ball:radius=1.5", "fit_intercept": False}
BOX = {"constraint": "box:low=-0.7,high=1", "fit_intercept": False}
GAMES = [
    ("adagrad", {}),
    ("adagrad:alpha=0.3", {"l1": 0.05, "l2": 0.02}),
    ("adagrad", {"l1": 0.02, **BOX}),
    ("adagrad:alpha=0.5", BALL),
    ("adagrad", {"l2": 0.1, "start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
    ("gradient_descent:steps=constant,length=0.2", {}),
    ("gradient_descent:steps=constant,length=0.2", {"l2": 0.3}),
    ("gradient_descent:steps=constant,length=0.5", {"l1": 0.1, "l2": 0.1}),
    ("gradient_descent:steps=constant,length=0.1", {"l2": 0.2, "start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
    ("gradient_descent:steps=horizon,horizon=60,distance=2,gradient=3", {}),
    ("gradient_descent:steps=horizon,horizon=60,distance=3,gradient=3,form=lazy", {"l1": 0.05, "l2": 0.1, **BALL}),
    ("gradient_descent:steps=inverse_sqrt,gradient=2", BALL),
    ("gradient_descent:steps=inverse_sqrt", {"l1": 0.05, **BOX}),
    ("gradient_descent", BALL),
    ("gradient_descent", {"l2": 0.1, **BOX}),
    ("gradient_descent:steps=inverse", {"l2": 0.2, "fit_intercept": False}),
    ("gradient_descent:steps=inverse", {"l1": 0.1, "l2": 0.2, **BALL}),
    ("gradient_descent:steps=doubling,gradient=200,distance=3", BALL),
    ("gradient_descent:steps=doubling,gradient=3", {"l2": 0.3, "start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
]
SIMPLEX = {"constraint": "simplex:radius=2", "fit_intercept": False}
L1_BALL = {"constraint": "l1_ball:radius=2", "fit_intercept": False}
GAMES += [
    ("mirror_descent:t=0.2", {}),
    ("mirror_descent:t=0.2", {"l1": 0.05, "l2": 0.1, **BALL}),
    ("mirror_descent:form=lazy,t=0.3", {"l1": 0.05, "l2": 0.1}),
    ("mirror_descent:form=lazy", BALL),
    ("mirror_descent:mirror_map=entropic,t=0.5", {"l1": 0.1, **SIMPLEX}),
    ("mirror_descent:mirror_map=signed_entropic,form=lazy,t=0.5", L1_BALL),
    ("follow_the_regularized_leader:t=0.5", {"l1": 0.05, **BOX}),
    ("follow_the_regularized_leader", {"start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
    ("follow_the_regularized_leader:mirror_map=entropic", SIMPLEX),
]
GAMES += [
    ("implicit_descent:t=0.5", {}),
    ("implicit_descent", {"start": ([1.0, -2.0, 0.0, 0.5], 0.3)}),
    ("follow_the_leader", {"l2": 0.1, **BALL}),
    ("follow_the_leader", SIMPLEX),
    ("exponentiated_gradient:horizon=60", SIMPLEX),
    ("exponentiated_gradient:horizon=60,gradient=3", L1_BALL),
    ("coin_betting:gradient=1000", {}),
    ("coin_betting:gradient=4,eps=0.1", {"fit_intercept": False}),
    ("scale_free_betting", {}),
    ("scale_free_betting:eps=0.1", {"fit_intercept": False}),
    ("normalized_adagrad", {}),
    ("forward_ridge:lam=0.5", {"loss": "squared"}),
    ("mixture:largest_weight=1000000000", {}),
    ("mixture", {"fit_intercept": False}),
    ("mixture:learners=adagrad(alpha=0.3)+scale_free_betting+normalized_adagrad,largest_weight=1000000000", {}),
    ("mixture:learners=adagrad(alpha=0.1)+adagrad+adagrad(alpha=10)", {"loss": "squared"}),
    ("mixture:learners=gradient_descent+adagrad(alpha=0.5),largest_weight=1000000000", BALL),
]
SMALL = {"constraint": "l2_ball:radius=0.4", "fit_intercept": False}
NEWTON = "newton_step:gradient=20,score=6,largest_weight=10"
GAMES += [
    (NEWTON, {"l1": 0.05, "l2": 0.1, **SMALL}),
    (NEWTON, {"constraint": "simplex:radius=0.5", "fit_intercept": False}),
    ("newton_step:gradient=6", {"constraint": "l1_ball:radius=0.5", "fit_intercept": False, "loss": "logistic"}),
]
GAMES += [
    ("full_adagrad:alpha=0.5", {}),
    ("full_adagrad", {"l1": 0.05, "l2": 0.02, **BALL}),
    ("full_adagrad", SIMPLEX),
]
GAMES += [
    ("ftrl_proximal", {}),
    ("ftrl_proximal:alpha=0.3,beta=0", {"l1": 0.02, "l2": 0.01}),
    ("ftrl_proximal:beta=0", {"l1": 0.02, **BOX}),
    ("ftrl_proximal:alpha=0.5", {"l2": 0.1, "constraint": "box:low=0.1,high=0.6", "fit_intercept": False}),
    ("ftrl_proximal:alpha=0.5", {"l1": 0.01, **BALL}),
    ("ftrl_proximal:alpha=0.7,beta=0", SIMPLEX),
    ("ftrl_proximal:penalty=once", {"l1": 0.3, "l2": 0.5}),
    ("ftrl_proximal:penalty=once,beta=0", {"l1": 0.3, "l2": 0.5, **BALL, "fit_intercept": True}),
]
MATRIX = "matrix_quadratic(2.0;0.5;0.0;0.1;0.5;1.0;0.3;0.0;0.0;0.3;1.5;-0.4;0.1;0.0;-0.4;0.6)"
GAMES += [
    ("mirror_descent:mirror_map=diagonal_quadratic(1.0;0.5;2.0;4.0),t=0.2", {"l1": 0.05, **BALL}),
    (f"mirror_descent:mirror_map={MATRIX},t=0.2", L1_BALL),
    (f"follow_the_regularized_leader:mirror_map={MATRIX},t=0.3", {}),
]
GAMES += [
    ("follow_the_leader:exact=true", {"loss": "squared"}),
    ("follow_the_leader:exact=true", {"loss": "squared", "l1": 0.02, "l2": 0.1, **BALL}),
]
LOSSES = ("logistic", "hinge", "squared_hinge")
BETS = ("scale_free_betting", "mixture")
LOOKS = (*BETS, "normalized_adagrad", "forward_ridge")  # at a row before it answers
# Played for fewer rounds.
COSTLY = ("newton_step", "full_adagrad", "mirror_descent:mirror_map=matrix", "follow_the_leader:exact")
STRAIGHT = ("hinge",)  # without curvature
WITHOUT = ("coin_betting", "normalized_adagrad", "mixture", "newton_step")  # always a bound
STEEP = ("squared_hinge",)  # without a largest slope


def played(learner, kind, loss="logistic", seed=0, n=60, **options):
    X, y, s = rows(kind, n=n, seed=seed)
    return er.online.learn(X, y, learner, loss=loss, sample_weight=s, **options), X, y, s


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
@given(kind=st.sampled_from(KINDS), loss=st.sampled_from(LOSSES), seed=st.integers(0, 10**6), far=st.floats(0.0, 3.0))
def test_no_point_of_the_set_beats_the_bound(learner, options, kind, loss, seed, far):
    loss = options.get("loss", loss)
    is_steep = (learner in BETS or "scale_free" in learner or "mixture:largest" in learner) and loss in STEEP
    if is_steep or (learner.startswith("newton") and loss in STRAIGHT):
        return
    n = 16 if learner.startswith(COSTLY) else 60
    run, X, y, s = played(learner, kind, seed=seed, n=n, **{"loss": loss, **options})
    rng = np.random.default_rng(seed + 1)
    u = LinearPoint(far * rng.normal(size=4), far * rng.normal() if run.game.fit_intercept else 0.0)
    if run.game.constraint is not None:
        run.game.constraint.prox(u.weights, 1.0, u.weights)
    ledger, omega = run.ledger, run.game.regularizer
    weights = np.ones(y.size) if s is None else s
    scores = X @ u.weights + u.intercept
    paid = sum(w * run.game.loss.value(z, label) for w, z, label in zip(weights, scores, y, strict=True) if w > 0.0)
    regret = ledger.total - paid - ledger.charges * omega.value(u.weights)
    (bound, why), over_set, (beforehand, void) = promised(run.learner, run.met(), u)
    if math.isnan(bound):
        assert why
        assert learner.startswith(WITHOUT)
    else:
        slack = 1e-9 * (1.0 + ledger.total + paid)
        assert regret <= bound + slack
        assert not bound > over_set + slack
        assert not bound > beforehand + slack
        assert not (void and beforehand > 0.0)


def played_at_last(bets, eps, x, weight, has_intercept):
    """The weights of a bettor that has seen the size of the row; the intercept is a column of ones."""
    points = []
    for row, size in zip(bets, [*abs(x), float(has_intercept)], strict=True):
        largest = max(row[LARGEST], weight * size)
        q = math.sqrt(row[SQUARES] + largest**2) or 1.0
        points.append(np.clip(-row[SLOPES] / q, -1.0, 1.0) * (eps + row[GAIN]) / (2.0 * q))
    return np.array(points[:-1]), points[-1]


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_the_ledger_is_a_plain_account(learner, options, kind):
    X, y, s = rows(kind, n=40)
    run = er.online.learn(X[:0], y[:0], learner, sample_weight=None if s is None else s[:0], **options)
    loss, penalty, squares, points, rounds = 0.0, 0.0, 0.0, [], 0
    if learner.startswith(LOOKS) and not learner.startswith("scale_free"):
        return
    looks_first = learner.startswith("scale_free")
    for i in range(40):
        w, b = run.point()[:2]
        before = run.state.bets.copy() if looks_first else None
        x = X[[i]].toarray()[0] if scipy.sparse.issparse(X) else X[i].astype(float)
        weight = 1.0 if s is None else s[i]
        z = run.learn(X[[i]], y[[i]], None if s is None else s[[i]])[0]
        if looks_first:  # the point as it was played, now that the row's size is known
            w, b = played_at_last(before, run.learner.eps, x, weight, run.game.fit_intercept)
        assert z == pytest.approx(x @ w + b, rel=1e-9, abs=1e-12)
        if weight > 0.0:
            rounds += 1
            points.append(np.append(w, b))
            loss += weight * run.game.loss.value(z, y[i])
            penalty += run.game.regularizer.value(w) if rounds == 1 or "once" not in learner else 0.0
            slope = weight * run.game.loss.derivative(z, y[i])
            squares += slope**2 * (x @ x + run.game.fit_intercept)
    ledger = run.ledger
    assert ledger.rounds == rounds
    for found, wanted in ((ledger.loss, loss), (ledger.penalty, penalty), (ledger.squares, squares)):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(run.average().stacked(), np.mean(points, axis=0), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
@given(cuts=st.lists(st.integers(0, 50), max_size=4), kind=st.sampled_from(KINDS))
def test_batches_make_the_same_bytes(learner, options, cuts, kind):
    n = 7 if learner.startswith(COSTLY) else 50
    whole, X, y, s = played(learner, kind, n=n, **options)
    edges = sorted({0, n, *(cut % n for cut in cuts)})
    run = er.online.learn(X[:0], y[:0], learner, **options)
    for first, last in itertools.pairwise(edges):
        run.learn(X[first:last], y[first:last], None if s is None else s[first:last])
    assert run.ledger == whole.ledger
    assert run.fingerprint == whole.fingerprint
    assert run.point().stacked().tobytes() == whole.point().stacked().tobytes()


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
def test_no_learner_looks_ahead(learner, options):
    X, y, s = rows("heavy")
    others = rows("random", seed=7)
    changed, flipped = np.vstack([X[:30], 10.0 * others.X[:30]]), np.append(y[:30], -y[30:])
    answers = []
    for table, labels in ((X, y), (changed, flipped)):
        run = er.online.learn(table[:0], labels[:0], learner, **options)
        answers.append(run.learn(table, labels, s)[:31])
    assert answers[0][:30].tobytes() == answers[1][:30].tobytes()


def test_every_learner_plays_here():
    assert {as_learner(text).__class__ for text, _ in GAMES} == set(LEARNERS.values())

"""A mixture of any learners: none of its lanes is better by more than the price, and each has an account of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.online import Mixture, as_learner, learner_text
from empirisk.online.learners.lanes import each
from empirisk.online.learners.mixing import EXCESS, GAPS
from empirisk.online.learners.promise import promised
from empirisk.online.replay import account
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported
from tests.online.games import KINDS, rows, told

pytestmark = pytest.mark.interpreted
LANES = ["adagrad:alpha=0.3", "gradient_descent:steps=constant,length=0.2", "scale_free_betting", "normalized_adagrad"]
BALL = {"constraint": "l2_ball:radius=1.5", "fit_intercept": False}
SIMPLEX = {"constraint": "simplex:radius=2", "fit_intercept": False}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lane", [*LANES, "implicit_descent", "coin_betting:gradient=1e6"])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_mixture_of_one_is_its_lane(lane, loss, kind):
    X, y, s = rows(kind)
    runs = [er.online.learn(X[:0], y[:0], learner, loss=loss) for learner in (lane, Mixture([lane], 1e9))]
    alone, mixed = (run.learn(X, y, s) for run in runs)
    np.testing.assert_allclose(mixed, alone, rtol=1e-12, atol=1e-12)
    bounds = [promised(run.learner, run.met(), LinearPoint(np.ones(4), 0.5)).at for run in runs]
    assert bounds[1].value == pytest.approx(bounds[0].value, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("lanes", "options"),
    [(LANES, {}), (["adagrad", "gradient_descent"], BALL), (["exponentiated_gradient:horizon=60", "adagrad"], SIMPLEX)],
    ids=str,
)
def test_every_lane_plays_as_it_would_alone(lanes, options, kind):
    X, y, s = rows(kind)
    run = er.online.learn(X, y, Mixture(lanes, 1e9), sample_weight=s, **options)
    u = LinearPoint(np.full(4, 0.5))
    promise = promised(run.learner, run.met(), u).at.value - 1e9 * math.log(len(lanes))
    least = math.inf
    for learner, lane, lost in zip(lanes, each(run.state.lanes), run.state.losses, strict=True):
        alone = er.online.learn(X, y, learner, sample_weight=s, **options)
        own = account(alone.game, alone.first, lane.head, lane.account)
        assert told(own) == pytest.approx(told(alone.ledger), rel=1e-12)
        assert lost == pytest.approx(alone.ledger.loss, rel=1e-12)
        np.testing.assert_allclose(lane.head.point().stacked(), alone.point().stacked(), rtol=1e-12)
        own = promised(alone.learner, alone.met(), u).at.value
        least = least if math.isnan(own) else min(least, own)
    assert promise == pytest.approx(least, abs=1e-5)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "heavy"])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
def test_no_lane_is_better_by_more_than_the_price(kind, loss):
    X, y, _ = rows(kind, n=200)
    lanes = ["adagrad:alpha=0.1", "adagrad", "adagrad:alpha=10"]
    run = er.online.learn(X, y, Mixture(lanes), loss=loss)
    best = min(er.online.learn(X, y, lane, loss=loss).ledger.loss for lane in lanes)
    mixed = run.state.mixed
    price = math.log(3) if loss == "logistic" else 2.0 * mixed[GAPS] + mixed[EXCESS]
    assert run.ledger.loss <= best + price + 1e-9
    assert run.ledger.loss > 0.0
    found = run.scores(X[:3])
    for i in range(3):
        fork = er.online.learn(X, y, Mixture(lanes), loss=loss)
        assert fork.learn(X[i : i + 1], y[i : i + 1])[0] == pytest.approx(found[i], rel=1e-9)


def test_its_certificate_is_read_back_from_text():
    X, y, _ = rows("random")
    learners = [er.online.Adagrad(alpha=0.5), "gradient_descent:steps=constant,length=1e-05", "adagrad"]
    run = er.online.learn(X, 3.0 * y, Mixture(learners), loss="squared")
    claim = run.regret(X, 3.0 * y)
    text = "mixture:learners=adagrad(alpha=0.5)+gradient_descent(steps=constant,length=1e-05)+adagrad"
    assert claim.learner == text
    assert claim.holds
    assert claim.bound > claim.regret
    assert claim.verify(claim.problem_of(X, 3.0 * y)).holds
    assert not claim._replace(bound=0.9 * claim.bound).verify(claim.problem_of(X, 3.0 * y)).holds


@pytest.mark.parametrize(
    "text",
    [
        "mixture",
        "mixture:learners=adagrad",
        "mixture:learners=adagrad(alpha=1e+100)+adagrad+scale_free_betting(eps=0.1),largest_weight=2.0",
        "mixture:learners=gradient_descent(steps=horizon,distance=2.0,horizon=60.0)+coin_betting(eps=2.0,gradient=3.0)",
    ],
)
def test_texts_are_read_back(text):
    assert learner_text(as_learner(text)) == text


@pytest.mark.parametrize(
    ("learner", "kind", "said"),
    [
        (Mixture([]), ValueError, "a list of 1 to 32 learners"),
        (Mixture(["adagrad"] * 33), ValueError, "a list of 1 to 32 learners"),
        (Mixture(er.online.Adagrad()), ValueError, "a list of 1 to 32 learners"),
        (Mixture(7.0), ValueError, "a list of 1 to 32 learners"),
        (Mixture(["adagrad", "mixture"]), ValueError, "cannot be a lane of another"),
        ("mixture:learners=mixture(learners=adagrad+adagrad)", ValueError, "cannot be a lane of another"),
        (Mixture([len]), TypeError, "learner must be one of"),
        (Mixture(["nobody"]), ValueError, "learner must be one of"),
        (Mixture(["adagrad:alpha=-1"]), ValueError, "alpha must be positive"),
        (Mixture(["adagrad"], largest_weight=0.0), ValueError, "largest_weight must be positive"),
        ("mixture:learners=", ValueError, "parts are written as"),
        ("mixture:learners=adagrad(alpha=0.5", ValueError, "parts are written as"),
        ("mixture:learners=adagrad)+adagrad", ValueError, "learner must be one of"),
        ("mixture:learners=adagrad(alpha=0.5)(alpha=2)", ValueError, "must be a number"),
        ("mixture:learners=adagrad:alpha=0.5", ValueError, "parts are written as"),
        (Mixture(["adagrad", "forward_ridge"]), Unsupported, "has the lane forward_ridge, which needs a quadratic"),
        (Mixture(["adagrad", "follow_the_leader"]), Unsupported, "has the lane follow_the_leader, which needs"),
    ],
    ids=str,
)
def test_bad_lists_are_refused(learner, kind, said):
    X, y, _ = rows("random")
    with pytest.raises(kind, match=said):
        er.online.learn(X, y, learner)


def test_games_that_it_does_not_play_are_refused():
    X, y, _ = rows("random")
    with pytest.raises(Unsupported, match="a penalty is charged at one"):
        er.online.learn(X, y, Mixture(["adagrad"]), l1=0.1)
    with pytest.raises(Unsupported, match=r"bounded: logistic, .*modified_huber, perceptron, .* or epsilon_"):
        er.online.learn(X, y, Mixture(["adagrad", "scale_free_betting"]), loss="squared")
    with pytest.raises(Unsupported, match="takes no start"):
        er.online.learn(X, y, Mixture(["adagrad"]), start=(np.ones(4), 0.0))

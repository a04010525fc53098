"""A run as a model: it predicts, goes on, and is played again by verify."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.models.online import online_model
from empirisk.protocols import Unsupported
from tests.online.games import rows


def learned(learner="adagrad", loss="logistic", n=40, **options):
    X, y, _ = rows("random", n=n)
    return er.online.learn(X, y, learner, loss=loss, **options), X, y


def test_a_mixture_answers_as_all_of_its_lanes_do():
    run, X, y = learned("mixture")
    model = online_model(run, np.array([-1, 1]))
    assert model.scores(X).tolist() == pytest.approx(run.scores(X).tolist(), rel=1e-12)
    assert er.verify(model, X, y).holds


def test_it_predicts_as_the_run_does():
    run, X, y = learned(l2=0.01)
    model = online_model(run, np.array(["no", "yes"]))
    assert model.scores(X).tolist() == pytest.approx(run.scores(X).tolist(), rel=1e-12)
    assert model.predict(X).tolist() == np.where(model.scores(X) >= 0.0, "yes", "no").tolist()
    chances = model.probabilities(X)
    np.testing.assert_allclose(chances[:, 1], 1.0 / (1.0 + np.exp(-model.scores(X))))
    assert (model.coef_.shape, model.n_features, model.has_many_classes) == ((1, 4), 4, False)
    assert model.score(X, np.where(y > 0.0, "yes", "no")) > 0.5
    assert repr(model) == "<OnlineModel of 4 features by adagrad, after 40 rows>"
    assert model.fingerprint == run.fingerprint
    assert model.ledger == run.ledger


def test_regression():
    run, X, y = learned(loss="squared")
    model = online_model(run, None)
    assert model.predict(X).tolist() == model.scores(X).tolist()
    with pytest.raises(Unsupported, match="regression"):
        model.check_probabilities()
    assert "error" not in model.remark()
    assert er.verify(model, X, y).holds
    with pytest.raises(Unsupported, match="likelihood"):
        online_model(learned(loss="hinge")[0], np.array([-1, 1])).check_probabilities()


@pytest.mark.parametrize("learner", ["adagrad", "gradient_descent", "gradient_descent:steps=doubling"])
@pytest.mark.parametrize("options", [{}, {"l1": 0.02, "l2": 0.01}, {"constraint": "l2_ball:radius=1"}], ids=str)
def test_a_restored_run_goes_on_as_if_nothing_had_been(learner, options):
    X, y, s = rows("heavy", n=60)
    whole = er.online.learn(X, y, learner, sample_weight=s, **options)
    half = er.online.learn(X[:25], y[:25], learner, sample_weight=s[:25], **options)
    model = online_model(half, np.array([-1, 1]))
    half.learn(X[25:], y[25:], s[25:])  # the model has arrays of its own
    again = model.restored()
    again.learn(X[25:], y[25:], s[25:])
    for run in (half, again):
        assert run.ledger == whole.ledger
        assert run.fingerprint == whole.fingerprint
        assert run.point().stacked().tobytes() == whole.point().stacked().tobytes()
    assert er.verify(model, X, y, s).holds


def test_verify_plays_the_game_again():
    run, X, y = learned(l1=0.01, start=([1.0, 0.0, 0.0, 0.0], 0.5))
    model = online_model(run, np.array([-1, 1]))
    verdict = er.verify(model, X, y)
    assert verdict.holds
    assert verdict.sentence == f"Played again: 40 rounds, mean loss {run.ledger.mean_loss:.6g}, and the same state."
    assert er.verify(model, scipy.sparse.csr_array(X), y).holds
    more = np.vstack([X, X]), np.append(y, -y)
    assert er.verify(model, *more).holds  # rows below those of the run are not its matter
    assert model.concluded(verdict) == "The run is what the file says."


def test_verify_refuses():
    run, X, y = learned()
    model = online_model(run, np.array([-1, 1]))
    said = {
        "it met 40 rows, and they have 39": (model, X[:39], y[:39]),
        "their fingerprint differs": (model, X + 1e-9, y),
        "they hold the label 3.0": (model, X, np.append(y[1:], 3.0)),
        "X has 3 columns, and the run 4": (model, X[:, :3], y),
        "the ledger has loss": (model._replace(numbers=model.numbers * [1, 1, 1, 1.1, 1, 1, 1, 1, 1]), X, y),
        "the ledger has errors": (model._replace(numbers=model.numbers * [1, 1, 1, 1, 1, 2, 1, 1, 1]), X, y),
        "differs in rule.w,": (
            model._replace(state={**model.state, "rule.w": model.state["rule.w"] * (1.0 + 1e-5)}),
            X,
            y,
        ),
    }
    for sentence, (claimed, *data) in said.items():
        verdict = er.verify(claimed, *data)
        assert not verdict.holds
        assert sentence in verdict.sentence
        assert claimed.concluded(verdict) == "The run is not what the file says."
    with pytest.raises(TypeError, match="needs y"):
        er.verify(model, X)


def test_a_game_that_overflows_when_it_is_played_again():
    run, X, y = learned(loss="squared", n=3)
    model = online_model(run, None)._replace(learner="gradient_descent:steps=constant,length=1e300")
    other = er.online.learn(X[:0], y[:0], model.learner, loss="squared")
    model = model._replace(state=dict(online_model(other, None).state))
    verdict = er.verify(model, X, y)
    assert (verdict.holds, verdict.sentence) == (False, "Played again, the game overflows.")
    assert math.isfinite(model.ledger.loss)

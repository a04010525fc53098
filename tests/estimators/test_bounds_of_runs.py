"""Bounds of the online estimators: every row serves to learn and to bound, and nothing is tested on rows of the run."""

import numpy as np
import pytest

import empirisk as er

pytestmark = pytest.mark.interpreted

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((300, 3))
TARGET = X @ [1.0, -1.0, 2.0] + 0.3 * RANDOM.standard_normal(300)
TWO = np.where(TARGET > 0.0, "yes", "no")
THREE = np.array(["low", "middle", "top"])[np.digitize(TARGET, [-1.0, 1.0])]
RUN, REST = slice(0, 200), slice(200, 300)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_errors_of_the_run_are_those_before_each_row_was_learned(y):
    model = er.OnlineClassifier(learner="adagrad").fit(X[RUN], y[RUN])
    errors = model.losses_met(X[RUN], y[RUN])
    begun = er.OnlineClassifier(learner="adagrad").partial_fit(X[:1], y[:1], classes=np.unique(y))
    for t in range(1, 20):
        assert errors[t] == (begun.predict(X[t : t + 1])[0] != y[t])
        begun.partial_fit(X[t : t + 1], y[t : t + 1])
    bound = model.bound(X[RUN], y[RUN])
    assert (bound.kind, bound.n_rows) == ("progressive", 200)
    assert errors.mean() < bound.value < errors.mean() + 0.2
    assert "one of the 200 predictors of the run, drawn at random" in bound.sentence()
    assert er.verify(bound, errors).holds


def test_on_other_rows_it_is_tested_where_that_is_asked_for():
    model = er.OnlineClassifier(learner="adagrad").fit(X[RUN], TWO[RUN])
    bound = model.bound(X[REST], TWO[REST], kind="test_errors", delta=0.1)
    wrong = int(np.sum(model.predict(X[REST]) != TWO[REST]))
    assert (bound.kind, bound.errors) == ("test_errors", wrong)
    assert bound.value >= er.bounds.binomial_upper(wrong, 100, np.log(0.1))


def test_losses_of_a_regression_are_clipped():
    model = er.OnlineRegressor().fit(X[RUN], TARGET[RUN])
    bound = model.bound(X[RUN], TARGET[RUN], clip=2.0)
    assert (bound.kind, bound.largest) == ("progressive", 2.0)
    losses = model.losses_met(X[RUN], TARGET[RUN], clip=2.0)
    assert losses.max() == 2.0  # the first ones
    assert er.verify(bound, losses).holds
    tested = model.bound(X[REST], TARGET[REST], kind="test_losses", clip=2.0)
    assert tested.empirical < bound.empirical
    least = 0.5 * (model.predict(X[REST]) - TARGET[REST]) ** 2
    assert tested.empirical == pytest.approx(np.minimum(least, 2.0).mean())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, r: m.bound(X[RUN][::-1], TWO[RUN][::-1]), "not the rows of the run, all of them in their order"),
        (lambda m, r: m.bound(X[REST], TWO[REST]), "there is kind='test_errors'"),
        (lambda m, r: m.bound(X[RUN], TWO[RUN], kind="test_errors"), "a test needs others"),
        (lambda m, r: m.bound(X[RUN], TWO[RUN], kind="vc_tail"), "there are auto, progressive, test_errors"),
        (lambda m, r: m.bound(X[RUN], TWO[RUN], clip=1.0), "clip is for the losses of a regression"),
        (lambda m, r: m.bound(X[RUN], TWO[RUN], delta=float("nan")), "delta must be a number between 0 and 1"),
        (lambda m, r: r.bound(X[RUN], TARGET[RUN]), "a regression needs clip=c"),
        (lambda m, r: r.bound(X[RUN], TARGET[RUN], clip=0.0), "clip must be a positive finite number"),
        (lambda m, r: r.bound(X[RUN], TARGET[RUN], kind="test_errors", clip=1.0), "progressive, test_losses"),
    ],
)
def test_refused(call, said):
    classifier = er.OnlineClassifier(learner="adagrad").fit(X[RUN], TWO[RUN])
    regressor = er.OnlineRegressor().fit(X[RUN], TARGET[RUN])
    with pytest.raises(ValueError, match=said):
        call(classifier, regressor)


def test_rows_with_weights_or_learned_twice_are_no_rows_of_the_run():
    weighted = er.OnlineClassifier(learner="adagrad").fit(X[RUN], TWO[RUN], sample_weight=np.full(200, 0.5))
    twice = er.OnlineClassifier(learner="adagrad").fit(X[RUN], TWO[RUN]).partial_fit(X[RUN], TWO[RUN])
    for model in (weighted, twice):
        with pytest.raises(ValueError, match="not the rows of the run"):
            model.bound(X[RUN], TWO[RUN])

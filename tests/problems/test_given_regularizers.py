"""`regularizer=` takes what `er` exports."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.models import FitOptions, fit_linear
from empirisk.protocols import Unsupported

pytestmark = pytest.mark.interpreted

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 3))
Y = np.where(X @ [1.0, -1.0, 0.2] + RNG.normal(size=40) > 0.0, 1.0, -1.0)
NET = er.ElasticNet(l1=0.02, l2=0.25)


def test_an_elastic_net_adds_to_the_strengths():
    problem = er.EmpiricalRisk(X, Y, l1=0.03, l2=0.5, regularizer=NET)
    assert problem.regularizer == er.ElasticNet(0.03 + 0.02, 0.75)
    assert type(problem.regularizer) is er.ElasticNet
    assert problem.with_strengths(l2=0.125).regularizer == er.ElasticNet(0.03 + 0.02, 0.125)


def test_an_elastic_net_goes_with_what_l1_and_l2_go_with():
    problem = er.EmpiricalRisk(X, Y, l2=0.0, regularizer=NET, constraint=er.L2Ball(0.5))
    apart = er.EmpiricalRisk(X, Y, l1=0.02, l2=0.25, constraint=er.L2Ball(0.5))
    w = np.array([0.1, -0.2, 0.3])
    assert problem.regularizer.value(w) == apart.regularizer.value(w) > 0.0
    with pytest.raises(Unsupported, match=r"l1 = 0\.02 with l2 = 0\.25 with half_space is not supported"):
        er.EmpiricalRisk(X, Y, l2=0.0, regularizer=NET, constraint=er.HalfSpace([1.0, 1.0, 1.0], 1.0))


@pytest.mark.parametrize("labels", [Y, RNG.integers(0, 3, 40)], ids=["two", "three"])
def test_a_fit_with_an_elastic_net_is_that_with_its_strengths(labels):
    given = fit_linear(X, labels, FitOptions(l1=0.01, l2=0.5, regularizer=NET)).model
    apart = fit_linear(X, labels, FitOptions(l1=0.01 + 0.02, l2=0.75)).model
    assert given.weights.tobytes() == apart.weights.tobytes()
    assert (given.options.l1, given.options.l2, given.options.regularizer) == (0.01 + 0.02, 0.75, None)


def test_estimators_take_all_of_them():
    net = er.LinearClassifier(l2=0.0, regularizer=NET).fit(X, Y)
    assert (net.l1_, net.l2_, net.get_params()["regularizer"]) == (0.02, 0.25, NET)
    groups = er.regularizers.GroupLasso(0.05, np.array([0, 1, 2]), np.array([0, 2, 3]), np.array([1.0, 1.0]))
    built = er.LinearRegressor(regularizer=er.group_lasso([[0, 1], [2]], 0.05, [1.0, 1.0])).fit(X, Y)
    assert er.LinearRegressor(regularizer=groups).fit(X, Y).coef_.tobytes() == built.coef_.tobytes()
    entropy = er.LinearRegressor(l2=0.0, regularizer=er.NegativeEntropy(0.1), constraint=er.Simplex()).fit(X, Y)
    assert entropy.coef_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("labels", [Y, RNG.integers(0, 3, 40)], ids=["two", "three"])
def test_a_regularizer_states_the_penalty_and_the_default_l2_adds_nothing(labels):
    fits = {
        1e-4: er.LinearClassifier(),
        0.0: er.LinearClassifier(multiclass="one_vs_rest", regularizer=er.group_lasso([[0, 1], [2]], 0.05)),
        0.25: er.LinearClassifier(regularizer=er.ElasticNet(l2=0.25)),
        0.5: er.LinearClassifier(l2=0.25, regularizer=er.ElasticNet(l2=0.25)),
    }
    for l2, classifier in fits.items():
        assert clone(classifier).fit(X, labels).l2_ == l2
    none = er.LinearClassifier(regularizer=er.ElasticNet(l1=0.05, l2=0.0)).fit(X, labels)
    assert (none.l1_, none.l2_, none.model_.options.l2) == (0.05, 0.0, 0.0)
    assert none.coef_.tobytes() == er.LinearClassifier(l1=0.05, l2=0.0).fit(X, labels).coef_.tobytes()


def test_the_entropy_needs_no_strengths():
    plain = er.LinearRegressor(regularizer=er.NegativeEntropy(0.1), constraint="simplex").fit(X, Y)
    given = er.LinearRegressor(l2=0.0, regularizer=er.NegativeEntropy(0.1), constraint="simplex").fit(X, Y)
    assert plain.coef_.tobytes() == given.coef_.tobytes()
    with pytest.raises(Unsupported, match=r"l2 = 0\.1 with negative_entropy with simplex is not supported"):
        er.LinearRegressor(l2=0.1, regularizer=er.NegativeEntropy(0.1), constraint="simplex").fit(X, Y)
    many = er.LinearClassifier(multiclass="one_vs_rest", regularizer=er.NegativeEntropy(0.1), constraint="simplex")
    np.testing.assert_allclose(many.fit(X, np.arange(40) % 3).coef_.sum(axis=1), 1.0)


def test_so_it_is_for_problems():
    assert er.EmpiricalRisk(X, Y).regularizer == er.ElasticNet(0.0, 1e-4)
    assert er.EmpiricalRisk(X, Y, l1=0.5).regularizer == er.ElasticNet(0.5, 1e-4)
    assert er.EmpiricalRisk(X, Y, regularizer=er.ElasticNet(0.5)).regularizer == er.ElasticNet(0.5, 0.0)
    classes = np.arange(40) % 3
    many = er.MulticlassRisk(X, classes, 3, er.vector_losses.Softmax(), l2=0.5, regularizer=NET)
    assert many.regularizer == er.ElasticNet(0.02, 0.75)
    assert er.MulticlassRisk(X, classes, 3, er.vector_losses.Softmax()).regularizer == er.ElasticNet(0.0, 1e-4)
    assert FitOptions(regularizer=NET).checked().checked().l2 == 0.25


def test_what_cannot_be_is_said_in_a_sentence():
    said = r"l2='cv' chooses all of l2, and regularizer=ElasticNet has l2 = 0\.25: give one of them"
    with pytest.raises(Unsupported, match=said):
        FitOptions(l2="cv", regularizer=NET).checked()
    assert FitOptions(l2="cv", regularizer=er.ElasticNet(l1=0.5)).checked().l1 == 0.5
    with pytest.raises(ValueError, match="l1 of an elastic net must be a finite number >= 0, got -1"):
        er.EmpiricalRisk(X, Y, regularizer=er.ElasticNet(-1.0, 0.0))
    with pytest.raises(TypeError, match="l2 must be a number >= 0, got 'strong'"):
        er.EmpiricalRisk(X, Y, l2="strong", regularizer=NET)
    with pytest.raises(Unsupported, match="negative_entropy is not supported; supported are"):
        er.EmpiricalRisk(X, Y, l2=0.0, regularizer=er.NegativeEntropy(0.1))

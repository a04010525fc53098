"""Bounds of models that are made again on some of their rows."""

import numpy as np
import pytest

import empirisk as er
from empirisk.models.linear_fit import fit_linear
from empirisk.models.options import FitOptions
from tests.own_losses import Welsch

rng = np.random.default_rng(2)
X = rng.normal(size=(300, 3))
Y = np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 0.0, "yes", "no")
FAR = X + 2.0 * np.where(X[:, :1] > 0.0, 1.0, -1.0)
SIDES = X[:, 0] > 0.0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"standardize": True},
        {"class_weight": "balanced"},
        {"class_weight": {"yes": 3.0}, "standardize": True},
        {"loss": "hinge", "l2": 0.01},
        {"loss": "squared_hinge", "fit_intercept": False},
        {"l1": 0.01},
    ],
    ids=str,
)
def test_options_of_the_fit_are_those_of_the_prior(options):
    scaled = X * [1.0, 100.0, 0.01]
    model = fit_linear(scaled, Y, FitOptions(**options)).model
    bound = model.bound(scaled, Y, kind="pac_bayes")
    assert bound.value < 0.5
    assert er.verify(bound, scaled, Y).holds


def test_auto_is_the_least_of_a_list_that_shares_delta():
    wide = rng.normal(size=(1000, 40))
    labels = wide[:, 0] + 0.2 * rng.normal(size=1000) > 0.0
    model = er.LinearClassifier(l2=0.1).fit(wide, labels)
    bound = model.bound(wide, labels)
    assert (bound.kind, bound.delta, bound.share) == ("pac_bayes", 0.05, 0.9)
    assert "With probability 0.95 " in bound.sentence()
    assert er.verify(bound, wide, labels).holds
    assert not er.verify(bound._replace(share=1.0), wide, labels).holds
    assert bound.value == model.bound(wide, labels, kind="pac_bayes", delta=0.05 * 0.9).value
    assert bound.value < model.bound(wide, labels, kind="vc_tail").value


def test_strengths_are_chosen_again_on_the_rows_of_the_prior():
    model = er.LinearClassifier(l2="cv", n_strengths=3, folds=2).fit(X, Y)
    bound = model.bound(X, Y, kind="pac_bayes")
    assert er.verify(bound, X, Y).holds
    assert bound.ingredients["l1"] == 0.0


def test_planes_by_the_rows_that_rebuild_them():
    gap, run = er.MaxMarginClassifier().fit(FAR, SIDES), er.Perceptron().fit(FAR, SIDES)
    for model, kind in ((gap, "compression_gap"), (run, "compression_perceptron")):
        bound = model.bound(FAR, SIDES)
        assert bound.kind == kind
        assert (bound.delta, bound.share) == (0.05, 0.5)
        assert er.verify(bound, FAR, SIDES).holds
        with pytest.raises(ValueError, match="not the fit of a risk"):
            model.bound(FAR, SIDES, kind="pac_bayes")
    hinge = er.LinearClassifier(loss="hinge", l2=0.1).fit(FAR, SIDES)
    bound = hinge.bound(FAR, SIDES, kind="compression_support")
    assert bound.predictor == "the rebuilt plane"
    assert er.verify(bound, FAR, SIDES).holds


@pytest.mark.parametrize(
    ("options", "reason"), [({"constraint": "l2_ball:radius=2"}, "constraint"), ({"loss": Welsch()}, "own")]
)
def test_fits_that_are_not_made_again(options, reason):
    model = er.LinearClassifier(l2=0.1, **options).fit(X, Y)
    assert model.bound(X, Y).kind == "vc_tail"
    assert model.bound(X, Y).share == 1.0
    with pytest.raises(ValueError, match=reason):
        model.bound(X, Y, kind="pac_bayes")


def test_the_table_has_every_kind():
    text = er.bounds.table(er.LinearClassifier().fit(X, Y), X, Y).text()
    for kind in ("pac_bayes", "pac_bayes_draw", "pac_bayes_zero", "margin", "compression_gap"):
        assert kind in text

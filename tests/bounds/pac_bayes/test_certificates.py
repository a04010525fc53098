"""The certificates of PAC-Bayes bounds: written, read, verified, and lies found."""

import json

import numpy as np
import pytest
import scipy.sparse
from scipy.stats import binom, norm

import empirisk as er
from empirisk.bounds import labelled_rows, plane_evidence, risk_bound
from empirisk.bounds.pac_bayes.prior_fit import pac_bayes_bound
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.certificates import from_sealed_json, sealed_json


def two_classes(seed, n=120, shift=1.5):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = rng.standard_normal((n, 2))
    X[:, 0] += shift * y
    return X, y


def fitted(X, y, **options):
    fit = er.minimize(er.EmpiricalRisk(X, y, options.pop("loss", "logistic"), **options))
    return fit.weights, fit.intercept


@pytest.mark.parametrize("of_draw", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"loss": "hinge"}, {"fit_intercept": False}, {"l1": 0.01}, {"loss": "squared"}], ids=str
)
def test_holds_after_json(of_draw, options):
    X, y = two_classes(0)
    options = {"l2": 0.01, **options}
    plane = fitted(X, y, **options)
    bound = pac_bayes_bound(labelled_rows(X, y), *plane, of_draw=of_draw, **options)
    again = from_sealed_json(json.loads(json.dumps(sealed_json(bound))))
    assert er.verify(again, X, y).holds
    assert again.predictor == ("a random draw around the plane" if of_draw else "the plane")
    assert 0.0 < bound.value < 1.0
    others = 120 - int(prior_rows(120).sum())
    assert f"of the {others} of them that were counted" in bound.sentence()
    assert er.verify(bound, scipy.sparse.csr_matrix(X), y).holds


def test_scaled_columns_and_class_weights():
    X, y = two_classes(1)
    X = X * [1000.0, 0.01]
    scale = X[prior_rows(120)].std(axis=0)
    w, b = fitted(X / scale, y, l2=0.01)
    bound = pac_bayes_bound(labelled_rows(X, y), w / scale, b, l2=0.01, scale=scale, positive_weight=2.0)
    assert er.verify(bound, X, y).holds


def test_lies_are_found():
    X, y = two_classes(2)
    rows = labelled_rows(X, y)
    w, b = fitted(X, y, l2=0.01)
    bound = pac_bayes_bound(rows, w, b, l2=0.01)
    prior = bound.evidence["prior_weights"]
    for lie in (
        bound._replace(value=0.99 * bound.value),
        bound._replace(value=1.01 * bound.value),
        bound._replace(delta=0.01),
        bound._replace(evidence={**bound.evidence, "prior_weights": w}),  # it saw all rows
        bound._replace(evidence={**bound.evidence, "prior_weights": prior + 0.01}),
        bound._replace(evidence={**bound.evidence, "weights": 2.0 * bound.evidence["weights"]}),
        bound._replace(ingredients={**bound.ingredients, "seed": 1}),
        bound._replace(ingredients={**bound.ingredients, "divergence": 0.0}),
        bound._replace(predictor="a random draw around the plane"),
        bound._replace(kind="pac_bayes_draw"),
    ):
        assert not er.verify(lie, X, y).holds
    assert not er.verify(bound, X[::-1], y[::-1]).holds


def test_a_plane_of_all_rows_is_no_prior():
    X, y = two_classes(3, shift=0.3)
    w, b = fitted(X, y, l2=0.01)
    rows = labelled_rows(X, y)
    bound = pac_bayes_bound(rows, w, b, l2=0.01)
    evidence = {**bound.evidence, "prior_weights": w, "prior_intercept": np.array([b])}
    choices = {name: bound.ingredients[name] for name in ("is_affine", "seed", "prior_loss", "l1", "l2")}
    with pytest.raises(ValueError, match="not the fit of its rows"):
        risk_bound("pac_bayes", rows, 0.05, {**choices, "positive_weight": 1.0}, evidence)


def test_what_cannot_be_bounded_is_refused():
    X, y = two_classes(4, n=8)
    rows = labelled_rows(X, np.array([0, 1, 2, 0, 1, 2, 0, 1]))
    evidence = plane_evidence(np.ones((3, 2)), np.zeros(3))
    for kind in ("pac_bayes_zero", "margin"):
        with pytest.raises(ValueError, match="two classes"):
            risk_bound(kind, rows, 0.05, {"is_affine": True}, evidence)
        with pytest.raises(ValueError, match="zero weights"):
            risk_bound(kind, labelled_rows(X, y), 0.05, {"is_affine": True}, plane_evidence(np.zeros(2), 0.0))
    with pytest.raises(ValueError, match="one class"):
        pac_bayes_bound(labelled_rows(X, np.where(prior_rows(8), 1.0, -1.0)), np.ones(2), 0.0)
    with pytest.raises(ValueError, match="it needs some"):
        pac_bayes_bound(labelled_rows(X[:2], np.array([0, 1])), np.ones(2), 0.0, seed=next_seed_without_both(2))


def next_seed_without_both(n):
    return next(seed for seed in range(100) if prior_rows(n, seed).all() or not prior_rows(n, seed).any())


def test_a_label_that_is_no_class_is_wrong():
    X, y = two_classes(5)
    plane = plane_evidence(*fitted(X, y, l2=0.01))
    strange = y.copy()
    strange[:60] = 7.0
    bounds = [
        risk_bound("pac_bayes_zero_draw", labelled_rows(X, labels, (-1.0, 1.0)), 0.05, {"is_affine": True}, plane)
        for labels in (y, strange)
    ]
    assert bounds[0].value < bounds[1].value
    assert bounds[1].errors >= 60


@pytest.mark.parametrize("shift", [2.5, 0.8, 0.0])
@pytest.mark.parametrize("kind", ["pac_bayes_zero", "margin"])
def test_kinds_without_a_fit_hold_on_fresh_draws(kind, shift):
    draws, broken = 40, 0
    for seed in range(draws):
        X, y = two_classes(1000 + seed, n=100, shift=shift)
        w = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
        evidence = plane_evidence(w, 0.0)
        risk = norm.cdf(-shift * w[0] / np.linalg.norm(w))
        broken += risk_bound(kind, labelled_rows(X, y), 0.05, {"is_affine": False}, evidence).value < risk
    assert broken <= binom.ppf(1.0 - 1e-6, draws, 0.05)

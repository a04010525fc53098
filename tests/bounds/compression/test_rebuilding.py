"""Planes rebuilt from a few rows: the same bits, the same minimum, and certificates that hold."""

import json

import numpy as np
import pytest
from scipy.stats import binom, norm

import empirisk as er
from empirisk.bounds.compression.rebuilding import gap_compression, perceptron_compression, support_compression
from empirisk.bounds.compression.rules import perceptron_again, points_of_rows
from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.certificates import from_sealed_json, sealed_json


def two_classes(seed=0, n=40, d=2, shift=2.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = rng.standard_normal((n, d))
    X[:, 0] += shift * y
    return X, y


def separable(seed=0, n=40):
    X, y = two_classes(seed, n)
    X[:, 0] = np.where(y * X[:, 0] > 0.1, X[:, 0], y * 0.3)
    return X, y


def again(certificate):
    return from_sealed_json(json.loads(json.dumps(sealed_json(certificate))))


@pytest.mark.parametrize("form", ["online", "averaged"])
@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_perceptron(form, order):
    X, y = separable(1)
    run = er.perceptron(X, y, form=form, order=order, seed=3)
    bound = perceptron_compression(labelled_rows(X, y), run, order=order, seed=3)
    assert bound.ingredients["kept"] < 40
    assert er.verify(again(bound), X, y).holds
    assert bound.predictor == "the plane"
    assert f"of the {40 - bound.ingredients['kept']} of them that were counted" in bound.sentence()


def test_the_rows_with_mistakes_give_the_same_bits():
    X, y = separable(2, n=60)
    run = er.perceptron(X, y)
    found = perceptron_again(points_of_rows(labelled_rows(X, y), True), "online", "cyclic", 0, run.visits)
    assert 0 < found.kept.size < 60
    small = er.perceptron(X[found.kept], y[found.kept])
    assert np.array_equal(small.weights, run.weights)
    assert small.intercept == run.intercept


def test_a_run_that_does_not_separate_pays_for_its_passes():
    X, y = two_classes(3, shift=0.5)
    run = er.perceptron(X, y, max_passes=4, certify=False)
    bound = perceptron_compression(labelled_rows(X, y), run)
    assert bound.ingredients["log_messages"] > np.log(2.0)
    assert er.verify(bound, X, y).holds


@pytest.mark.parametrize("form", ["pocket", "voted", "batch"])
def test_forms_that_see_every_row_are_refused(form):
    X, y = separable(4)
    with pytest.raises(ValueError, match="cannot be rebuilt"):
        perceptron_compression(labelled_rows(X, y), er.perceptron(X, y, form=form))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_widest_gap(fit_intercept):
    X, y = separable(5)
    gap = er.widest_gap(X, y, fit_intercept=fit_intercept)
    bound = gap_compression(labelled_rows(X, y), gap)
    assert bound.ingredients["kept"] == gap.support_rows.size
    assert er.verify(again(bound), X, y).holds
    np.testing.assert_allclose(bound.evidence["weights"][0], gap.weights, rtol=1e-3)
    assert bound.predictor == ("the rebuilt plane" if bound.ingredients["is_rebuilt"] else "the plane")


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("strengths", [{"l2": 0.1}, {"l1": 0.01, "l2": 0.05}])
def test_rows_with_a_dual_variable(loss, strengths):
    X, y = two_classes(6, shift=2.5)
    fit = er.minimize(er.EmpiricalRisk(X, y, loss, **strengths))
    bound = support_compression(
        labelled_rows(X, y), fit.weights, fit.intercept, fit.certificate, loss=loss, **strengths
    )
    assert bound.ingredients["kept"] < 40
    assert er.verify(again(bound), X, y).holds
    np.testing.assert_allclose(bound.evidence["weights"][0], fit.weights, atol=0.02)


def test_a_loss_that_is_flat_nowhere_needs_every_row():
    X, y = two_classes(7)
    fit = er.minimize(er.EmpiricalRisk(X, y, "logistic", l2=0.1))
    with pytest.raises(ValueError, match="not all"):
        support_compression(labelled_rows(X, y), fit.weights, fit.intercept, fit.certificate, loss="logistic", l2=0.1)


def test_lies_are_found():
    X, y = separable(8)
    rows = labelled_rows(X, y)
    gap = gap_compression(rows, er.widest_gap(X, y))
    run = perceptron_compression(rows, er.perceptron(X, y))
    for lie in (
        gap._replace(value=0.9 * gap.value),
        gap._replace(evidence={**gap.evidence, "kept_rows": gap.evidence["kept_rows"] + 1}),
        gap._replace(evidence={**gap.evidence, "kept_duals": gap.evidence["kept_duals"][::-1].copy() * 0.5}),
        gap._replace(evidence={**gap.evidence, "weights": 1.5 * gap.evidence["weights"]}),
        run._replace(evidence={**run.evidence, "weights": 2.0 * run.evidence["weights"]}),
        run._replace(ingredients={**run.ingredients, "kept": run.ingredients["kept"] - 1}),
        run._replace(ingredients={**run.ingredients, "visits": run.ingredients["visits"] - 1}),
    ):
        assert not er.verify(lie, X, y).holds


@pytest.mark.parametrize("shift", [2.5, 0.8, 0.0])
def test_holds_on_fresh_draws(shift):
    draws, broken = 40, 0
    for seed in range(draws):
        X, y = two_classes(100 + seed, n=100, shift=shift)
        run = er.perceptron(X, y, max_passes=5, certify=False)
        bound = perceptron_compression(labelled_rows(X, y), run)
        w, b = run.weights, run.intercept
        size = np.linalg.norm(w)
        risk = 0.5 * (norm.cdf(-(shift * w[0] + b) / size) + norm.cdf((b - shift * w[0]) / size))
        broken += bound.value < risk
    assert broken <= binom.ppf(1.0 - 1e-6, draws, 0.05)

"""The likelihood and its certificate, against sums over all labelings."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.chains.gap.chain_gap import chain_gap
from empirisk.chains.likelihood import mean_likelihood
from empirisk.chains.point import ChainPoint
from tests.chains.sentences import drawn_risk, features_of, gold_of, lengths_of

SETTINGS = [
    {},
    {"states": "all"},
    {"transitions": "observed", "has_ends": False},
    {"with_values": True, "n_dense": 2, "weights": np.arange(12.0)},
]


def slow_value(risk, u):
    """P(u) by all labelings."""
    data, total = risk.data, 0.0
    for j, length in enumerate(lengths_of(data)):
        paths = itertools.product(range(data.n_labels), repeat=length)
        scores = np.array([features_of(data, j, path) @ u for path in paths])
        z = scores.max() + np.log(np.sum(np.exp(scores - scores.max())))
        total += risk.shares[j] * (z - features_of(data, j, gold_of(data, j)) @ u)
    return total + risk.penalty(u)


@pytest.mark.parametrize("setting", SETTINGS)
def test_value_and_gradient(setting):
    risk = drawn_risk(**setting)
    u = np.random.default_rng(1).normal(size=risk.data.layout.size)
    risk.data.layout.mask(u)
    found = mean_likelihood(risk.passes, u)
    assert found.value + risk.penalty(u) == pytest.approx(slow_value(risk, u), rel=1e-12)
    flat = risk.data.layout.parts(np.arange(u.size, dtype=float)).transitions[~risk.data.layout.is_free]
    for k in set(range(0, u.size, 5)) - set(flat.astype(int)):
        step = np.zeros_like(u)
        step[k] = 1e-5
        slope = (mean_likelihood(risk.passes, u + step).value - mean_likelihood(risk.passes, u - step).value) / 2e-5
        assert slope == pytest.approx(found.gradient[k], abs=1e-8)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_minimised_and_the_gap_is_true(setting):
    risk = drawn_risk(**setting)
    solution = er.minimize(risk, tol=1e-9)
    assert solution.certified
    assert er.verify(solution, risk).holds
    rough = er.minimize(risk, tol=1e-2)
    assert rough.objective - solution.objective <= rough.certificate.gap
    assert rough.certificate.gap <= 20 * (rough.objective - solution.objective) + 1e-6


def test_the_same_bytes_for_any_number_of_threads():
    risk = drawn_risk(n=40)
    points = [er.minimize(risk, n_threads=n).point.weights.tobytes() for n in (1, 2, 4)]
    assert len({*points}) == 1


def test_a_gap_under_l1_alone_holds():
    rng = np.random.default_rng(0)
    risk = drawn_risk(l1=0.02, l2=0.0)
    values = []
    for _ in range(20):
        u = rng.normal(size=risk.data.layout.size) * rng.choice([0.01, 0.3])
        certificate = chain_gap(risk, ChainPoint(u))
        assert certificate.objective == pytest.approx(slow_value(risk, u), rel=1e-12)
        values.append((certificate.objective, certificate.dual_value))
    assert max(dual for _, dual in values) <= min(primal for primal, _ in values)
    assert max(dual for _, dual in values) > 0.0


def test_lies_are_refused():
    risk = drawn_risk()
    solution = er.minimize(risk, tol=1e-4)
    certificate, point = solution.certificate, solution.point
    again = from_sealed_json(json.loads(json.dumps(sealed_json(certificate))))
    assert er.verify(again, risk, point).holds
    for lie in (
        {"gap": certificate.gap / 2},
        {"objective": certificate.objective - 1e-3},
        {"dual_value": certificate.dual_value + 1e-3},
        {"scale": 2.0 * certificate.scale},
        {"rounding": -1.0},
        {"subject": "0"},
    ):
        assert not er.verify(certificate._replace(**lie), risk, point).holds
    assert not er.verify(certificate, risk, ChainPoint(point.weights + 1e-9)).holds
    assert not er.verify(certificate, drawn_risk(seed=1, n=12), point).holds


@pytest.mark.parametrize("strengths", [(0.01, 0.02), (0.02, 0.0)])
@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_l1_gives_zeros_and_a_gap(setting, strengths):
    risk = drawn_risk(l1=strengths[0], l2=strengths[1], **setting)
    solution = er.minimize(risk, tol=1e-7 if strengths[1] else 1e-4)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert er.verify(solution, risk).holds
    assert np.count_nonzero(solution.point.weights == 0.0) > np.count_nonzero(~risk.data.layout.is_free)

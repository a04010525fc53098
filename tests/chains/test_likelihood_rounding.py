"""What the certificate of the likelihood claims, in 50 digits."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest

from empirisk.chains.gap.chain_gap import chain_gap
from empirisk.chains.point import ChainPoint
from tests.chains.sentences import drawn_risk, features_of, gold_of, lengths_of


def exact_values(risk, u):
    """P and D at u, of which D is that of the model's own distribution, by all labelings."""
    data, shares = risk.data, [mpmath.mpf(float(share)) for share in risk.shares]
    l1, l2 = (mpmath.mpf(strength) for strength in risk.regularizer)
    weights = [mpmath.mpf(float(x)) for x in u]
    mean, v = mpmath.mpf(0), [mpmath.mpf(0)] * u.size
    for j, length in enumerate(lengths_of(data)):
        found = [features_of(data, j, path) for path in itertools.product(range(data.n_labels), repeat=length)]
        scores = [mpmath.fsum(x * w for x, w in zip(phi, weights, strict=True) if x) for phi in found]
        high = max(scores)
        parts = [mpmath.exp(score - high) for score in scores]
        z = mpmath.fsum(parts)
        gold = features_of(data, j, gold_of(data, j))
        mean += shares[j] * (high + mpmath.log(z) - mpmath.fsum(x * w for x, w in zip(gold, weights, strict=True)))
        for k in range(u.size):
            expected = mpmath.fsum(part * phi[k] for part, phi in zip(parts, found, strict=True)) / z
            v[k] += shares[j] * (gold[k] - expected)
    primal = mean + mpmath.fsum(l1 * abs(w) + l2 * w * w / 2 for w in weights)
    if l2 > 0:
        return primal, primal - mpmath.fsum(
            l1 * abs(w) + l2 * w * w / 2 + max(0, abs(x) - l1) ** 2 / (2 * l2) - w * x
            for w, x in zip(weights, v, strict=True)
        )
    scale = min(1, l1 / max(map(abs, v)))
    return primal, scale * (mean + mpmath.fsum(w * x for w, x in zip(weights, v, strict=True)))


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 2000.0])
@pytest.mark.parametrize("strengths", [(0.0, 0.05), (0.02, 0.05), (0.02, 0.0)])
def test_primal_and_dual_value_are_within_the_rounding_that_is_told(size, strengths):
    mpmath.mp.dps = 50
    risk = drawn_risk(n=4, longest=4, n_words=3, l1=strengths[0], l2=strengths[1], with_values=size == 1.0)
    u = size * np.random.default_rng(3).normal(size=risk.data.layout.size)
    certificate = chain_gap(risk, ChainPoint(u))
    primal, dual = exact_values(risk, u)
    assert abs(primal - mpmath.mpf(certificate.objective)) <= certificate.rounding
    assert primal - mpmath.mpf(certificate.gap) <= dual  # what is claimed to be below every value is below this one
    assert -1e-9 * max(1.0, abs(float(dual))) <= certificate.dual_value - dual <= certificate.rounding
    assert certificate.rounding <= 1e-8 * max(1.0, abs(float(primal)))

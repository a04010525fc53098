"""Solvers of margins against each other and against the program with all labelings; their certificates against lies."""

from __future__ import annotations

import json

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.chains.labeling_means import labeling_means
from empirisk.chains.point import ChainPoint
from empirisk.chains.solvers.choice import FOR_MARGINS
from empirisk.chains.solvers.cutting_planes import CuttingPlanes
from empirisk.compiled import is_interpreted
from empirisk.protocols import Unsupported
from tests.chains.sentences import drawn_risk
from tests.chains.test_margin import CASES, SETTINGS, all_labelings, margin_risk, optimum

EXACT = ("block_frank_wolfe", "cutting_planes", CuttingPlanes("each"))


@pytest.mark.parametrize("solver", EXACT, ids=["blocks", "one", "each"])
@pytest.mark.parametrize(("cost", "at"), [(cost, SETTINGS.index(s)) for cost, s in CASES])
def test_they_find_the_minimum(solver, cost, at):
    risk, _ = all_labelings(cost, at)
    value, _, _ = optimum(cost, at)
    gaps = []
    solution = er.minimize(risk, solver, tol=1e-6, callback=lambda trace: gaps.append(trace.checks[-1]))
    assert solution.certified, solution
    assert solution.objective == pytest.approx(value, rel=1e-6)
    for check in gaps:
        assert check.objective - value <= check.gap + 1e-9 * value
    assert er.verify(solution, risk).holds


@pytest.mark.parametrize("cost", ["mean_hamming", "sequence"])
def test_the_subgradient_method_comes_near(cost):
    risk = margin_risk(cost, l2=0.5)
    best = er.minimize(risk, tol=1e-8)
    solution = er.minimize(risk, "subgradient", tol=1e-2)
    assert best.certified
    assert solution.certified
    assert er.verify(solution, risk).holds
    assert solution.objective - best.objective <= solution.certificate.gap


def test_auto_and_refused_pairs():
    risk = margin_risk()
    assert er.minimize(risk, tol=1e-2).solver == "block_frank_wolfe"
    with pytest.raises(Unsupported, match="lbfgs does not minimise the margin under this penalty; block_frank_wolfe"):
        er.minimize(risk, "lbfgs")
    for solver in FOR_MARGINS:
        with pytest.raises(Unsupported, match=f"{solver} does not minimise the likelihood under this penalty; lbfgs"):
            er.minimize(drawn_risk(), solver)


def test_the_same_bytes_for_any_number_of_threads():
    def run(n_threads):
        solution = er.minimize(margin_risk(n=30), tol=1e-3, n_threads=n_threads)
        return json.dumps(sealed_json(solution.certificate))

    assert len({run(n) for n in (1, 2, 4)}) == 1


def test_kept_labelings_reproduce_the_weights_and_go_on():
    risk = margin_risk(n=20)
    rough = er.minimize(risk, tol=1e-1)
    labelings = rough.certificate.labelings()
    mean = labeling_means(risk, risk.loss, labelings, np.zeros(risk.data.sequences.n_tokens))
    np.testing.assert_allclose(mean.features / risk.regularizer.l2, rough.point.weights, atol=1e-12)
    fine = er.minimize(risk, tol=1e-5)
    again = er.minimize(risk, start=rough.certificate.with_evidence(rough.point), tol=1e-5)
    assert again.certified
    assert again.passes < fine.passes


def test_lies_are_refused():
    risk = margin_risk(n=12, seed=5)
    solution = er.minimize(risk, tol=1e-2)
    certificate, point = solution.certificate, solution.point
    again = from_sealed_json(json.loads(json.dumps(sealed_json(certificate))))
    assert er.verify(again, risk, point).holds
    labelings = certificate.labelings()
    several = int(np.flatnonzero(np.diff(labelings.starts) > 1)[0])
    k = int(labelings.starts[several])
    owner = int(np.searchsorted(labelings.starts, k, side="right")) - 1
    tokens = risk.data.sequences.starts
    place = int(labelings.change_starts[k])
    length = int(tokens[owner + 1] - tokens[owner])
    gold = int(risk.data.gold[tokens[owner] + labelings.positions[place]])

    def changed(name, at, value):
        array = getattr(certificate, name).copy()
        array[at] = value
        return certificate._replace(**{name: array})

    weights = certificate.dual_weights
    lies = {
        "gap": certificate._replace(gap=certificate.gap / 2),
        "objective": certificate._replace(objective=certificate.objective - 1e-3),
        "dual value": certificate._replace(dual_value=certificate.dual_value + 1e-3),
        "position beyond": changed("dual_positions", place, length),
        "position below": changed("dual_positions", place, -1),
        "gold label": changed("dual_labels", place, gold),
        "label beyond": changed("dual_labels", place, 3),
        "weight below": changed("dual_weights", k, -1e-12),
        "weight above": changed("dual_weights", k, 1.0 + 2.0**-52),
        "weight not a number": changed("dual_weights", k, np.nan),
        "sum above": changed("dual_weights", k, 1.0 - np.sum(weights[k + 1 : labelings.starts[several + 1]]) + 1e-15),
        "starts": changed("dual_starts", several + 1, labelings.starts[several + 1] + 10**6),
        "first start": changed("dual_starts", 0, 1),
        "changes": changed("dual_change_starts", k + 1, labelings.change_starts[k]),
        "short": certificate._replace(dual_weights=weights[:-1]),
        "no labels": certificate._replace(dual_labels=certificate.dual_labels[:0]),
        "less weight": changed("dual_weights", k, weights[k] / 2),
    }
    for name, lie in lies.items():
        verdict = er.verify(lie, risk, point)
        assert not verdict.holds, name
        assert verdict.sentence.endswith(".")
    assert not er.verify(certificate, risk, ChainPoint(point.weights + 1e-9)).holds
    assert not er.verify(certificate, margin_risk(n=12, seed=6), point).holds
    assert not er.verify(certificate, margin_risk("sequence", n=12, seed=5), point).holds


@pytest.mark.compiled
def test_compiled_equals_interpreted():
    assert not is_interpreted()
    risk = margin_risk(n=10, seed=2)
    solution = er.minimize(risk, tol=1e-6)
    assert solution.certified
    assert er.verify(solution, risk).holds

"""The certificate of what was counted: true in long arithmetic, and refused where a claim is too good."""

import json

import numpy as np
import pytest
from mpmath import mp, mpf

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.chains.generative import JointLikelihood, counted_frequencies, generative_weights
from empirisk.chains.generative.counts import counts_of
from empirisk.chains.point import ChainPoint
from tests.chains.sentences import drawn_data


def claim_of(problem, u=None):
    point = ChainPoint(generative_weights(problem.data, problem.smoothing) if u is None else u)
    return counted_frequencies(problem, point), point


def long_values(problem, u):
    """Objective and gap of a layout with all weights, where the rows of the model are divided by their sums."""
    data, a = problem.data, mpf(problem.smoothing)
    counts, parts, K = counts_of(data), data.layout.parts(u), data.n_labels
    tables = [(counts.states.reshape(-1, K).T, parts.states.reshape(-1, K).T)]
    tables += [(counts.transitions, parts.transitions), (counts.first[None], parts.first[None])]
    objective = gap = mpf(0)
    for table, logs in tables:
        for row, log_q in zip(table, logs, strict=True):
            n = [mpf(float(c)) + a for c in row]
            total = mp.log(mp.fsum(mp.exp(mpf(float(x))) for x in log_q))
            for c, x in zip(n, log_q, strict=True):
                if c > 0:
                    objective -= c * mpf(float(x))
                    gap += c * (mp.log(c / mp.fsum(n)) - mpf(float(x)) + total)
    return objective / data.total_weight(), gap / data.total_weight()


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-5, 1e-3, 0.3, 5.0])
def test_the_gap_is_an_upper_bound_and_tight(size):
    problem = JointLikelihood(drawn_data(n=8, states="all", weights=np.linspace(0.1, 2.0, 8)), 0.7)
    u = generative_weights(problem.data, 0.7)
    u = u + size * np.random.default_rng(1).normal(size=u.size)
    claim, point = claim_of(problem, u)
    with mp.workdps(50):
        objective, gap = long_values(problem, u)
    found = claim.verify(problem, point).numbers["gap"]
    assert claim.objective == pytest.approx(float(objective), rel=1e-13)
    assert 0.0 <= gap <= found <= claim.gap
    if size in (1e-9, 1e-5, 1e-3):  # farther off the rows do not sum to one, which is charged
        assert found <= 3.0 * float(gap) + 1e-24
    if size == 0.0:
        assert claim.gap < 1e-24
        assert claim.is_within(1e-12)
        assert claim.is_rounding_only()


@pytest.mark.parametrize("has_ends", [True, False])
@pytest.mark.parametrize("transitions", ["all", "observed"])
def test_counts_hold_in_every_layout(has_ends, transitions):
    problem = JointLikelihood(drawn_data(n=9, has_ends=has_ends, transitions=transitions), 0.2)
    claim, point = claim_of(problem)
    assert claim.verify(problem, point).holds
    assert claim.verify(problem, point).sentence.startswith("Counted again")
    is_whole = bool(problem.data.layout.is_free.all())
    assert (claim.gap < 1e-26) == is_whole  # transitions that share one probability cost something


def test_without_smoothing():
    problem = JointLikelihood(drawn_data(n=5, states="all"), 0.0)
    claim, point = claim_of(problem)
    assert claim.verify(problem, point).holds
    assert claim.gap < 1e-26
    worse = np.where(np.isneginf(point.weights), -1.0, point.weights)  # rows that sum to more than one
    assert 0.1 < claim_of(problem, worse)[0].gap < np.inf
    never = point.weights.copy()
    never[int(np.argmax(np.isfinite(point.weights)))] = -np.inf
    lost, at = claim_of(problem, never)
    assert "probability zero" in lost.verify(problem, at).sentence
    assert not lost.is_within(1.0)


def test_lies_are_found():
    problem = JointLikelihood(drawn_data(n=8), 0.5)
    claim, point = claim_of(problem)
    other = ChainPoint(1.01 * point.weights)
    assert "other weights" in claim.verify(problem, other).sentence
    assert "is larger than" in claim.about(other).verify(problem, other).sentence
    assert "added to every count" in claim.verify(problem._replace(smoothing=0.4), point).sentence
    assert "recomputed objective" in claim._replace(objective=1.01 * claim.objective).verify(problem, point).sentence
    assert "scale" in claim._replace(scale=2.0 * claim.scale).verify(problem, point).sentence
    assert "another kind" in claim.verify(problem.data, point).sentence
    fewer = ChainPoint(point.weights[:-1])
    assert "do not fit" in claim.about(fewer).verify(problem, fewer).sentence
    twice = problem.data._replace(weights=np.array([2.0, *np.ones(7)]))
    assert not claim.verify(problem._replace(data=twice), point).holds


def test_other_data_may_have_pairs_without_a_weight():
    problem = JointLikelihood(drawn_data(n=8), 0.5)
    claim, point = claim_of(problem)
    other = drawn_data(n=8, seed=1)
    found = claim.verify(JointLikelihood(other._replace(layout=problem.data.layout), 0.5), point)
    assert not found.holds
    assert "no weight with its label" in found.sentence


def test_it_survives_json():
    problem = JointLikelihood(drawn_data(n=8), 0.5)
    claim, point = claim_of(problem)
    again = from_sealed_json(json.loads(json.dumps(sealed_json(claim))))
    assert again == claim
    assert er.verify(again, problem, point).holds
    assert isinstance(again, er.CountedFrequencies)

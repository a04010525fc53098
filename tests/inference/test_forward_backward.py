from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.inference.forward_backward import forward_backward, log_partition, log_probability
from empirisk.inference.pair_marginals import pair_marginals
from empirisk.inference.scaled_products import scaled_forward
from empirisk.inference.transition_factors import transition_factors
from tests.inference.brute_force import best, chains, marginals, probabilities

FORMS = {"products": lambda steps: steps, "log space": lambda steps: steps._replace(room=-1.0)}


def sums(scores, steps, weight=1.0):
    """log Z, the marginals, the expected transitions and log Z again."""
    found, forward, ratios = (np.empty_like(scores) for _ in range(3))
    expected = np.zeros_like(steps.logs)
    log_z = forward_backward(scores, steps, weight, found, expected, forward, ratios)
    return log_z, found, expected, log_partition(scores, steps, forward, ratios)


def pairs_of(scores, steps):
    found, forward, ratios = (np.empty_like(scores) for _ in range(3))
    pairs = np.empty((len(scores) - 1, *steps.logs.shape))
    pair_marginals(scores, steps, found, pairs, np.zeros_like(steps.logs), forward, ratios)
    return pairs


@pytest.mark.parametrize("form", FORMS)
@given(chain=st.one_of(chains(), chains(st.floats(-500.0, 500.0))))
def test_sums_are_those_over_all_labelings(form, chain):
    scores, transitions = chain
    steps = FORMS[form](transition_factors(transitions))
    log_z, labels, pairs = marginals(*chain)
    found_log_z, found, expected, again = sums(scores, steps, 0.5)
    assert found_log_z == again == pytest.approx(log_z, rel=1e-12, abs=1e-12)
    if log_z == -math.inf:
        assert np.all(expected == 0.0)
        return
    np.testing.assert_allclose(found, labels, atol=1e-11)
    np.testing.assert_allclose(expected, 0.5 * pairs.sum(axis=0), atol=1e-11)
    np.testing.assert_allclose(pairs_of(scores, steps), pairs, atol=1e-11)


@given(chain=chains(st.sampled_from([-1e150, -1.0, 0.0, 2.0, 1e150])))
def test_scores_of_any_size_leave_probabilities(chain):
    scores, transitions = chain
    steps = transition_factors(transitions)
    log_z, found, expected, again = sums(scores, steps)
    value, path = best(*chain)
    assert log_z == again
    if path is None:
        assert log_z == -math.inf
        return
    n_tokens, n_labels = scores.shape
    size = max(np.abs(part[part > -math.inf]).max(initial=1.0) for part in chain)
    assert log_z == pytest.approx(value, abs=n_tokens * math.log(n_labels) + 1e-12 * size)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(expected.sum(), n_tokens - 1.0, atol=1e-12)
    second, _ = best(*chain, among=lambda other: other != path)
    if second < value - 1e140:
        assert np.array_equal(np.argmax(found, axis=1), path)
        np.testing.assert_allclose(found.max(axis=1), 1.0, atol=1e-12)


@given(chain=chains(), data=st.data())
def test_the_probability_of_a_labelling(chain, data):
    _, shares = probabilities(*chain)
    path, share = data.draw(st.sampled_from(shares)) if shares else ((0,) * len(chain[0]), 0.0)
    steps = transition_factors(chain[1])
    forward, ratios = np.empty_like(chain[0]), np.empty_like(chain[0])
    found = log_probability(chain[0], steps, np.array(path, dtype=np.int32), forward, ratios)
    assert found == pytest.approx(math.log(share) if share > 0.0 else -math.inf, abs=1e-12)


def test_products_give_way_where_a_label_falls_too_far_behind():
    """Two labels that never change into one another: what is negligible for 50 tokens decides in the end."""
    transitions = np.array([[0.0, -math.inf], [-math.inf, 0.0]])
    scores = np.zeros((100, 2))
    scores[:50, 1], scores[50:, 1] = -40.0, 41.0
    log_z, found, expected, _ = sums(scores, transition_factors(transitions))
    assert log_z == pytest.approx(50.0, rel=1e-12)
    assert np.all(found[:, 1] == 1.0)
    assert expected[1, 1] == pytest.approx(99.0)


@pytest.mark.parametrize("span", [290.0, 310.0, 590.0, 610.0, 800.0])
def test_both_forms_agree_on_either_side_of_the_widest_span(span):
    rng = np.random.default_rng(int(span))
    scores, transitions = rng.uniform(0.0, span - 3.0, (12, 3)), rng.uniform(0.0, 3.0, (3, 3))
    transitions[0, 0], transitions[1, 2] = 0.0, 3.0
    scores[::3, 0], scores[::3, 1] = 0.0, span - 3.0
    steps = transition_factors(transitions)
    for one, other in zip(sums(scores, steps), sums(scores, FORMS["log space"](steps)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def test_the_form_is_the_one_that_the_spans_allow():
    room = np.empty((1, 2)), np.empty((1, 2))
    for forbidden, widest in ((False, 600.0), (True, 300.0)):
        transitions = np.array([[0.0, -100.0], [-math.inf if forbidden else -3.0, -7.0]])
        steps = transition_factors(transitions)
        assert math.isfinite(scaled_forward(np.array([[0.0, 100.0 - widest]]), steps, *room))
        assert math.isnan(scaled_forward(np.array([[0.0, 99.9 - widest]]), steps, *room))


@pytest.mark.compiled
def test_a_hundred_thousand_tokens_take_tables_and_no_more():
    """Compiled; the marginals of labels that do not depend on each other are known."""
    scores = np.tile([[0.0, math.log(3.0)]], (100_000, 1))
    log_z, found, expected, _ = sums(scores, transition_factors(np.zeros((2, 2))))
    assert log_z == pytest.approx(100_000 * math.log(4.0), rel=1e-12)
    np.testing.assert_allclose(found, np.tile([[0.25, 0.75]], (100_000, 1)), rtol=1e-9)
    np.testing.assert_allclose(expected, 99_999 * np.outer([0.25, 0.75], [0.25, 0.75]), rtol=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_labels", [1, 3, 4, 6])
def test_machine_code_gives_the_same_sums(form, n_labels):
    rng = np.random.default_rng(n_labels)
    scores, transitions = rng.normal(size=(4, n_labels)), rng.normal(size=(n_labels, n_labels))
    if n_labels > 1:
        scores[1, 0] = transitions[1, 0] = -math.inf
    steps = FORMS[form](transition_factors(transitions))
    expected_log_z, labels, pairs = marginals(scores, transitions)
    log_z, found, expected, again = sums(scores, steps)
    assert log_z == pytest.approx(expected_log_z, rel=1e-13)
    assert log_z == pytest.approx(again, rel=1e-13)
    np.testing.assert_allclose(found, labels, atol=1e-13)
    np.testing.assert_allclose(expected, pairs.sum(axis=0), atol=1e-13)
    np.testing.assert_allclose(pairs_of(scores, steps), pairs, atol=1e-13)

"""From scores to labels on the user's scale, and to probabilities."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.losses import Hinge, Logistic, Poisson, Squared
from empirisk.models.predictions import OwnLoss, means_of, probabilities_of
from empirisk.protocols import Unsupported

rows = st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=5)


class Never(NamedTuple):
    """A likelihood that gives every class no chance."""

    scale: float = 1.0

    def probability(self, z):
        return 0.0 * z


@given(rows, st.booleans())
def test_chances_are_positive_and_add_up_to_one(listed, is_softmax):
    scores = np.array(listed)
    chances = probabilities_of(Logistic(2.0), scores, is_softmax)
    assert chances.shape == scores.shape
    assert np.all(chances >= 0.0)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-14)
    largest = np.take_along_axis(chances, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
    assert np.all(largest == chances.max(axis=1))


def test_formulas():
    scores = np.array([[0.3, -1.0, 2.0]])
    np.testing.assert_allclose(probabilities_of(Logistic(), scores, True), np.exp(scores) / np.exp(scores).sum())
    sigma = 1.0 / (1.0 + np.exp(-scores))
    np.testing.assert_allclose(probabilities_of(Logistic(), scores, False), sigma / sigma.sum())
    np.testing.assert_allclose(probabilities_of(Logistic(), scores[0], False)[:, 1], sigma[0])


def test_classes_without_a_chance_get_equal_ones():
    assert probabilities_of(Never(), np.zeros((2, 4)), False).tolist() == [[0.25] * 4] * 2
    far = np.full((1, 3), -1e4)
    np.testing.assert_allclose(probabilities_of(Logistic(), far, False), np.full((1, 3), 1.0 / 3.0))


def test_means():
    scores = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_allclose(means_of(Poisson(3.0), scores), np.exp(scores))
    assert means_of(Squared(), scores) is scores
    assert means_of(OwnLoss("mine"), scores) is scores
    with pytest.raises(Unsupported, match="the mean of its user's own loss 'mine'"):
        means_of(OwnLoss("mine", has_mean=True), scores)


@pytest.mark.parametrize(
    ("loss", "words"),
    [(Hinge(), "'hinge' is not a likelihood"), (OwnLoss("mine"), "own loss 'mine', which gives no probabilities")],
)
def test_no_probabilities(loss, words):
    for scores in (np.zeros(2), np.zeros((2, 3))):
        with pytest.raises(Unsupported, match=words):
            probabilities_of(loss, scores, False)


@pytest.mark.compiled  # the interpreter raises where machine code gives infinity
def test_counts_that_a_constant_fits_best():
    """w = 0 is the answer: the run must not ask the loss about labels that it does not take."""
    from empirisk.models import FitOptions, fit_linear

    X = np.random.default_rng(0).normal(size=(30, 2))
    model, solution, _ = fit_linear(X, np.ones(30), FitOptions(task="regression", loss="poisson"))
    assert model.certified
    assert solution.status.startswith("certified")

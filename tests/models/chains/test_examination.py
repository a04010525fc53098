"""The losses of the sequences of a fit are those of the objective, and the worst come first."""

from __future__ import annotations

import math

import numpy as np
import pytest

from empirisk.models.chains.examination import Examined, examined
from empirisk.models.chains.fitting import fit_chain
from empirisk.models.chains.options import ChainOptions
from empirisk.models.chains.training import risk_of

X = [[["a"], ["b"]], [["b"], ["a"], ["b"]], [["c"]], [["a"], ["c"], ["c"]]]
y = [["N", "V"], ["V", "N", "V"], ["V"], ["N", "V", "N"]]


@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_losses_are_those_of_the_objective(loss):
    fit = fit_chain(X, y, ChainOptions(loss=loss, l2=0.05, tol=1e-2, n_threads=1))
    found = examined(fit.model, fit.data)
    penalty = risk_of(fit.data, fit.model.options).penalty(fit.model.weights)
    assert math.isclose(float(np.mean(found.losses)) + penalty, fit.model.certificate.objective, rel_tol=1e-9)
    assert int(found.wrong.sum()) == fit.model.errors.wrong_tokens == int(found.is_wrong.sum())
    assert int(np.count_nonzero(found.wrong)) == fit.model.errors.wrong_sequences


@pytest.mark.parametrize("loss", ["perceptron", "generative"])
def test_where_nothing_is_minimised_wrong_labels_count(loss):
    fit = fit_chain(X, y, ChainOptions(loss=loss, max_passes=1, time_limit=5.0, n_threads=1))
    found = examined(fit.model, fit.data)
    assert found.losses.tolist() == found.wrong.tolist()


def test_the_worst_come_first_and_what_is_right_without_a_loss_does_not():
    losses, wrong = np.array([1.0, 0.0, math.nan, 1.0, 0.0]), np.array([0, 0, 1, 2, 3])
    found = Examined(losses, "", np.empty(0, np.int32), np.empty(0, np.bool_), wrong)
    assert found.worst(9) == [2, 3, 0, 4]
    assert found.worst(1) == [2]

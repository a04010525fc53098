"""How a model does on the sequences of its fit, one by one: their losses, and the labels that it gives them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.chains.losses import Margin
from empirisk.chains.margin import mean_margin
from empirisk.models.chains.model import ChainModel
from empirisk.models.chains.training import risk_of
from empirisk.protocols import Vector
from empirisk.rows.threads import available_threads


class Examined(NamedTuple):
    """What was found of each sequence and token."""

    losses: Vector  # of each sequence, the larger the worse
    measure: str  # what they are, in a few words
    answers: NDArray[np.int32]  # the best label of each token
    is_wrong: NDArray[np.bool_]  # which of them are not the true ones
    wrong: NDArray[np.int64]  # how many, of each sequence

    def worst(self, most: int) -> list[int]:
        """The sequences with the largest losses, the largest first; none without a loss and without a wrong label."""
        order = np.lexsort((-self.wrong, -np.nan_to_num(self.losses, nan=np.inf)))[:most]
        return [int(j) for j in order if self.losses[j] != 0.0 or self.wrong[j]]


def examined(model: ChainModel, data: ChainData) -> Examined:
    """The loss that was minimised, of each sequence; where none was, the number of labels that are wrong."""
    n_threads = model.options.n_threads or available_threads()
    answers = model.tagger.predict(data.sequences, None, n_threads)
    is_wrong = answers != data.gold
    wrong = np.add.reduceat(is_wrong.astype(np.int64), data.sequences.starts[:-1])
    if model.options.loss == "likelihood":
        losses = -model.tagger.log_probabilities(data.sequences, data.gold, n_threads)
        return Examined(losses, "minus the log-probability of the true labels", answers, is_wrong, wrong)
    if model.options.loss == "margin":
        risk = risk_of(data, model.options)
        assert isinstance(risk.loss, Margin)
        losses = mean_margin(risk.passes, risk.loss, model.weights).losses
        said = "by how much the worst labelling, with its cost, is above the true one"
        return Examined(losses, said, answers, is_wrong, wrong)
    return Examined(wrong.astype(np.float64), "the number of labels that are wrong", answers, is_wrong, wrong)

"""From scores to what a user asked for: labels on their own scale, and probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of, offers
from empirisk.compiled import adopt, kernel
from empirisk.protocols import Unsupported


class OwnLoss(NamedTuple):
    """Stands for a user's own loss in a model that was read from a file: its name, no code."""

    name: str
    has_mean: bool = False  # whether predictions are its mean(z), and not the scores


def means_of(loss: Any, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a regression predicts: loss.mean(z) for losses that offer it (Poisson: exp(z)), else the score z."""
    if isinstance(loss, OwnLoss) and loss.has_mean:
        said = f"predictions are the mean of its user's own loss {loss.name!r}, which is not in the model file"
        raise Unsupported(f"{said}: take the scores, and apply the loss's method mean to them")
    if not offers(loss, "mean"):
        return scores
    adopt(loss)
    means = np.empty(scores.size)
    _means(loss, scores.ravel(), means)
    return means.reshape(scores.shape)


def check_is_likelihood(loss: Any) -> None:
    """Raise Unsupported where the loss gives no probabilities."""
    if isinstance(loss, OwnLoss):
        raise Unsupported(f"the model file names its user's own loss {loss.name!r}, which gives no probabilities")
    if not offers(loss, "probability"):
        raise Unsupported(f"the loss {name_of(loss)!r} is not a likelihood: use 'logistic' for probabilities")


def probabilities_of(loss: Any, scores: NDArray[np.float64], is_softmax: bool) -> NDArray[np.float64]:
    """The chances of the classes, a row for each row of scores.

    Two classes (one score): 1 - p and p with p = loss.probability(z). Softmax: exp(z_k) / sum_j exp(z_j).
    One against the rest: loss.probability(z_k), divided by their sum; equal ones where all of these vanish.
    """
    check_is_likelihood(loss)
    if scores.ndim == 2 and is_softmax:
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances
    adopt(loss)
    each = np.empty(scores.size)
    _probabilities(loss, scores.ravel(), each)
    if scores.ndim == 1:
        return np.column_stack([1.0 - each, each])
    chances = each.reshape(scores.shape)
    chances[~chances.any(axis=1)] = 1.0
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


@kernel
def _probabilities(loss, scores, out):
    for i in range(scores.size):
        out[i] = loss.probability(scores[i])


@kernel
def _means(loss, scores, out):
    for i in range(scores.size):
        out[i] = loss.mean(scores[i])

"""A model, judged: its score, and the rows that it was judged on, for whoever draws them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.answers import Answers
from empirisk.evaluation.classification import ClassificationScore, classification_score
from empirisk.evaluation.measures import LEVEL
from empirisk.evaluation.regression import RegressionScore, regression_score
from empirisk.evaluation.targets import TargetsScore, as_targets, targets_score
from empirisk.models.labels import class_numbers, listed
from empirisk.problems.construction import check_weights, finite_vector
from empirisk.protocols import Vector

Score = ClassificationScore | RegressionScore | TargetsScore


class Judged(NamedTuple):
    """The score and what it was computed from: rows of positive weight only."""

    score: Score
    answers: Answers
    labels: NDArray[Any]  # the places of the labels among the classes; numbers for a regression, n x T of T targets
    weights: Vector | None  # None where all are equal


def judge(answers: Answers, y: Any, sample_weight: Any = None, level: float = LEVEL) -> Judged:
    """The score of what a model said about rows with the labels y."""
    answers, labels, weights = _judged_rows(answers, y, sample_weight)
    if answers.predicted.ndim == 2:
        return Judged(targets_score(answers, labels, weights, level), answers, labels, weights)
    if answers.classes is None:
        return Judged(regression_score(answers, labels, weights, level), answers, labels, weights)
    numbers = class_numbers(labels, answers.classes)
    return Judged(classification_score(answers, numbers, weights, level), answers, numbers, weights)


def _judged_rows(answers: Answers, y: Any, sample_weight: Any) -> tuple[Answers, NDArray[Any], Vector | None]:
    """Answers, labels and weights of the rows with a positive weight, checked; no weights where all are equal."""
    labels, n = np.asarray(y), len(answers.scores)
    if answers.classes is None and labels.shape == (n, 1):
        labels = labels[:, 0]
    if answers.predicted.ndim == 2:
        labels = as_targets(labels, answers.predicted.shape)
    elif labels.shape != (n,):
        raise ValueError(f"y must have one label for each of the {n} rows of X, got shape {labels.shape}")
    if n == 0:
        raise ValueError("X is empty: there is no row to judge the model on")
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    if weights is not None and not np.all(weights > 0.0):
        present = np.flatnonzero(weights > 0.0)
        answers, labels, weights = answers.taken(present), labels[present], weights[present]
    if weights is not None and np.all(weights == weights[0]):
        weights = None
    if labels.ndim == 2:
        return answers, labels, weights
    if answers.classes is None:
        return answers, finite_vector("y", labels, labels.size), weights
    strangers = unknown_labels(labels, answers.classes)
    if strangers.size:
        row = int(strangers[0])
        said = f"y holds the label {labels.tolist()[row]!r} in row {row} (counted from 0)"
        raise ValueError(f"{said}, and the model knows the classes {listed(answers.classes)}")
    return answers, labels, weights


def unknown_labels(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The rows whose label is not a class of the model."""
    known = set(classes.tolist())
    return np.flatnonzero(np.fromiter((label not in known for label in labels.tolist()), bool, labels.size))

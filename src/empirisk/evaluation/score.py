"""score: a model on rows with labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.answers import Answers, answers_of
from empirisk.evaluation.classification import ClassificationScore, classification_score
from empirisk.evaluation.measures import LEVEL
from empirisk.evaluation.regression import RegressionScore, regression_score
from empirisk.models.labels import class_numbers, listed
from empirisk.parameters import check_share
from empirisk.problems.construction import check_weights, finite_vector
from empirisk.protocols import Vector

Score = ClassificationScore | RegressionScore


def score(model: Any, X: Any, y: Any, sample_weight: Any = None, *, level: float = LEVEL) -> Score:
    """How good a model is on the rows of X with the labels y: each number with an interval of this level.

    `model` is one that was read from a file or fitted here, or a fitted estimator; also a pipeline or a search of
    scikit-learn's. A row of weight zero is as if absent. Of rows of unequal weights the numbers are weighted means, and
    there are no intervals. docs/scoring.md has the formulas.
    """
    level = check_share("level", level)
    answers = answers_of(model, X)
    return score_of_answers(answers, y, sample_weight, level=level)


def score_of_answers(answers: Answers, y: Any, sample_weight: Any = None, *, level: float = LEVEL) -> Score:
    """The same of what a model said about the rows."""
    answers, labels, weights = judged_rows(answers, y, sample_weight)
    if answers.classes is None:
        return regression_score(answers, labels, weights, level)
    return classification_score(answers, class_numbers(labels, answers.classes), weights, level)


def judged_rows(answers: Answers, y: Any, sample_weight: Any) -> tuple[Answers, NDArray[Any], Vector | None]:
    """Answers, labels and weights of the rows with a positive weight, checked; no weights where all are equal."""
    labels, n = np.asarray(y), len(answers.scores)
    if labels.shape != (n,):
        raise ValueError(f"y must have one label for each of the {n} rows of X, got shape {labels.shape}")
    if n == 0:
        raise ValueError("X is empty: there is no row to judge the model on")
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    if weights is not None and not np.all(weights > 0.0):
        present = np.flatnonzero(weights > 0.0)
        answers, labels, weights = answers.taken(present), labels[present], weights[present]
    if weights is not None and np.all(weights == weights[0]):
        weights = None
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

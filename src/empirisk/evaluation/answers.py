"""What a model says about rows: scores, predictions and, where its loss gives them, the chances of the classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import offers
from empirisk.losses import Logistic
from empirisk.models.many_classes import uses_softmax
from empirisk.protocols import Unsupported, Vector

MEDIAN = 0.5


class Answers(NamedTuple):
    """Of each row; `loss` and `is_softmax` say what the chances come from."""

    classes: NDArray[Any] | None  # sorted; None for a regression
    scores: NDArray[np.float64]  # n; n x K for three classes or more; the predictions of a regression
    predicted: NDArray[Any]  # n; n x T for several targets
    chances: NDArray[np.float64] | None = None  # n x K
    no_chances: str = ""  # why there are none
    quantile: float = MEDIAN  # that a regression is for
    loss: Any = None
    is_softmax: bool = False

    def rank_for(self, k: int) -> Vector:
        """What ranks the rows for class k: its score; of two classes, minus the score for the first.

        Scores of softmax are compared within a row only: there it is the log-odds of the class. An estimator of another
        package is taken at its chances, for the same reason.
        """
        if self.scores.ndim == 1:
            return self.scores if k == 1 else -self.scores
        if self.is_softmax:
            others = np.delete(self.scores, k, axis=1)
            top = others.max(axis=1)
            return np.asarray(self.scores[:, k] - top - np.log(np.exp(others - top[:, None]).sum(axis=1)))
        is_foreign = self.loss is None and self.chances is not None
        return self.chances[:, k] if is_foreign and self.chances is not None else self.scores[:, k]

    def taken(self, rows: NDArray[Any]) -> Answers:
        """Those of some of the rows."""
        chances = None if self.chances is None else self.chances[rows]
        return self._replace(scores=self.scores[rows], predicted=self.predicted[rows], chances=chances)

    def surprises(self, numbers: NDArray[np.int64]) -> Vector:
        """-log of the chance that was given to the label of each row, `numbers` being its place among the classes.

        From the scores where their logarithm is known: chances close to zero or one have lost their digits.
        """
        assert self.chances is not None
        rows = np.arange(numbers.size)
        if isinstance(self.loss, Logistic) and self.scores.ndim == 1:
            return np.logaddexp(0.0, np.where(numbers == 1, -self.scores, self.scores))
        if self.is_softmax and self.scores.ndim == 2:
            shifted = self.scores - self.scores.max(axis=1, keepdims=True)
            return np.asarray(np.log(np.exp(shifted).sum(axis=1)) - shifted[rows, numbers])
        with np.errstate(divide="ignore"):
            return -np.log(self.chances[rows, numbers])


def answers_of(found: Any, X: Any) -> Answers:
    """What a model or an estimator says about the rows of X.

    A model of this package is asked for its scores. An estimator, also a pipeline or a search whose last step is one,
    is asked in scikit-learn's way; the chances come from the model inside, or else from `predict_proba`.
    """
    if offers(found, "scores") and offers(found, "answers"):
        return answers_from_scores(found, found.scores(X))
    inner = _last_step(found)
    model = getattr(inner, "model_", None)
    if hasattr(inner, "fit") and model is None and not hasattr(inner, "n_features_in_"):
        raise Unsupported(f"this {type(inner).__name__} is not fitted yet: call fit first")
    if not hasattr(found, "predict"):
        raise Unsupported(f"score takes a model or a fitted estimator, got {type(found).__name__}")
    if getattr(found, "classes_", None) is None:
        return _regression(found.predict(X), getattr(getattr(model, "options", None), "loss", None))
    if offers(model, "scores") and hasattr(found, "decision_function"):
        return answers_from_scores(model, found.decision_function(X))
    return _foreign_answers(found, X)


def answers_from_scores(model: Any, scores: NDArray[np.float64]) -> Answers:
    """What a model says about rows that have these scores."""
    if model.classes is None:
        return _regression(model.answers(scores), model.options.loss)
    options = getattr(model, "options", None)
    said = Answers(
        model.classes,
        scores,
        model.answers(scores),
        loss=getattr(options, "loss", None),
        is_softmax=options is not None and uses_softmax(options),
    )
    try:
        return said._replace(chances=model.chances(scores))
    except Unsupported as reason:
        return said._replace(no_chances=str(reason))


def _regression(predicted: Any, loss: Any) -> Answers:
    predicted = np.asarray(predicted, dtype=np.float64)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    return Answers(None, predicted, predicted, quantile=float(getattr(loss, "level", MEDIAN)), loss=loss)


def _foreign_answers(found: Any, X: Any) -> Answers:
    """Of an estimator that holds no model of this package."""
    classes = np.asarray(found.classes_)
    chances = np.asarray(found.predict_proba(X)) if hasattr(found, "predict_proba") else None
    if hasattr(found, "decision_function"):
        scores = np.asarray(found.decision_function(X), dtype=np.float64)
    elif chances is not None:
        scores = chances[:, 1] if classes.size == 2 else chances
    else:
        raise Unsupported(f"{type(found).__name__} gives neither decision_function nor predict_proba")
    said = f"{type(found).__name__} gives no probabilities" if chances is None else ""
    return Answers(classes, scores, np.asarray(found.predict(X)), chances, said)


def _last_step(found: Any) -> Any:
    """The estimator at the end of a pipeline, or the best one of a search."""
    while True:
        if getattr(found, "best_estimator_", None) is not None:
            found = found.best_estimator_
        elif isinstance(getattr(found, "steps", None), list) and found.steps:
            found = found.steps[-1][1]
        else:
            return found

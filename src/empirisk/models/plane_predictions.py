"""What models of planes, one or one a class, predict from their scores: in the same words for both."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from numpy.typing import NDArray

from empirisk.models.labels import from_scores
from empirisk.models.scores import Scores, checked_scores
from empirisk.protocols import Unsupported

Model = TypeVar("Model", bound=type)


def _scores(model: Any, X: Any) -> Scores:
    """<w, x> + b for each row of X, of each class where there are more than two; of planes that vote, the vote."""
    return checked_scores(model, X, model.scores_of)


def _predict(model: Any, X: Any) -> NDArray[Any]:
    """The class of each row of X: of two the last one where the score is >= 0, of more the first of largest score."""
    return _answers(model, _scores(model, X))


def _answers(model: Any, scores: Scores) -> NDArray[Any]:
    """What these scores predict."""
    return from_scores(scores, model.classes)


def _refuse_chances(model: Any, scores: Scores | None = None) -> NoReturn:
    """A plane gives none."""
    raise Unsupported("this model is a plane, which gives no probabilities: fit the loss 'logistic' for these")


WORDS = {
    "scores": _scores,
    "predict": _predict,
    "answers": _answers,
    "check_probabilities": _refuse_chances,
    "chances": _refuse_chances,
}


def predicts_by_planes(model: Model) -> Model:
    """Add these words to a class of models, a named tuple with `classes` and `scores_of` the rows of a design.

    Named tuples do not inherit, and mypy takes no function for a method of theirs that it does not see defined.
    """
    for word, meaning in WORDS.items():
        setattr(model, word, meaning)
    return model

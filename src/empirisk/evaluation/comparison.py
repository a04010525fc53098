"""Several fits on the same rows, judged on the same other rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import work_clock
from empirisk.evaluation.answers import answers_from_scores
from empirisk.evaluation.files import judge_examples
from empirisk.evaluation.judged import Score, judge
from empirisk.evaluation.measures import LEVEL, Measure
from empirisk.losses import loss_text
from empirisk.models.cross_validation import deal
from empirisk.models.examples import Examples, fit_examples
from empirisk.models.linear import LinearModel
from empirisk.models.options import FitOptions
from empirisk.progress import Event

LARGER_IS_BETTER = ("accuracy", "balanced_accuracy", "auc_roc", "auc_pr", "r_squared")
# What is compared unless another measure is asked for.
FIRST = {"classification": "error", "regression": "root_mean_squared_error"}


class Compared(NamedTuple):
    """One candidate: what was asked, and what came of it; where `failure` says why there is no model, nothing did."""

    loss: str
    l1: Any  # a number, or "cv"
    l2: Any
    failure: str = ""
    certified: bool = False
    status: str = ""
    nonzero: int = 0
    n_weights: int = 0
    seconds: float = 0.0  # of the fit whose weights these are, compiling left out
    train: Score | None = None
    held_out: Score | None = None

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.loss}, l1 {self.strength('l1')}, l2 {self.strength('l2')}"

    def strength(self, name: str) -> str:
        """The strength of this name as a text."""
        value = getattr(self, name)
        return value if isinstance(value, str) else f"{value:g}"

    def measure(self, name: str) -> Measure | None:
        """This measure on the held-out rows."""
        return None if self.held_out is None else self.held_out.measures()[name]

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        scores = {name: None if score is None else score.to_json() for name, score in self._scores().items()}
        return self._asdict() | {"failure": self.failure or None} | scores

    def _scores(self) -> dict[str, Score | None]:
        return {"train": self.train, "held_out": self.held_out}


def compare(
    train: Examples,
    held_out: Examples | None,
    candidates: Sequence[FitOptions | Compared],
    *,
    folds: int = 0,
    seed: int = 0,
    level: float = LEVEL,
    on_event: Callable[[Event], Any] | None = None,
) -> list[Compared]:
    """Fit every candidate on `train` and judge it on `held_out`, or with `folds` on each fold by a fit on the others.

    A candidate that is a `Compared` already could not be asked for, and stays. One whose fit fails tells why.
    """
    found, began = [], time.perf_counter()
    for k, candidate in enumerate(candidates):
        if isinstance(candidate, Compared):
            found.append(candidate)
        else:
            found.append(_one(train, held_out, candidate, folds, seed, level))
        if on_event is not None:
            seconds, done = time.perf_counter() - began, (k + 1) / len(candidates)
            numbers = {"candidate": float(k + 1), "of": float(len(candidates))}
            on_event(Event("compare", done, numbers, seconds, seconds / done - seconds))
    return found


def ranked(found: Sequence[Compared], by: str) -> list[Compared]:
    """The best first, by this measure on the held-out rows; those that have none of it last, in their order."""

    def key(one: Compared) -> tuple[bool, float]:
        measure = one.measure(by)
        if measure is None or np.isnan(measure.value):
            return True, 0.0
        return False, -measure.value if by in LARGER_IS_BETTER else measure.value

    return sorted(found, key=key)


def _one(
    train: Examples, held_out: Examples | None, options: FitOptions, folds: int, seed: int, level: float
) -> Compared:
    blank = Compared(loss_text(options.loss), options.l1, options.l2)
    try:
        began = work_clock()
        model = fit_examples(train, options).model
        seconds = work_clock() - began
        return blank._replace(
            certified=model.certified,
            status=model.status,
            nonzero=int(np.count_nonzero(model.weights)),
            n_weights=int(model.weights.size),
            seconds=seconds,
            train=judge_examples(model, train, level).score,
            held_out=_held_out_score(train, held_out, model, options, folds, seed, level),
        )
    except (ArithmeticError, TypeError, ValueError) as error:
        return blank._replace(failure=str(error))


def _held_out_score(
    train: Examples,
    held_out: Examples | None,
    model: LinearModel,
    options: FitOptions,
    folds: int,
    seed: int,
    level: float,
) -> Score | None:
    if folds:
        scores = _scores_out_of_fold(train, model, options, folds, seed)
        return judge(answers_from_scores(model, scores), train.labels, train.weights, level).score
    return None if held_out is None else judge_examples(model, held_out, level).score


def _scores_out_of_fold(
    train: Examples, model: LinearModel, options: FitOptions, folds: int, seed: int
) -> NDArray[np.float64]:
    """The scores of each row by a fit without its fold; rows of weight zero have that of the fit on all."""
    labels = train.labels
    assert labels is not None
    weights = np.ones(labels.size) if train.weights is None else train.weights
    numbers = labels if model.classes is None else np.searchsorted(model.classes, labels)
    dealt = deal(numbers, weights, folds, seed, model.classes)
    scores = model.scores(train.matrix)
    for fold in range(folds):
        rows = np.flatnonzero(dealt == fold)
        part = fit_examples(train.taken(np.flatnonzero(dealt != fold)), options).model
        scores[rows] = part.scores(train.matrix[rows])
    return scores

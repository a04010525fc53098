"""Several fits on the same rows, judged on the same other rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.answers import answers_from_scores
from empirisk.evaluation.files import judge_examples
from empirisk.evaluation.judged import Score, judge
from empirisk.evaluation.measures import LEVEL, Measure
from empirisk.losses import loss_text
from empirisk.models.examples import Examples, fit_examples
from empirisk.models.linear import LinearModel
from empirisk.models.options import FitOptions
from empirisk.models.validation.cross_validation import deal
from empirisk.progress import Event
from empirisk.stopwatch import Stopwatch

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
    compile_seconds: float = 0.0
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
    whole, watch, steps = train.encoded(), Stopwatch(), len(candidates) * (1 + folds)

    def tell(step: int) -> None:
        if on_event is not None:
            seconds, done = watch.seconds(), (step + 1) / steps
            numbers = {"candidate": float(step % len(candidates) + 1), "of": float(len(candidates))}
            on_event(Event("compare", done, numbers, seconds, seconds / done - seconds))

    found: list[_Candidate] = []
    for k, candidate in enumerate(candidates):
        found.append(_fitted(whole, held_out, candidate, level))
        tell(k)
    if folds:
        _judge_out_of_fold(train, whole, found, folds, seed, level, tell)
    return [one.told for one in found]


def ranked(found: Sequence[Compared], by: str) -> list[Compared]:
    """The best first, by this measure on the held-out rows; those that have none of it last, in their order."""

    def key(one: Compared) -> tuple[bool, float]:
        measure = one.measure(by)
        if measure is None or np.isnan(measure.value):
            return True, 0.0
        return False, -measure.value if by in LARGER_IS_BETTER else measure.value

    return sorted(found, key=key)


class _Candidate:
    """One candidate while it is fitted: what is told of it, and what its folds are to have; nothing where it failed."""

    def __init__(self, told: Compared, options: FitOptions | None = None) -> None:
        self.told, self.options = told, options
        self.model: LinearModel | None = None
        self.scores: Any = None  # of every row, by a fit without it

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """What goes wrong becomes the reason why there is no model."""
        try:
            yield
        except (ArithmeticError, TypeError, ValueError) as error:
            blank = Compared(self.told.loss, self.told.l1, self.told.l2, failure=str(error))
            self.told, self.model = blank, None


def _fitted(train: Examples, held_out: Examples | None, candidate: FitOptions | Compared, level: float) -> _Candidate:
    """The fit on all rows of `train`, judged on those and on the held-out ones."""
    if isinstance(candidate, Compared):
        return _Candidate(candidate)
    one = _Candidate(Compared(loss_text(candidate.loss), candidate.l1, candidate.l2), candidate)
    with one.failing():
        watch = Stopwatch()
        model = fit_examples(train, candidate).model
        seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
        one.told = one.told._replace(
            certified=model.certified,
            status=model.status,
            nonzero=int(np.count_nonzero(model.weights)),
            n_weights=int(model.weights.size),
            seconds=seconds,
            compile_seconds=compile_seconds,
            train=judge_examples(model, train, level).score,
            held_out=None if held_out is None else judge_examples(model, held_out, level).score,
        )
        one.model = model
    return one


def _judge_out_of_fold(
    train: Examples,
    whole: Examples,
    found: Sequence[_Candidate],
    folds: int,
    seed: int,
    level: float,
    tell: Callable[[int], None],
) -> None:
    """Judge each row by a fit without its fold, which learns nothing from it; rows of weight zero by the fit on all.

    The folds are the outer loop: what columns become is learned once a fold, and not once a candidate.
    """
    assert whole.labels is not None
    weights = np.ones(whole.labels.size) if whole.weights is None else whole.weights
    dealt: NDArray[np.int64] | None = None
    for one in found:
        with one.failing():
            if one.model is not None:
                classes = one.model.classes
                numbers = whole.labels if classes is None else np.searchsorted(classes, whole.labels)
                dealt = deal(numbers, weights, folds, seed, classes)
                one.scores = one.model.scores(whole.matrix)
    if dealt is None:
        return
    for fold in range(folds):
        rows = np.flatnonzero(dealt == fold)
        others, held = train.parted(np.flatnonzero(dealt != fold), rows)
        for k, one in enumerate(found):
            with one.failing():
                if one.model is not None and one.options is not None:
                    one.scores[rows] = fit_examples(others, one.options).model.scores(held.matrix)
            tell((fold + 1) * len(found) + k)
    for one in found:
        with one.failing():
            if one.model is not None:
                judged = judge(answers_from_scores(one.model, one.scores), whole.labels, whole.weights, level)
                one.told = one.told._replace(held_out=judged.score)

"""How good a classifier is on rows with labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.answers import Answers
from empirisk.evaluation.measures import (
    Measure,
    as_counts,
    at_least_zero,
    complement,
    f_measure,
    mean_of,
    mean_of_dependent,
    mean_of_independent,
    proportion,
    unknown,
)
from empirisk.evaluation.ranking import area_below_roc, average_precision, mean_area
from empirisk.protocols import Vector


class ClassScore(NamedTuple):
    """Of one class against the rest."""

    label: Any
    rows: int
    precision: Measure  # of the rows that are called so, those that are
    recall: Measure  # of the rows that are, those that are called so
    f1: Measure  # 2 TP / (2 TP + FP + FN)
    auc_roc: Measure
    auc_pr: Measure

    def measures(self) -> dict[str, Measure]:
        """What was measured, by name."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, Measure)}

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {name: measure.to_json() for name, measure in self.measures().items()}
        return {"label": self.label, "rows": self.rows, **told}


class ClassificationScore(NamedTuple):
    """On `rows` rows of positive weight; of two classes, the areas are those of the last one."""

    rows: int
    classes: tuple[Any, ...]
    errors: int  # rows that are called something else
    error: Measure
    accuracy: Measure
    balanced_accuracy: Measure  # the mean of the recalls
    auc_roc: Measure
    auc_pr: Measure
    log_loss: Measure  # the mean of -log of the chance given to the label
    brier: Measure  # the mean of (p - 1 for the last class, p - 0 for the first)^2; of many, the sum over the classes
    confusion: NDArray[Any]  # rows of each class (downwards) that are called each class; their weights where unequal
    per_class: tuple[ClassScore, ...]

    @property
    def task(self) -> str:
        """What was judged."""
        return "classification"

    def measures(self) -> dict[str, Measure]:
        """What was measured, by name."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, Measure)}

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {name: measure.to_json() for name, measure in self.measures().items()}
        return {
            "task": self.task,
            "rows": self.rows,
            "classes": list(self.classes),
            "errors": self.errors,
            **told,
            "confusion": self.confusion.tolist(),
            "per_class": [one.to_json() for one in self.per_class],
        }


def classification_score(
    answers: Answers, numbers: NDArray[np.int64], weights: Vector | None, level: float
) -> ClassificationScore:
    """`numbers` are the places of the labels among the classes; `weights` are None where all are equal."""
    assert answers.classes is not None
    labels = answers.classes.tolist()
    places = {label: k for k, label in enumerate(labels)}
    called = np.fromiter((places[label] for label in answers.predicted.tolist()), np.int64, numbers.size)
    sizes = np.ones(numbers.size) if weights is None else weights
    n_classes, counted = len(labels), weights is None
    cells = np.bincount(numbers * n_classes + called, sizes, n_classes * n_classes)
    table = cells.astype(np.float64, copy=False).reshape(n_classes, n_classes)
    per_class = tuple(_of_class(answers, label, k, numbers, weights, table, level) for k, label in enumerate(labels))
    error = proportion(float(sizes[called != numbers].sum()), float(table.sum()), level, counted)
    return ClassificationScore(
        rows=numbers.size,
        classes=tuple(labels),
        errors=int(np.count_nonzero(called != numbers)),
        error=error,
        accuracy=complement(error),
        balanced_accuracy=_balanced(per_class, level),
        auc_roc=_area(answers, per_class, numbers, weights, level),
        auc_pr=_mean_precision(per_class, level),
        log_loss=_log_loss(answers, numbers, weights, level),
        brier=_brier(answers, numbers, weights, level),
        confusion=as_counts(table, counted),
        per_class=per_class,
    )


def _of_class(
    answers: Answers,
    label: Any,
    k: int,
    numbers: NDArray[np.int64],
    weights: Vector | None,
    table: NDArray[np.float64],
    level: float,
) -> ClassScore:
    right, are, called = float(table[k, k]), float(table[k].sum()), float(table[:, k].sum())
    is_class, ranks, counted = numbers == k, answers.rank_for(k), weights is None
    return ClassScore(
        label=label,
        rows=int(np.count_nonzero(is_class)),
        precision=proportion(right, called, level, counted) if called else unknown("no row is called so"),
        recall=proportion(right, are, level, counted) if are else unknown("no row of the class"),
        f1=f_measure(right, are + called - right, level, counted) if are + called else unknown("no row to count"),
        auc_roc=area_below_roc(ranks, is_class, weights, level),
        auc_pr=average_precision(ranks, is_class, weights, level),
    )


def _balanced(per_class: tuple[ClassScore, ...], level: float) -> Measure:
    present = [one.recall for one in per_class if one.rows]
    mean = mean_of_independent(present, level)
    return mean if len(present) == len(per_class) else mean._replace(note="mean over the classes that have rows")


def _area(
    answers: Answers,
    per_class: tuple[ClassScore, ...],
    numbers: NDArray[np.int64],
    weights: Vector | None,
    level: float,
) -> Measure:
    """Of two classes that of the last one; of many the mean over the classes, each against the rest."""
    areas = [one.auc_roc for one in per_class]
    if len(areas) == 2:
        return areas[1]
    ranks = np.column_stack([answers.rank_for(k) for k in range(len(areas))])
    return mean_area(ranks, numbers, areas, weights, level)


def _mean_precision(per_class: tuple[ClassScore, ...], level: float) -> Measure:
    """Of two classes that of the last one; of many the mean, whose parts share their rows."""
    if len(per_class) == 2:
        return per_class[1].auc_pr
    present = [one.auc_pr for one in per_class if one.rows]
    mean = mean_of_dependent(present, level, "the classes")
    return mean if len(present) == len(per_class) else mean._replace(note="mean over the classes that have rows")


def _log_loss(answers: Answers, numbers: NDArray[np.int64], weights: Vector | None, level: float) -> Measure:
    if answers.chances is None:
        return unknown(answers.no_chances)
    return at_least_zero(mean_of(answers.surprises(numbers), weights, level))


def _brier(answers: Answers, numbers: NDArray[np.int64], weights: Vector | None, level: float) -> Measure:
    """Brier (1950); of two classes half of his sum, as is usual."""
    if answers.chances is None:
        return unknown(answers.no_chances)
    squares = (answers.chances - (numbers[:, None] == np.arange(answers.chances.shape[1]))) ** 2
    each = squares[:, 1] if squares.shape[1] == 2 else squares.sum(axis=1)
    return at_least_zero(mean_of(each, weights, level))

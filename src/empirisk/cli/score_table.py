"""How a model does on rows with labels, as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from empirisk.cli.grid import emit_grid
from empirisk.cli.output import emit

if TYPE_CHECKING:
    from empirisk.evaluation.classification import ClassificationScore
    from empirisk.evaluation.judged import Score
    from empirisk.evaluation.targets import TargetsScore

MOST_CELLS = 12  # classes whose confusion is printed
MOST_CLASSES = 30  # that are listed
MOST_LETTERS = 24  # of a label in a table


def emit_score(score: Score) -> None:
    """The measures with their intervals; of a classification also the counts and each class."""
    from empirisk.evaluation.classification import ClassificationScore
    from empirisk.evaluation.targets import TargetsScore
    from empirisk.evaluation.words import NAMES, ends_of, percent, remark_on, told

    measures = score.measures()
    level = next((one.interval.level for one in measures.values() if one.interval is not None), None)
    head = ["measure", "value", "interval" if level is None else f"{percent(level)} interval", "method"]
    rows = [[NAMES[name], told(one.value), ends_of(one), remark_on(one)] for name, one in measures.items()]
    emit_grid([head, *rows])
    if isinstance(score, ClassificationScore):
        _emit_classes(score)
        _emit_confusion(score)
    if isinstance(score, TargetsScore):
        _emit_targets(score)


def _emit_classes(score: ClassificationScore) -> None:
    from empirisk.evaluation.words import NAMES, ends_of, told

    names = [name for name in score.per_class[0].measures() if name != "auc_pr"]
    rows = [["class", "rows", *(NAMES[name] for name in names)]]
    for one in score.per_class[:MOST_CLASSES]:
        said = [(told(value.value), ends_of(value)) for name, value in one.measures().items() if name in names]
        rows.append([_cut(one.label), str(one.rows), *(f"{x} ({ends})" if ends else x for x, ends in said)])
    emit("\n")
    emit_grid(rows, right=[1])
    if len(score.per_class) > MOST_CLASSES:
        emit(f"... and {len(score.per_class) - MOST_CLASSES} classes more: --json has them all\n")


def _emit_targets(score: TargetsScore) -> None:
    from empirisk.evaluation.words import NAMES, ends_of, told

    rows = [["target", *(NAMES[name] for name in score.measures())]]
    for t, target in enumerate(score.targets):
        said = [(told(one.value), ends_of(one)) for one in target.measures().values()]
        rows.append([str(t), *(f"{x} ({ends})" if ends else x for x, ends in said)])
    emit("\n")
    emit_grid(rows)


def _emit_confusion(score: ClassificationScore) -> None:
    if len(score.classes) > MOST_CELLS:
        emit(f"\nThe confusion matrix of {len(score.classes)} classes is in --json and in the page of --report.\n")
        return
    labels = [_cut(label) for label in score.classes]
    rows = [["label, predicted:", *labels]]
    for label, counts in zip(labels, score.confusion.tolist(), strict=True):
        rows.append([label, *(f"{value:.10g}" for value in counts)])
    emit("\n")
    emit_grid(rows, right=range(1, len(labels) + 1))


def _cut(label: object) -> str:
    said = str(label)
    return said if len(said) <= MOST_LETTERS else said[: MOST_LETTERS - 3] + "..."

"""Classification or regression: what was asked, or what the labels look like."""

from __future__ import annotations

import numpy as np

from empirisk.capabilities import name_of, tasks_of
from empirisk.data.errors import DataError
from empirisk.data.lines import line_of
from empirisk.encodings.cells import first_word
from empirisk.losses import as_loss
from empirisk.models.examples import Examples


def task_of(examples: Examples, task: str | None, loss: str | None, multiclass: str = "auto") -> tuple[str, str]:
    """The task and why it was taken; `task` and `loss` are what was asked for."""
    assert examples.labels is not None
    place = "the label" if examples.label_name is None else f"the column {examples.label_name!r}"
    if task is not None:
        return task, "it was asked for"
    if multiclass != "auto":
        return "classification", f"multiclass={multiclass!r} was asked for"
    if examples.labels.dtype == object:
        return "classification", f"{place} holds text"
    if loss is not None:
        tasks, name = tasks_of(as_loss(loss)), name_of(as_loss(loss))
        if len(tasks) == 1:
            return tasks[0], f"the loss {name} is for nothing else"
        return "regression", f"the loss {name} was asked for; task='classification' overrides"
    n_values = len(set(examples.labels.tolist()))
    if n_values <= 2:
        return "classification", f"{place} holds {n_values} different number{'s' * (n_values > 1)}"
    return "regression", f"{place} holds {n_values} different numbers; task='classification' overrides"


def check_labels(examples: Examples, task: str) -> None:
    """Refuse labels that the task has no use for."""
    labels = examples.labels
    assert labels is not None
    if task == "regression":
        if labels.dtype == object:
            row = first_word(labels)
            message, line = (
                f"expected numbers for regression, found {labels[row]!r}",
                line_of(examples.path, *examples.rows_in_file([row])),
            )
            raise DataError(message, examples.path, line, examples.label_name)
        return
    if examples.weights is not None and bool(np.any(examples.weights > 0.0)):
        labels = labels[examples.weights > 0.0]
    if labels.dtype == object and "" in labels:
        line = line_of(examples.path, *examples.rows_in_file([int(np.argmax(examples.labels == ""))]))
        raise DataError("expected a label, found an empty cell", examples.path, line, examples.label_name)
    classes = set(labels.tolist())
    if len(classes) < 2:
        column = "label" if examples.label_name is None else examples.label_name
        found = ", ".join(map(repr, classes))
        raise DataError(f"expected two classes or more, found one ({found})", examples.path, None, column)

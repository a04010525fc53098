"""A model on the examples of a file: labels that are written otherwise there, and errors that name the line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.bounds.risk_bound import RiskBound
from empirisk.data.errors import DataError, shortened
from empirisk.data.lines import lines_of
from empirisk.encodings.cells import first_word
from empirisk.evaluation.answers import answers_from_scores
from empirisk.evaluation.judged import Judged, judge, unknown_labels
from empirisk.evaluation.measures import LEVEL
from empirisk.models.examples import Examples
from empirisk.models.future_error.bounding import Bounded, bound_of
from empirisk.models.labels import listed
from empirisk.models.linear import LinearModel
from empirisk.models.scores import Scores


def judge_examples(model: Any, examples: Examples, level: float = LEVEL, scores: Scores | None = None) -> Judged:
    """The score of a model on a file that was read with its labels; `scores` are those of its rows, where known."""
    assert examples.labels is not None
    labels = examples.labels
    if model.classes is not None:
        labels = as_classes(labels, model.classes)
        weighing = np.arange(labels.size) if examples.weights is None else np.flatnonzero(examples.weights > 0.0)
        strangers = weighing[unknown_labels(labels[weighing], model.classes)]
        if strangers.size:
            raise _stranger(examples, model.classes, labels, strangers)
    elif labels.dtype == object:
        row = first_word(labels)
        raise _bad_label(examples, row, f"expected a number, found {_quoted(labels[row])}")
    scores = model.scores(examples.matrix) if scores is None else scores
    return judge(answers_from_scores(model, scores), labels, examples.weights, level)


def are_those_of_the_fit(model: Any, examples: Examples) -> bool:
    """Whether a linear model was fitted on these rows, or those of them that it did not hold out; False of others."""
    if not isinstance(model, LinearModel):
        return False
    return model.was_fitted_on(examples.matrix, examples.labels, examples.weights)


def future_error(model: LinearModel, train: Examples, tested: Examples | None, delta: float = 0.05) -> RiskBound | None:
    """A bound from rows that took no part in the fit, else from those of the fit; None of regressions and weights."""
    rows = train if tested is None else tested
    if model.classes is None or train.weights is not None or rows.weights is not None:
        return None
    assert rows.labels is not None
    labels = as_classes(rows.labels, model.classes)
    is_seen = tested is None or model.may_have_seen(rows.matrix, labels)
    labelled = labelled_rows(rows.matrix, labels, model.classes, is_finite=tested is None)
    if tested is None:
        labelled = labelled._replace(printed=model.fingerprint_without_weights())
    kind = "vc_tail" if is_seen else "test"  # a line beside every fit may not take as long as the fit
    on = Bounded(labelled, model.weights, model.intercept, model.is_affine, is_seen, model)
    return bound_of(on, kind, delta)


def as_classes(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Numbers as the texts that the classes are where some rows of the fit had words; else the labels as they are."""
    if labels.dtype == object or classes.dtype.kind not in "OU":
        return labels
    texts: dict[float, Any] = {}
    for label in classes.tolist():
        try:
            texts.setdefault(float(label), label)
        except ValueError:
            continue
    return np.array([texts.get(float(label), label) for label in labels.tolist()], dtype=object)


def _stranger(
    examples: Examples, classes: NDArray[Any], labels: NDArray[Any], strangers: NDArray[np.int64]
) -> DataError:
    """The error of the first label that is no class; among text, where the classes are numbers, the first word."""
    row = int(strangers[0])
    if labels.dtype == object and classes.dtype.kind in "iuf":
        row = first_word(labels)
    return _bad_label(examples, row, f"expected a class of the model ({listed(classes)}), found {_quoted(labels[row])}")


def _bad_label(examples: Examples, row: int, message: str) -> DataError:
    format = "csv" if examples.columns is not None else "svmlight"
    (row,) = examples.rows_in_file([row])
    try:
        line = lines_of(examples.path, format, [row]).get(row)
    except (OSError, ValueError):  # an array, which has no lines
        line = None
    if line is None:
        message += f" in row {row + 1} of the data"
    return DataError(message, examples.path, line, examples.label_name)


def _quoted(label: Any) -> str:
    if label == "":
        return "an empty cell"
    return repr(shortened(label)) if isinstance(label, str) else f"{label}"

"""Users' labels and the numbers inside, and the weights of classes.

Two classes are -1 and +1 inside; three or more are 0, 1, 2 and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.places import places_among
from empirisk.protocols import Vector

SHOWN = 5  # classes that a sentence lists


def classes_of(labels: NDArray[Any], weights: Vector | None) -> NDArray[Any]:
    """The classes in sorted order, of the rows with a positive weight."""
    present = labels if weights is None else labels[weights > 0.0]
    try:
        classes = np.unique(present)
    except TypeError:
        raise TypeError("y mixes labels that cannot be sorted, such as numbers and text; use one kind") from None
    if classes.size == 1:
        raise ValueError(f"y has only one class, {classes[0]}: a classifier needs two")
    return classes


def class_numbers(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each label among the classes; 0 for all else (rows of weight zero may hold other labels)."""
    return places_among(labels, classes, 0)


def to_signs(numbers: NDArray[np.int64]) -> Vector:
    """+1 for the last of two classes, -1 for the first."""
    return np.where(numbers == 1, 1.0, -1.0)


def from_scores(scores: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    """The predicted class: the last of two where the score is >= 0; of more, the first with the largest score."""
    places = (scores >= 0.0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
    return classes[places]


def margins_of(scores: NDArray[np.float64], numbers: NDArray[np.int64]) -> Vector:
    """How far each row is on the right side: y z for two classes, z_k - max of the other scores for more."""
    if scores.ndim == 1:
        return to_signs(numbers) * scores
    rows = np.arange(numbers.size)
    others = scores.copy()
    others[rows, numbers] = -np.inf
    return scores[rows, numbers] - others.max(axis=1)


def with_class_weights(
    spec: Any, classes: NDArray[Any], numbers: NDArray[np.int64], weights: Vector | None
) -> Vector | None:
    """Sample weights multiplied by those of the classes ('balanced': each class weighs the same in total)."""
    if spec is None:
        return weights
    if isinstance(spec, str):  # 'balanced', as `FitOptions` checked
        base = np.ones(numbers.size) if weights is None else weights
        totals = [float(base[numbers == k].sum()) for k in range(classes.size)]
        factors = [sum(totals) / (classes.size * total) for total in totals]
    else:
        unknown = [label for label in spec if label not in classes]
        if unknown:
            raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class; classes are {listed(classes)}")
        factors = [float(spec.get(label, 1.0)) for label in classes.tolist()]
        if 0.0 in factors:
            absent = classes[factors.index(0.0)]
            raise ValueError(f"class_weight is zero for the class {absent}: leave its rows out instead")
    each = np.array(factors)[numbers]
    return each if weights is None else each * weights


def listed(classes: NDArray[Any]) -> str:
    """The first classes in words."""
    return ", ".join(map(repr, classes[:SHOWN].tolist())) + (", ..." if classes.size > SHOWN else "")


def other_classes(labels: NDArray[Any], classes: NDArray[Any], sample_weight: Any) -> str | None:
    """What is wrong where the labels, those of weight zero left out, are not the classes of a model; None otherwise."""
    if labels.ndim != 1:
        return None
    if sample_weight is not None and np.shape(sample_weight) == labels.shape:
        labels = labels[np.asarray(sample_weight) > 0.0]
    known, found = classes.tolist(), set(labels.tolist())
    others = sorted(found.difference(known), key=str)
    if others:
        known_ones = f"{known[0]!r} and {known[1]!r}" if len(known) == 2 else listed(classes)
        return f"they hold the label {others[0]!r}, and the model knows {known_ones}"
    lacking = [label for label in known if label not in found]
    if len(found) == 1:
        return f"they hold labels of one class only, {next(iter(found))!r}"
    return f"they hold no label {lacking[0]!r}, a class of the model" if lacking else None

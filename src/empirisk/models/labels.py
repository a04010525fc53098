"""Users' labels and the -1 / +1 inside, and the weights of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector


def two_classes(labels: NDArray[Any], weights: Vector | None) -> NDArray[Any]:
    """The two classes in sorted order, of the rows with a positive weight; the last one is +1."""
    present = labels if weights is None else labels[weights > 0.0]
    try:
        classes = np.unique(present)
    except TypeError:
        raise TypeError("y mixes labels that cannot be sorted, such as numbers and text; use one kind") from None
    if classes.size == 1:
        raise ValueError(f"y has only one class, {classes[0]}: a classifier needs two")
    if classes.size > 2:
        listed = ", ".join(str(c) for c in classes[:5]) + (", ..." if classes.size > 5 else "")
        raise ValueError(
            f"Only binary classification is supported so far. The type of the target is multiclass: "
            f"y has {classes.size} classes ({listed}); recode it to two, "
            "or wrap the estimator in scikit-learn's OneVsRestClassifier"
        )
    return classes


def to_signs(labels: NDArray[Any], classes: NDArray[Any]) -> Vector:
    """+1 for the last class, -1 for all else (rows of weight zero may hold other labels)."""
    return np.where(labels == classes[1], 1.0, -1.0)


def from_scores(scores: Vector, classes: NDArray[Any]) -> NDArray[Any]:
    """The predicted class: the last one where the score is >= 0."""
    return classes[(scores >= 0.0).astype(np.intp)]


def with_class_weights(spec: Any, classes: NDArray[Any], signs: Vector, weights: Vector | None) -> Vector | None:
    """Sample weights multiplied by those of the classes ('balanced': each class weighs the same in total)."""
    if spec is None:
        return weights
    if spec == "balanced":
        base = np.ones(signs.size) if weights is None else weights
        totals = float(base[signs < 0.0].sum()), float(base[signs > 0.0].sum())
        factors = tuple(sum(totals) / (2.0 * total) for total in totals)
    else:
        unknown = [label for label in spec if label not in classes]
        if unknown:
            raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class; classes are {list(classes)}")
        factors = tuple(float(spec.get(label, 1.0)) for label in classes.tolist())
        if 0.0 in factors:
            # Rows of weight zero are as if absent.
            absent = classes[factors.index(0.0)]
            raise ValueError(f"class_weight is zero for the class {absent}: a classifier needs two classes")
    each = np.where(signs > 0.0, factors[1], factors[0])
    return each if weights is None else each * weights

"""Two classes of points, checked once: what every question about separating planes starts from.

A plane (w, b) separates where <(w, b), z_i> > 0 for all i, z_i = y_i (x_i, 1) (affine) or y_i x_i (homogeneous).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import as_exact_array
from empirisk.designs import CSR, Dense, as_design, check_finite
from empirisk.parameters import check_boolean
from empirisk.problems.construction import check_weights
from empirisk.protocols import Vector

SHOWN = 5  # classes that a sentence lists


class Points(NamedTuple):
    """Rows of X with labels -1 and +1; `fit_intercept` tells the affine from the homogeneous question."""

    design: Dense | CSR  # finite
    y: Vector  # -1.0 for classes[0], +1.0 for classes[1]
    fit_intercept: bool
    classes: NDArray[Any]  # the user's two labels in sorted order
    weights: Vector | None = None  # of the rows, where they count

    @property
    def n_rows(self) -> int:
        """The number of points."""
        return int(self.design.n_rows())

    @property
    def n_columns(self) -> int:
        """The number of coordinates, without the 1 of the affine case."""
        return int(self.design.n_columns())

    def description(self) -> str:
        """What they are, in a few words."""
        return f"{self.n_rows} points of two classes in {self.n_columns} columns"


def points_of(X: Any, y: Any, fit_intercept: bool = True, sample_weight: Any = None) -> Points:
    """Check X and y: finite numbers, one label a row, exactly two classes (the last in sorted order is +1).

    Weights are >= 0, and both classes have some.
    """
    design = as_design(X)
    n, d = design.n_rows(), design.n_columns()
    if n == 0 or d == 0:
        raise ValueError(f"X must have rows and columns, got the shape ({n}, {d})")
    labels = as_exact_array(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got {labels.ndim} dimension(s)")
    if labels.size != n:
        raise ValueError(f"X has {n} rows, y has {labels.size} labels: they must be as many")
    signs, classes = _signs(labels)
    check_finite(design)
    weights = None if sample_weight is None else _weights(sample_weight, signs)
    return Points(design, signs, check_boolean("fit_intercept", fit_intercept), classes, weights)


def _weights(sample_weight: Any, signs: Vector) -> Vector:
    check_weights(sample_weight, signs.size)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if np.unique(signs[weights > 0.0]).size < 2:
        raise ValueError("the rows of positive weight are all of one class: a plane needs two")
    return weights


def _signs(labels: NDArray[Any]) -> tuple[Vector, NDArray[Any]]:
    if labels.dtype.kind in "bif" or labels.dtype.kind == "u":
        if labels.dtype.kind == "f" and not bool(np.all(np.isfinite(labels))):
            raise ValueError(f"y contains NaN or infinity (row {int(np.argmin(np.isfinite(labels)))}, counted from 0)")
        classes = np.array([labels.min(), labels.max()])  # no sort: a million labels cost as much as the plane
        is_last = labels == classes[1]
        if classes[0] == classes[1] or not bool(np.all(is_last | (labels == classes[0]))):
            raise ValueError(_not_two(np.unique(labels)))
        return np.where(is_last, 1.0, -1.0), classes
    if labels.dtype.kind not in "OUST":
        raise TypeError(f"y must hold numbers or text, got dtype {labels.dtype}")
    try:
        classes = np.unique(labels)
    except TypeError:
        raise TypeError("y mixes labels that cannot be sorted, such as numbers and text; use one kind") from None
    if classes.size != 2:
        raise ValueError(_not_two(classes))
    return np.where(labels == classes[1], 1.0, -1.0), classes


def _not_two(classes: NDArray[Any]) -> str:
    if classes.size == 1:
        return f"y has only one class, {classes[0]}: a separating plane needs two"
    shown = ", ".join(map(repr, classes[:SHOWN].tolist())) + (", ..." if classes.size > SHOWN else "")
    return f"y has {classes.size} classes ({shown}): a plane separates two; give each row one of two labels"

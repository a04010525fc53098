"""The rows that a bound is about, with the classes of the predictor: labels that it does not know are errors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import as_exact_array
from empirisk.arithmetic.places import places_among
from empirisk.designs import CSR, Dense, as_design, check_finite
from empirisk.protocols import Vector
from empirisk.rows.fingerprint import fingerprint

UNKNOWN = -1
SIGNS = np.array([-1.0, 1.0, 0.0])  # of two classes, and at UNKNOWN, the last place


class LabelledRows(NamedTuple):
    """Rows of X, each with the place of its label among the classes, -1 for another one."""

    design: Dense | CSR  # finite
    numbers: NDArray[np.int64]
    classes: tuple[Any, ...]  # two or more, in the order of the predictor; of two, the last is +1
    printed: str = ""  # their fingerprint, where it is known already

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.design.n_rows())

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.design.n_columns())

    @property
    def labels(self) -> Vector:
        """As fits have them: -1 and +1 of two classes, 0 where unknown; else the number of the class."""
        if len(self.classes) > 2:
            return self.numbers.astype(np.float64)
        return SIGNS[self.numbers]

    @property
    def baseline(self) -> float:
        """The share of rows outside of the largest class."""
        return 1.0 - int(np.bincount(self.numbers[self.numbers >= 0], minlength=1).max()) / self.n_rows

    def fingerprint(self) -> str:
        """Of rows and labels; that of a fit on the same rows, if it had no weights."""
        return self.printed or fingerprint(self.design, self.labels, None)

    def against_the_rest(self) -> tuple[LabelledRows, ...]:
        """For each class the same rows with two: whether they are of it."""
        numbers = range(len(self.classes))
        return tuple(LabelledRows(self.design, (self.numbers == k).astype(np.int64), (False, True)) for k in numbers)

    def description(self) -> str:
        """What they are, in a few words."""
        return f"{self.n_rows} x {self.n_columns} rows of {len(self.classes)} classes"


def labelled_rows(X: Any, y: Any, classes: Any = None, is_finite: bool = False) -> LabelledRows:
    """Check X and y: finite numbers, one label a row. The classes are those of y in sorted order unless given.

    `is_finite` says that somebody, such as a fit, has looked at the numbers of X already.
    """
    design = as_design(X)
    n, d = design.n_rows(), design.n_columns()
    if n == 0 or d == 0:
        raise ValueError(f"X must have rows and columns, got the shape ({n}, {d})")
    if y is None:
        raise TypeError("a bound on the future error needs y, the labels of the rows")
    labels = as_exact_array(y)
    if labels.ndim != 1 or labels.size != n:
        raise ValueError(f"X has {n} rows, y has the shape {labels.shape}: it must hold one label a row")
    given = _classes_of(labels) if classes is None else np.asarray(classes)
    known = tuple(given.tolist())
    if len(known) < 2:
        raise ValueError(f"y has only one class, {known[0]}: a classifier needs two")
    numbers = places_among(labels, given, UNKNOWN)
    if not np.any(numbers >= 0):
        shown = ", ".join(map(repr, known[:5]))
        raise ValueError(f"no label of y is a class of the predictor ({shown}{', ...' if len(known) > 5 else ''})")
    if not is_finite:
        check_finite(design)
    return LabelledRows(design, numbers, known)


def _classes_of(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.dtype.kind == "f" and not bool(np.all(np.isfinite(labels))):
        raise ValueError(f"y contains NaN or infinity (row {int(np.argmin(np.isfinite(labels)))}, counted from 0)")
    try:
        return np.unique(labels)
    except TypeError:
        raise TypeError("y mixes labels that cannot be sorted, such as numbers and text; use one kind") from None

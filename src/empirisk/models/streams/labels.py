"""The labels of a stream, of which nobody knows the next: classes, two of them as -1 and +1, or numbers.

Rows have numbers for labels. Classes that are texts are numbered from 0 on, in their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of, offers
from empirisk.models.tables import tidy_labels
from empirisk.protocols import Vector

LAST = 1  # goes with 0 and with -1
KNOWN = ([-1, LAST], [0, LAST])


class StreamLabels:
    """Labels as they come, for this loss; `classes` is None for a regression.

    Where the classes are not settled, only the label 1 was met so far: they are -1 and 1 or, once a 0 is met, that and
    1. What is read ahead of the rows that are met settles what else may be read, and nothing more.
    """

    def __init__(self, loss: Any, classes: NDArray[Any] | None, is_settled: bool) -> None:
        self.loss, self.classes, self.is_settled = loss, classes, is_settled
        self._is_named = is_settled and classes is not None and classes.tolist() not in KNOWN
        self._expected = self._numbers() if is_settled else None  # by what was read

    @property
    def words(self) -> dict[str, float] | None:
        """The number of each class, where these are texts."""
        if self.classes is None or self.classes.dtype.kind not in "UO":
            return None
        return {word: float(place) for place, word in enumerate(self.classes.tolist())}

    def _numbers(self) -> NDArray[Any] | None:
        """What rows have for the classes."""
        return self.classes if self.classes is None or self.words is None else np.arange(self.classes.size)

    def outside(self, labels: Vector) -> NDArray[Any]:
        """What a user calls the labels that rows have."""
        if self.classes is None or self.words is None:
            return tidy_labels(labels)
        return self.classes.astype(object)[labels.astype(np.int64)]

    def refused(self, labels: Vector) -> tuple[int, str] | None:
        """The first of the labels that are read next which cannot be, and what was expected in its place."""
        if self.classes is None:
            return self._refused_number(labels)
        if self._expected is None:
            self._expected = _settled(labels)
        if self._expected is None:
            wanted, stranger = "-1, 0 or 1", labels != LAST
        else:
            *others, last = self._expected.tolist()
            wanted, stranger = f"{', '.join(map(str, others))} or {last}", ~np.isin(labels, self._expected)
        if not stranger.any():
            return None
        row = int(np.argmax(stranger))
        hint = "" if self._is_named else ": classes=... names others"
        return row, f"expected the label {wanted}, found {labels[row]:g}{hint}"

    def meet(self, labels: Vector) -> None:
        """These labels were met: the classes may be settled by them."""
        if not self.is_settled:
            found = _settled(labels)
            if found is not None:
                self.classes, self.is_settled = found, True

    def inside(self, labels: Vector) -> Vector:
        """What the loss sees: -1 and +1 for two classes, their numbers for more."""
        if self.classes is None:
            return labels.copy()
        numbers = self._numbers()
        assert numbers is not None
        if numbers.size > 2:
            return np.searchsorted(numbers, labels).astype(np.float64)
        return np.where(labels == numbers[1], 1.0, -1.0)

    def _refused_number(self, labels: Vector) -> tuple[int, str] | None:
        if not offers(self.loss, "accepts"):
            return None
        row = next((row for row, y in enumerate(labels.tolist()) if not self.loss.accepts(y)), None)
        if row is None:
            return None
        return row, f"expected {self.loss.labels()} for the loss {name_of(self.loss)!r}, found {labels[row]:g}"


def _settled(labels: Vector) -> NDArray[Any] | None:
    """The classes that the first label other than 1 says; None where there is none, or it says neither."""
    others = labels[labels != LAST]
    return np.array([int(others[0]), LAST]) if others.size and others[0] in (-1.0, 0.0) else None


def labels_for(loss: Any, classes: NDArray[Any] | None) -> StreamLabels:
    """Those of a new run: of two classes where these are named or the loss is for nothing else, else numbers."""
    if classes is not None:
        return StreamLabels(loss, classes, True)
    if offers(loss, "tasks") and "regression" not in loss.tasks():
        return StreamLabels(loss, np.array([-1, LAST]), False)
    return StreamLabels(loss, None, True)

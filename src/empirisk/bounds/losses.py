"""Losses of rows that a predictor had not seen: all that a test-set bound of any predictor is computed from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.designs import as_design
from empirisk.protocols import Vector
from empirisk.rows.fingerprint import fingerprint


class Losses(NamedTuple):
    """One finite loss >= 0 a row, in the order of the rows."""

    values: Vector

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.size)

    @property
    def n_columns(self) -> int:
        """The losses are one column."""
        return 1

    @property
    def classes(self) -> tuple[Any, ...]:
        """None."""
        return ()

    @property
    def baseline(self) -> float:
        """Losses alone do not tell what the larger class is."""
        return 1.0

    def fingerprint(self) -> str:
        """Of the losses in their order."""
        return fingerprint(as_design(self.values[:, None]), np.zeros(self.n_rows), None)

    def description(self) -> str:
        """What they are, in a few words."""
        return f"{self.n_rows} losses"


def losses_of(values: Any) -> Losses:
    """Check a vector (or one column) of losses."""
    array = np.asarray(values)
    if array.dtype.kind not in "bifu":
        raise TypeError(f"losses must be numbers, got dtype {array.dtype}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"losses must be one number a row, got the shape {array.shape}")
    if array.size == 0:
        raise ValueError("there are no losses: nothing can be said of future rows")
    array = np.ascontiguousarray(array, dtype=np.float64)
    check_range(array, np.finfo(np.float64).max)
    return Losses(array)


def check_range(values: Vector, largest: float) -> None:
    """Refuse the first loss outside [0, largest], with its row."""
    is_outside = ~((values >= 0.0) & (values <= largest))
    if np.any(is_outside):
        at = int(np.argmax(is_outside))
        most = f"{largest:g}" if largest < np.finfo(np.float64).max else "a finite number"
        raise ValueError(f"a loss must be between 0 and {most}, got {values[at]} in row {at}, counted from 0")

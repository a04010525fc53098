"""The rows at hand as the methods of a search see them, each view made when it is first asked for."""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Matrix
from empirisk.separation.fine_plane import augmented_rows
from empirisk.separation.points import Points
from empirisk.separation.search.frame import fits_frame, frame_of, is_near_singular
from empirisk.separation.search.working_set import WorkingSet, framed_set, working_set


class View(enum.Enum):
    """How to look at some rows."""

    SCALED = "centred and scaled"
    REDUCED = "in the columns that are far from dependent"
    FRAMED = "in coordinates that float64 sees well"


class Views:
    """Some rows of the points."""

    def __init__(self, points: Points, rows: NDArray[np.int64]) -> None:
        self.points, self.rows = points, rows
        self.made: dict[View, WorkingSet | None] = {}

    def _fits_frame(self) -> bool:
        """Whether they are few enough for coordinates of their own."""
        return fits_frame((self.rows.size, self.points.n_columns + 1))

    def is_near_singular(self) -> bool:
        """Whether some columns nearly depend on others; False where that is not asked."""
        return self._fits_frame() and is_near_singular(self._values())

    def seen(self, view: View) -> WorkingSet | None:
        """The rows in this view; None where they have none."""
        if view not in self.made:
            self.made[view] = self._make(view)
        return self.made[view]

    def _values(self) -> Matrix:
        """The rows of (X, 1); columns that are constant beside it are left at zero, and get no weight."""
        values = augmented_rows(self.points, self.rows)
        if self.points.fit_intercept:
            values[:, :-1][:, np.ptp(values[:, :-1], axis=0) == 0.0] = 0.0
        return values

    def _make(self, view: View) -> WorkingSet | None:
        if view is View.SCALED:
            return working_set(self.points, self.rows)
        if view is View.REDUCED:
            framed = self.seen(View.FRAMED)
            frame = None if framed is None or framed.frame is None else framed.frame.plain()
        else:
            frame = frame_of(self._values()) if self._fits_frame() else None
        return None if frame is None else framed_set(self.points, self.rows, frame)

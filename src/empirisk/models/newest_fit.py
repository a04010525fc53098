"""The best fit so far of a cross-validation, to go on from where it is ended."""

from __future__ import annotations

import math

from empirisk.protocols import Point


class NewestFit:
    """The fit with the least held-out loss, of the newest fold that has one."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """As if nothing was fitted."""
        self.fold, self.tried, self.loss = -1, 0, math.inf  # tried: how many pairs of strengths on that fold
        self.l1 = self.l2 = math.nan
        self.point: Point | None = None

    def note(self, fold: int, l1: float, l2: float, loss: float, point: Point) -> None:
        """A fit without this fold, of this mean loss on it."""
        if fold != self.fold:
            self.fold, self.tried, self.loss = fold, 0, math.inf
        self.tried += 1
        if self.tried == 1 or loss < self.loss:
            self.l1, self.l2, self.loss, self.point = l1, l2, loss, point.copy()

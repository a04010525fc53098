"""Copies of the columns that a method works on: X is stored by rows, and is never copied by columns as a whole."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense
from empirisk.designs.narrowed import narrowed
from empirisk.rows.protocol import Rows

Columns = NDArray[np.int64]


class ColumnsAtHand(NamedTuple):
    """Some columns, as rows of a design that may have others too."""

    design: Dense | CSR
    places: Columns  # the rows in which they are


class _Taken(NamedTuple):
    """The last copy that was made of some columns: they are its rows, or its columns."""

    numbers: Columns
    design: Dense | CSR
    by_columns: bool

    def places(self, numbers: Columns) -> Columns | None:
        """Where these are in it; None where some are not."""
        places = np.searchsorted(self.numbers, numbers)
        if places.size and places[-1] < self.numbers.size and np.array_equal(self.numbers[places], numbers):
            return places
        return None


_TAKEN: weakref.WeakKeyDictionary[Any, _Taken] = weakref.WeakKeyDictionary()


def columns_at_hand(rows: Rows, numbers: Columns) -> ColumnsAtHand:
    """These columns, in their order, each a row of the design; those that were taken last serve where they can."""
    taken = _TAKEN.get(rows)
    places = taken.places(numbers) if taken is not None and taken.by_columns else None
    if taken is None or places is None:
        del taken
        _TAKEN.pop(rows, None)  # before there are others
        taken = _TAKEN[rows] = _Taken(numbers, rows.take_columns(numbers), True)
        places = np.arange(numbers.size)
    return ColumnsAtHand(taken.design, places)


def rows_at_hand(rows: Rows, numbers: Columns, entries: int) -> Dense | CSR:
    """All rows, with these columns, which have so many entries; cut out of the last copy where that has them all."""
    if numbers.size == rows.n_columns:
        return rows.whole()
    taken = _TAKEN.get(rows)
    places = taken.places(numbers) if taken is not None and not taken.by_columns else None
    if taken is None or places is None:
        del taken
        _TAKEN.pop(rows, None)
        design = narrowed(rows.whole(), numbers, entries)
    elif places.size == taken.numbers.size:
        return taken.design
    else:
        design = narrowed(taken.design, places, entries)
    _TAKEN[rows] = _Taken(numbers, design, False)
    return design

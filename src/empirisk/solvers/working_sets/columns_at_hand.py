"""Copies of the columns that a method works on: X is stored by rows, and is never copied by columns as a whole."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense, rows_of
from empirisk.designs.narrowed import narrowed
from empirisk.rows.protocol import Rows

Columns = NDArray[np.int64]


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


def columns_at_hand(rows: Rows, numbers: Columns) -> Dense | CSR:
    """These columns, in their order, each a row of the design."""
    return _copy_of(rows, numbers, True)


def rows_at_hand(rows: Rows, numbers: Columns, entries: int) -> Dense | CSR:
    """All rows, with these columns, which have so many entries."""
    return rows.whole() if numbers.size == rows.n_columns else _copy_of(rows, numbers, False, entries)


def _copy_of(rows: Rows, numbers: Columns, by_columns: bool, entries: int = 0) -> Dense | CSR:
    """Of these columns: the last copy where it is that, cut out of it where it has them all, else made anew."""
    taken = _TAKEN.get(rows)
    places = taken.places(numbers) if taken is not None and taken.by_columns == by_columns else None
    if taken is not None and places is not None:
        if places.size == taken.numbers.size:
            return taken.design
        design = rows_of(taken.design, places) if by_columns else narrowed(taken.design, places, entries)
    else:
        del taken
        _TAKEN.pop(rows, None)  # before there are others
        design = rows.take_columns(numbers) if by_columns else narrowed(rows.whole(), numbers, entries)
    _TAKEN[rows] = _Taken(numbers, design, by_columns)
    return design

"""Columns of a table that hold whole numbers which float64 would round: ids, or nanoseconds since 1970."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import WHOLE, is_exact_text
from empirisk.data.errors import DataError, shortened
from empirisk.data.lines import line_of
from empirisk.data.table import Table

WAYS_OUT = "subtract an offset or divide, or leave the column out with drop=..."


def refuse_inexact(table: Table, names: Collection[str]) -> None:
    """Raise for the first of these columns that holds such a number."""
    for name in table.inexact:
        if name in names:
            cells = table.column(name).tolist()
            row = next((row for row, cell in enumerate(cells) if not is_exact_text(cell)), 0)
            said = f"expected numbers that float64 holds exactly, found {shortened(cells[row])!r}: {WAYS_OUT}"
            raise DataError(said, table.path, line_of(table.path, table.row_of_file(row)), name)


def exact_cells(table: Table, name: str) -> NDArray[Any]:
    """The column; whole numbers that float64 would round as integers, where 64 bits hold them all."""
    cells = table.column(name)
    if name not in table.inexact or not all(WHOLE.fullmatch(cell) for cell in cells.tolist()):
        return cells
    numbers = [int(cell) for cell in cells.tolist()]
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= min(numbers) and max(numbers) <= np.iinfo(kind).max:
            return np.array(numbers, kind)
    return cells

"""A first column that numbers the rows and was meant for no one, as pandas and R write it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.data.table import Table

NO_NAMES = ("", "Unnamed: 0")  # the second is what pandas makes of the first


def without_index(table: Table) -> Table:
    """The table without such a column, and with a remark on it; a column without a name that is none is an error."""
    name = table.names[0]
    if name not in NO_NAMES or len(table.names) == 1:
        return table
    if not _are_row_numbers(table.columns[0], table.missing[0]):
        if name:
            return table
        raise DataError("expected a name for column 1, found none", table.path, 1)
    column = f"the column {name!r}" if name else "the first column, which has no name"
    remark = f"Left out {column}: it numbers the rows."
    rest = {field: getattr(table, field)[1:] for field in ("names", "columns", "missing")}
    return table._replace(**rest, remarks=(*table.remarks, remark))


def _are_row_numbers(cells: NDArray[np.float64], mask: NDArray[np.bool_] | None) -> bool:
    """Whether these are different whole numbers from 0 on: those of some rows of a table, in any order."""
    if cells.dtype == object or mask is not None:
        return False
    return bool(np.all((cells >= 0.0) & (cells == np.floor(cells)))) and np.unique(cells).size == cells.size

"""The cells of one column, and the errors that name one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError, shortened
from empirisk.data.lines import line_of
from empirisk.data.table import Table
from empirisk.near_names import near

SHOWN = 5  # names that an error lists
MOST_COLUMNS = 20  # of a table, where nothing else helps


class Cells(NamedTuple):
    """One column of a table: float64, NaN where there is no value, or Python strings."""

    name: str
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None  # which cells have no value; None where all have one
    path: str
    rows: NDArray[np.int64] | None = None  # of the file, where these are not all of them

    @property
    def are_text(self) -> bool:
        """Whether some cell is no number."""
        return self.values.dtype == object

    def quoted(self, row: int) -> str:
        """A cell as an error repeats it."""
        return repr(shortened(self.values[row] if self.are_text else f"{self.values[row]:g}"))

    def error(self, expected: str, row: int) -> DataError:
        """What was expected in this row in place of what is there, with its line; its row where there is no line."""
        row_of_file = row if self.rows is None else int(self.rows[row])
        line, message = line_of(self.path, row_of_file), f"expected {expected}, found {self.quoted(row)}"
        if line is None:
            message += f" in row {row_of_file + 1} of the data"
        return DataError(message, self.path, line, self.name)


def cells_of(table: Table, name: str, takes_text: bool) -> Cells:
    """The cells of the column of this name; where no cell has a value, as numbers unless the column `takes_text`."""
    values, numbers, missing = table.column(name), table.numbers(name), table.mask(name)
    if numbers is None and not takes_text:
        numbers = _numbers_in(values, missing)
    return Cells(name, values if takes_text or numbers is None else numbers, missing, table.path, table.rows)


def _numbers_in(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
    """Texts that are all numbers, but for missing ones: a frame may hold such a column as text; None for others."""
    if missing is None:
        return None
    numbers = [math.nan if gap else number_in(cell) for cell, gap in zip(values, missing, strict=True)]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def first_word(cells: NDArray[Any]) -> int:
    """The first row of a column of text that is not a finite number."""
    for row, cell in enumerate(cells.tolist()):
        if number_in(cell) is None:
            return row
    return 0


def number_in(cell: str) -> float | None:
    """The finite number that a text is, None for other texts."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if "_" not in cell and math.isfinite(value) else None


def near_or_all(name: str, known: Sequence[str]) -> str:
    """The end of a sentence on a column that is not there: those of a similar name, else which there are."""
    return near(name, known) or f"; the columns are {listed(known, MOST_COLUMNS)}"


def listed(names: Sequence[str], most: int = SHOWN) -> str:
    """The names for an error, of many the first."""
    said = ", ".join(repr(shortened(name)) for name in names[:most])
    return said if len(names) <= most else f"{said}, ... ({len(names)} in all)"

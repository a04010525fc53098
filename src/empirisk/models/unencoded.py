"""The rows of a table before they are numbers: what the columns become is learned from the rows of a fit alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.missing import refuse_missing
from empirisk.data.table import Table
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.columns import Columns, complete_rows, fit_columns
from empirisk.encodings.missing import FILLS
from empirisk.encodings.named import named_columns

Rows = NDArray[np.int64]
LABELED = "labels and weights must be there, and missing='drop' leaves rows out"
FILLING = "missing=... says what to do with them: drop, mean, median or indicator"


class Unencoded(NamedTuple):
    """A table, and what was asked of its columns."""

    table: Table
    besides: tuple[str, ...]  # the columns of the label and the weights, which are no features
    choices: ColumnChoices
    na: tuple[str, ...] | None  # what says that a value is missing

    def complete(self) -> NDArray[np.bool_] | None:
        """Which rows to keep where those without a value are left out; None for all."""
        used = named_columns(self.table, self.choices, self.besides).used
        if self.choices.missing != "drop":
            return None
        return complete_rows(self.table, [*used, *self.besides])

    def of_rows(self, rows: NDArray[np.bool_] | None) -> Unencoded:
        """The rows that are marked, all for None."""
        return self if rows is None else self._replace(table=self.table.of_rows(rows))

    def check_labels(self) -> None:
        """Refuse labels and weights that are missing, in one sentence with all other columns that lack values."""
        if any(name in self.besides for name in self.table.without_value()):
            self._refuse_missing(fit_columns(self.table, self.besides, self.choices))

    def encoded(self, fitted: Rows | None) -> tuple[Columns, Any, tuple[str, ...]]:
        """Columns as the rows `fitted` tell them (all for None), the matrix of every row, and what must be said of it.

        A category that only other rows have is none of the categories there.
        """
        learned = self
        if fitted is not None:
            marked = np.zeros(len(self.table.columns[0]), np.bool_)
            marked[fitted] = True
            learned = self.of_rows(marked)
        columns = fit_columns(learned.table, self.besides, self.choices)._replace(na=self.na)
        self._refuse_missing(columns)
        unknown = "error" if fitted is None else "zero"
        matrix = columns.encode(self.table, unknown, ignore_new=True)
        strangers = {} if fitted is None else columns.strangers(self.table)
        return columns, matrix, (_told(strangers),) if strangers else ()

    def _refuse_missing(self, columns: Columns) -> None:
        lacking = {*columns.lacking(self.table), *(name for name in self.table.without_value() if name in self.besides)}
        advice = LABELED if columns.missing in FILLS else FILLING
        refuse_missing(self.table, [name for name in self.table.names if name in lacking], advice)


def _told(strangers: dict[str, int]) -> str:
    where = ", ".join(f"{name!r} in {n} row{'s' * (n > 1)}" for name, n in strangers.items())
    return f"Rows that are left out of the fit have categories that it lacks, which count for none: {where}."

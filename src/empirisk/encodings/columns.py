"""The columns of a table as the columns of a matrix, so that another table becomes the same ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import optional
from empirisk.data.errors import DataError
from empirisk.data.inexact import refuse_inexact
from empirisk.data.missing import refuse_missing
from empirisk.data.table import Table
from empirisk.encodings.blocks import dense, sparse
from empirisk.encodings.cells import cells_of, listed, near_or_all
from empirisk.encodings.choices import POLICIES, ColumnChoices
from empirisk.encodings.named import named_columns
from empirisk.encodings.registry import KINDS, OF_NUMBERS, OF_TEXT, Column, column_from_json, column_to_json
from empirisk.stored_fields import check, check_fields, check_texts

FULLNESS = 0.25  # a matrix with a smaller share of entries is stored sparse
# So many values, and in more than half of the rows one of their own: not categories, but ids or text.
MANY_VALUES, SHARE_OF_ROWS = 50, 0.5
WAYS_OUT = (
    "as ids and texts have: drop=... leaves {0} out, text=... learns from the words, date=... reads dates, "
    "categorical=... takes {0} as categories all the same"
)
LISTED = 50  # columns of ids that an error names: all of them must be told
FITTED_WITHOUT = "the model was fitted without a rule for them: fit it with missing=..."
LEFT_OUT = "the model was fitted with missing='drop': leave these rows out"
USUAL = ColumnChoices()


class Columns(NamedTuple):
    """The columns that a model uses, in the order of its features."""

    columns: tuple[Column, ...]
    dropped: tuple[str, ...] = ()  # those of the table of the fit that it did not use
    missing: str = "error"  # what becomes of missing values, one of POLICIES
    na: tuple[str, ...] | None = None  # the texts that stand for them; None for the usual ones

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in the table."""
        return tuple(column.name for column in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of the matrix."""
        return tuple(name for column in self.columns for name in column.feature_names())

    @property
    def verbatim(self) -> tuple[str, ...]:
        """The columns whose cells must be read as they are written."""
        return tuple(column.name for column in self.columns if column.takes_text())

    def is_sparse(self) -> bool:
        """Whether less than a quarter of the matrix is filled."""
        filled = sum(column.filled() for column in self.columns)
        return filled < FULLNESS * sum(column.width() for column in self.columns)

    def encode(
        self, table: Table, unknown: str = "error", *, ignore: Collection[str] = (), ignore_new: bool = False
    ) -> Any:
        """The matrix of a table, its columns matched by name: an array, or a CSR matrix where most would be zeros.

        A category that the fit did not see is an error, or all zeros with `unknown="zero"`. A column that it did not
        see is an error, unless `ignore` names it or `ignore_new` leaves out every one. So is a missing value for which
        there is no rule; with `missing="drop"` the rows must be left out before, those that are not `complete`.
        """
        if unknown not in ("error", "zero"):
            raise ValueError(f"unknown must be 'error' or 'zero', got {unknown!r}")
        self._check_names(table, ignore, ignore_new)
        refuse_missing(table, self.lacking(table), LEFT_OUT if self.missing == "drop" else FITTED_WITHOUT)
        refuse_inexact(table, [column.name for column in self.columns if not column.takes_text()])
        blocks = [column.encode(cells_of(table, column.name, column.takes_text()), unknown) for column in self.columns]
        return sparse(blocks) if self.is_sparse() else dense(blocks)

    def lacking(self, table: Table) -> list[str]:
        """The columns in which some cell has no value, and needs one."""
        needing = [c.name for c in self.columns if c.needs_values() or self.missing == "drop"]
        return [name for name in needing if table.mask(name) is not None]

    def strangers(self, table: Table) -> dict[str, int]:
        """The cells that are nothing that the fit saw, counted in each column that has such."""
        counts = {}
        for column in self.columns:
            if (own := optional(column, "strangers")) is not None:
                counts[column.name] = int(np.count_nonzero(own(cells_of(table, column.name, column.takes_text()))))
        return {name: count for name, count in counts.items() if count}

    def complete(self, table: Table, besides: Collection[str] = ()) -> NDArray[np.bool_] | None:
        """Which rows to keep: with `missing="drop"` those with a value in every column, and `besides`; None for all."""
        if self.missing != "drop":
            return None
        present = [name for name in (*self.names, *besides) if name in table.names]
        return complete_rows(table, present)

    def _check_names(self, table: Table, ignore: Collection[str], ignore_new: bool) -> None:
        lacking = [name for name in self.names if name not in table.names]
        if lacking:
            which = "column" if len(lacking) == 1 else "columns"
            message = f"expected the {which} {listed(lacking)} of the fit, found none of this name"
            hint = near_or_all(lacking[0], table.names) if len(lacking) == 1 else ""
            raise DataError(message + hint, table.path, 1)
        known = {*self.names, *self.dropped, *ignore}
        extra = [name for name in table.names if name not in known]
        if extra and not ignore_new:
            which = "column" if len(extra) == 1 else "columns"
            message = f"expected only the columns of the fit, found also the {which} {listed(extra)}"
            raise DataError(f"{message}; ignore_new=True leaves out what is new", table.path, 1)

    def to_json(self) -> dict[str, Any]:
        """Every column with its kind, what was dropped, and what missing values are."""
        return {
            "columns": [column_to_json(column) for column in self.columns],
            "dropped": list(self.dropped),
            "missing": self.missing,
            "na": None if self.na is None else list(self.na),
        }


def columns_from_json(data: Any) -> Columns:
    """What `to_json` gave, checked."""
    if type(data) is list:
        data = _of_first_version(data)
    check_fields(data, Columns(()).to_json(), "columns")
    check(type(data["columns"]) is list, "columns must be a list")
    check(type(data["missing"]) is str and data["missing"] in POLICIES, f"missing must be one of {', '.join(POLICIES)}")
    na = None if data["na"] is None else check_texts(data["na"], "na")
    columns = tuple(map(column_from_json, data["columns"]))
    found = Columns(columns, check_texts(data["dropped"], "dropped"), data["missing"], na)
    every = (*found.names, *found.dropped)
    check(len(set(every)) == len(every), "the names of columns must differ")
    return found


def _of_first_version(data: list[Any]) -> dict[str, Any]:
    """What the first version wrote, the name of each column beside its categories, as it is written now."""
    check(all(type(column) is list and len(column) == 2 for column in data), "columns must be pairs")
    columns = [
        {"kind": "number", "name": name, "fitted": {"filling": None}}
        if values is None
        else {"kind": "category", "name": name, "fitted": {"values": values, "are_numbers": False, "fill": None}}
        for name, values in data
    ]
    return {**Columns(()).to_json(), "columns": columns}


def number_columns(names: Collection[str]) -> Columns:
    """Numbers as they are, under these names."""
    return Columns(tuple(OF_NUMBERS.cls(name) for name in names))


def fit_columns(table: Table, exclude: Collection[str] = (), choices: ColumnChoices = USUAL) -> Columns:
    """What was asked for; else numbers as they are and text as categories. `exclude` names what is no feature.

    A column of text with almost as many values as rows is refused: it is an id or text, and as categories each row
    would have a feature of its own. With `missing="drop"` only complete rows count.
    """
    named = named_columns(table, choices, exclude)
    refuse_inexact(table, [name for name in named.used if name not in named.kinds])
    if choices.missing == "drop":
        table = table.of_rows(complete_rows(table, [*named.used, *exclude]))
    fitted, strange = [], dict[str, int]()
    for name in named.used:
        guess = OF_TEXT if table.numbers(name) is None else OF_NUMBERS
        kind = KINDS[named.kinds[name]] if name in named.kinds else guess
        cells = cells_of(table, name, kind.takes_text)
        fitted.append(kind.fit(cells, choices))
        if kind is OF_TEXT and name not in named.kinds and _are_ids(fitted[-1].width(), len(cells.values)):
            strange[name] = fitted[-1].width()
    if strange:
        raise _ids(strange, table)
    return Columns(tuple(fitted), named.dropped, choices.missing)


def complete_rows(table: Table, names: Collection[str]) -> NDArray[np.bool_]:
    """The rows with a value in each of these columns."""
    kept = np.ones(len(table.columns[0]), np.bool_)
    for name in names:
        mask = table.mask(name)
        if mask is not None:
            kept &= ~mask
    if not kept.any():
        raise DataError("expected some row with a value in every column, found none to keep", table.path)
    return kept


def _are_ids(n_values: int, n_rows: int) -> bool:
    return n_values >= MANY_VALUES and n_values > SHARE_OF_ROWS * n_rows


def _ids(counts: dict[str, int], table: Table) -> DataError:
    n_rows, names = len(table.columns[0]), list(counts)
    if len(names) == 1:
        said = f"expected categories, found {counts[names[0]]} different texts in {n_rows} rows"
        return DataError(f"{said}, {WAYS_OUT.format('it')}", table.path, None, names[0])
    said = f"expected categories, found more different texts than half of the {n_rows} rows in the columns"
    return DataError(f"{said} {listed(names, LISTED)}, {WAYS_OUT.format('them')}", table.path)

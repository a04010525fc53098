"""The one closed list of kinds of columns: a file chooses among them, it cannot bring its own.

A new kind is its file, a line here, its parameter in `ColumnChoices` and the option of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from empirisk.encodings.categories import Category, category_from_json, fit_category
from empirisk.encodings.cells import Cells
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.dates import Date, date_from_json, fit_date
from empirisk.encodings.numbers import Number, fit_number, number_from_json
from empirisk.encodings.texts import Text, fit_text, text_from_json
from empirisk.stored_fields import check, check_fields


class Column(Protocol):
    """How one column of a table becomes columns of a matrix.

    Optional: strangers(cells), which of them are nothing that the fit saw.
    """

    @property
    def name(self) -> str:
        """In the table."""

    def width(self) -> int:
        """The number of features it becomes."""

    def filled(self) -> int:
        """About how many of them are not zero in a row."""

    def feature_names(self) -> tuple[str, ...]:
        """What they are called."""

    def encode(self, cells: Cells, unknown: str) -> Any:
        """An array or a CSR matrix of n rows and `width` columns."""

    def takes_text(self) -> bool:
        """Whether it wants the cells as they are written, even where all are numbers."""

    def needs_values(self) -> bool:
        """Whether a cell without a value is an error."""

    def to_json(self) -> dict[str, Any]:
        """What the fit found, besides the name."""


class Kind(NamedTuple):
    """A kind of column: how it is asked for, learned and read back."""

    cls: type
    parameter: str | None  # of ColumnChoices; None for one that is only guessed
    takes_text: bool  # whether it wants the cells as they are written, even where all are numbers
    fit: Callable[[Cells, ColumnChoices], Column]
    from_json: Callable[[str, dict[str, Any]], Column]


KINDS = {
    "number": Kind(Number, None, False, fit_number, number_from_json),
    "category": Kind(Category, "categorical", False, fit_category, category_from_json),
    "date": Kind(Date, "date", True, fit_date, date_from_json),
    "text": Kind(Text, "text", True, fit_text, text_from_json),
}
OF_NUMBERS, OF_TEXT = KINDS["number"], KINDS["category"]  # where nothing is asked
_NAMES = {kind.cls: name for name, kind in KINDS.items()}


def column_to_json(column: Column) -> dict[str, Any]:
    """The kind and name of a column, and what its fit found."""
    return {"kind": _NAMES[type(column)], "name": column.name, "fitted": column.to_json()}


def column_from_json(data: Any) -> Column:
    """What `column_to_json` gave, checked."""
    check_fields(data, ("kind", "name", "fitted"), "a column")
    check(type(data["name"]) is str, "the name of a column must be text")
    check(type(data["kind"]) is str and data["kind"] in KINDS, f"there is no kind of column {data['kind']!r:.50}")
    return KINDS[data["kind"]].from_json(data["name"], data["fitted"])

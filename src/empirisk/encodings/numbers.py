"""A number as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.encodings.cells import Cells, first_word
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.missing import Filling, filling_from_json, fit_filling, flag_name
from empirisk.stored_fields import check_fields


class Number(NamedTuple):
    """One feature, `age`, with the values of the cells, and perhaps `age is missing`."""

    name: str
    filling: Filling | None = None  # None: a cell without a value is an error

    def width(self) -> int:
        """One feature, or two."""
        return len(self.feature_names())

    def filled(self) -> int:
        """Every row has a number."""
        return 1

    def feature_names(self) -> tuple[str, ...]:
        """The name of the column."""
        has_flag = self.filling is not None and self.filling.has_flag
        return (self.name, flag_name(self.name)) if has_flag else (self.name,)

    def encode(self, cells: Cells, unknown: str) -> NDArray[np.float64]:
        """A column; text is an error."""
        block = _numbers(cells)
        return block if self.filling is None else self.filling.applied(block, cells.missing)

    def takes_text(self) -> bool:
        """No."""
        return False

    def needs_values(self) -> bool:
        """Unless something stands in their place."""
        return self.filling is None

    def to_json(self) -> dict[str, Any]:
        """What stands in place of missing values."""
        return {"filling": None if self.filling is None else self.filling.to_json()}


def fit_number(cells: Cells, choices: ColumnChoices) -> Number:
    """Numbers need nothing from the data, but for what fills their gaps."""
    return Number(cells.name, fit_filling(_numbers(cells), cells, choices.missing))


def number_from_json(name: str, fields: dict[str, Any]) -> Number:
    """What `to_json` gave, checked."""
    check_fields(fields, Number(name).to_json(), "a column of numbers")
    return Number(name, filling_from_json(fields["filling"], 1))


def _numbers(cells: Cells) -> NDArray[np.float64]:
    if cells.are_text:
        raise cells.error("a number as in the data of the fit", first_word(cells.values))
    return np.asarray(cells.values, dtype=np.float64).reshape(-1, 1)

"""A number as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.encodings.cells import Cells, first_word
from empirisk.stored_fields import check_fields


class Number(NamedTuple):
    """One feature, `age`, with the values of the cells."""

    name: str

    def width(self) -> int:
        """One feature."""
        return 1

    def filled(self) -> int:
        """Every row has one."""
        return 1

    def feature_names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.name,)

    def encode(self, cells: Cells, unknown: str) -> NDArray[np.float64]:
        """A column; text is an error."""
        if cells.are_text:
            raise cells.error("a number as in the data of the fit", first_word(cells.values))
        return np.asarray(cells.values, dtype=np.float64).reshape(-1, 1)

    def takes_text(self) -> bool:
        """No."""
        return False

    def needs_values(self) -> bool:
        """Yes."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Nothing besides the name."""
        return {}


def fit_number(cells: Cells) -> Number:
    """Numbers need nothing from the data."""
    return Number(cells.name)


def number_from_json(name: str, fields: dict[str, Any]) -> Number:
    """What `to_json` gave, checked."""
    check_fields(fields, Number(name).to_json(), "a column of numbers")
    return Number(name)

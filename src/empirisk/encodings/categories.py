"""A name as one column of zeros and ones for each of its values."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.encodings.cells import Cells, listed, number_in
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.missing import FILLS, flag_name, without_any_value
from empirisk.stored_fields import check, check_fields, check_texts


class Category(NamedTuple):
    """The features `color=blue`, `color=red`, and perhaps `color is missing`: 1 where the cell is this, else 0."""

    name: str
    values: tuple[str, ...]  # sorted; numbers by size
    are_numbers: bool = False  # then 3, 3.0 and 3e0 are one value
    fill: int | None = None  # what a missing cell is: the place of a value, after the last one the flag

    def width(self) -> int:
        """A feature for each value, and the flag."""
        return len(self.values) + (self.fill == len(self.values))

    def filled(self) -> int:
        """Every row has one."""
        return 1

    def feature_names(self) -> tuple[str, ...]:
        """`color=blue`, `color=red`."""
        flag = (flag_name(self.name),) if self.fill == len(self.values) else ()
        return (*(f"{self.name}={value}" for value in self.values), *flag)

    def encode(self, cells: Cells, unknown: str) -> Any:
        """A CSR matrix with one entry a row; a value that the fit did not see is an error, or no entry."""
        codes = self._filled_codes(cells)
        strangers = codes < 0
        if unknown == "error" and bool(np.any(strangers)):
            error = cells.error(f"a category of the fit ({listed(self.values)})", int(np.argmax(strangers)))
            said = f"{error.message}; unknown='zero' takes it for none of them"
            raise DataError(said, error.path, error.line, error.column)
        starts = np.concatenate([[0], np.cumsum(~strangers)])
        entries = np.ones(int(starts[-1])), codes[~strangers], starts
        return scipy.sparse.csr_array(entries, shape=(len(codes), self.width()))

    def strangers(self, cells: Cells) -> NDArray[np.bool_]:
        """Which cells are no category of the fit."""
        return self._filled_codes(cells) < 0

    def _filled_codes(self, cells: Cells) -> NDArray[np.int64]:
        codes = self.codes(cells)
        if self.fill is not None and cells.missing is not None:
            codes[cells.missing] = self.fill
        return codes

    def codes(self, cells: Cells) -> NDArray[np.int64]:
        """The place of each cell among the values; -1 for one that the fit did not see."""
        found = cells.values.tolist()
        places: dict[Any, int] = {value: k for k, value in enumerate(self.values)}
        if self.are_numbers or not cells.are_text:
            places = self._by_number(cells.path)
        if self.are_numbers and cells.are_text:
            found = [number_in(cell) for cell in found]
        return np.fromiter((places.get(cell, -1) for cell in found), np.int64, len(found))

    def _by_number(self, path: str) -> dict[Any, int]:
        """The places by value, for a table in which this column happens to hold nothing but numbers."""
        places: dict[Any, int] = {}
        for k, category in enumerate(self.values):
            value = number_in(category)
            if value is None:
                continue
            if value in places:
                pair = listed((self.values[places[value]], category))
                raise DataError(
                    f"expected text, found numbers only, which do not tell {pair} apart", path, 1, self.name
                )
            places[value] = k
        return places

    def takes_text(self) -> bool:
        """Unless it was made of numbers."""
        return not self.are_numbers

    def needs_values(self) -> bool:
        """Text without a value, an empty cell or ?, is a category like others where no rule says more."""
        return self.are_numbers and self.fill is None

    def to_json(self) -> dict[str, Any]:
        """The values in their order."""
        return {"values": list(self.values), "are_numbers": self.are_numbers, "fill": self.fill}


def fit_category(cells: Cells, choices: ColumnChoices) -> Category:
    """The values of the cells, sorted.

    Where missing values are filled they are none of these: they become the most frequent value (of several the first),
    with `missing="indicator"` a feature of their own.
    """
    fills, known = choices.missing in FILLS, cells.values
    if cells.missing is not None and (fills or not cells.are_text):
        known = known[~cells.missing]
    counts = dict[Any, int]()
    for value in known.tolist():
        counts[value] = counts.get(value, 0) + 1
    if not counts:
        raise without_any_value(cells)
    values, fill = sorted(counts), None
    if fills and choices.missing == "indicator" and cells.missing is not None:
        fill = len(values)
    elif fills:
        fill = max(range(len(values)), key=lambda k: (counts[values[k]], -k))
    texts = values if cells.are_text else map(_text_of, values)
    return Category(cells.name, tuple(texts), not cells.are_text, fill)


def category_from_json(name: str, fields: dict[str, Any]) -> Category:
    """What `to_json` gave, checked."""
    check_fields(fields, Category(name, ()).to_json(), "a column of categories")
    values, are_numbers, fill = check_texts(fields["values"], "categories"), fields["are_numbers"], fields["fill"]
    check(len(values) > 0 and len(set(values)) == len(values), "categories must be there, each once")
    check(type(are_numbers) is bool, "are_numbers must be true or false")
    check(fill is None or (type(fill) is int and 0 <= fill <= len(values)), "fill must be the place of a category")
    if are_numbers:
        sizes = [size for value in values if (size := number_in(value)) is not None]
        check(len(sizes) == len(values), "categories that are numbers must be finite numbers")
        check(all(low < high for low, high in itertools.pairwise(sizes)), "numbers must be in order")
    return Category(name, values, are_numbers, fill)


def _text_of(value: float) -> str:
    """3 for a whole number; -0.0 is 0."""
    return str(int(value)) if value == int(value) and abs(value) < 2.0**53 else repr(value)

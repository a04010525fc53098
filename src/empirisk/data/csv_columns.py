"""What a column of a CSV file is: numbers, text, or a mistake."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.exact_floats import is_exact_text
from empirisk.data.csv_text import Text
from empirisk.data.distinct_runs import distinct_runs
from empirisk.data.errors import DataError
from empirisk.data.missing import MissingCells

INFINITE = frozenset({"inf", "infinity"})  # signs aside
QUOTE = ord('"')  # before a cell it counts: it says what doubled quotes in it mean
DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+", re.ASCII)
FEW = 10  # so many words among numbers, and no more than a hundredth of the cells, are typing errors


class Cells(NamedTuple):
    """Where the cells of one column start and end in a text."""

    text: Text
    name: str
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def of_rows(self, rows: Any) -> Cells:
        """Those of some rows."""
        return self._replace(starts=self.starts[rows], ends=self.ends[rows])

    def string(self, row: int) -> str:
        """One cell."""
        return self.text.cell(self.starts[row], self.ends[row])

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        """The different cells in order of appearance, and the place of each row among them."""
        firsts, codes = distinct_runs(self.text.view, self.starts, self.ends, QUOTE)
        return [self.string(row) for row in firsts.tolist()], codes

    def error(self, message: str, row: int) -> DataError:
        """The error of this message at a cell."""
        found = self.text.quoted(self.starts[row], self.ends[row])
        return self.text.error(f"{message}, found {found}", self.starts[row], self.name)


class Settled(NamedTuple):
    """What a column is: numbers or text, which cells have no value, and whether it is text to save numbers."""

    column: NDArray[Any]
    mask: NDArray[np.bool_] | None
    is_inexact: bool = False


def settle(cells: Cells, values: NDArray[np.float64], na: MissingCells) -> Settled:
    """What was parsed to NaN for cells that are no numbers and to infinity for undecided ones.

    A whole number in digits alone that float64 does not hold makes the column text, so that ids stay what they are.
    """
    strays = np.flatnonzero(np.isnan(values))
    words, codes = cells.of_rows(strays).distinct()
    _refuse_decimal_commas(cells, strays, words, na)
    if len(strays) == len(values):
        return _of_words(words, codes, na)
    are_missing = na.mask_of_words(words, in_numbers=True)
    are_infinite = np.array([word.strip().lower().lstrip("+-") in INFINITE for word in words], np.bool_)
    if int((~are_missing & ~are_infinite)[codes].sum()) > min(FEW, len(values) // 100):
        return as_text(cells, na)
    mistakes = strays[~are_missing[codes]]
    if len(mistakes):
        wanted = "a finite number" if are_infinite[codes[~are_missing[codes]][0]] else "a number"
        raise cells.error(f"expected {wanted} as in most of this column", mistakes[0])
    undecided = np.flatnonzero(np.isinf(values))
    texts = [cells.string(row) for row in undecided.tolist()]
    values[undecided] = list(map(float, texts))
    too_large = undecided[np.isinf(values[undecided])]
    if len(too_large):
        raise cells.error("expected a number within the range of float64", too_large[0])
    if not all(map(is_exact_text, texts)):
        return as_text(cells, na)._replace(is_inexact=True)
    return Settled(values, np.isnan(values) if len(strays) else None)


def _refuse_decimal_commas(cells: Cells, strays: NDArray[np.int64], words: list[str], na: MissingCells) -> None:
    """Raise where all that is no number would be one with a point: 1,234 may be a thousand, too."""
    if cells.text.separator == ord(","):
        return
    first = None
    for word in words:  # most columns of text are left at the first
        if DECIMAL_COMMA.fullmatch(word):
            first = word if first is None else first
        elif not na.is_missing(word, in_numbers=True):
            return
    if first is not None:
        row = next(row for row in strays.tolist() if cells.string(row) == first)
        raise cells.error("expected numbers with a decimal point, not a comma", row)


def as_text(cells: Cells, na: MissingCells) -> Settled:
    """A column of text."""
    return _of_words(*cells.distinct(), na)


def _of_words(words: list[str], codes: NDArray[np.int64], na: MissingCells) -> Settled:
    """A column of text that has these different cells, and their place in each row."""
    distinct = np.empty(len(words), object)  # equal cells share one string: categories are few
    distinct[:] = words
    are_missing = na.mask_of_words(words)
    return Settled(distinct[codes], are_missing[codes] if bool(are_missing.any()) else None)

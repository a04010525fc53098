"""Cells that say that there is no value."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError, shortened
from empirisk.data.lines import line_of
from empirisk.data.table import Table

USUAL = ("", "NA", "N/A", "#N/A", "NaN", "-NaN", "+NaN", "null", "?")
USUAL_AMONG_NUMBERS = ("None", ".", "-")  # categories may well be called so
SHOWN = 50  # columns that an error lists


class MissingCells(NamedTuple):
    """The texts that stand for a missing value, blanks around them and capitals aside."""

    words: frozenset[str]  # in lower case
    among_numbers: frozenset[str]  # those in a column of numbers
    numbers: tuple[float, ...]  # those of them that are numbers, such as -999

    def mask_of(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which numbers stand for a missing value."""
        return np.isin(values, self.numbers)

    def mask_of_words(self, cells: Iterable[str], *, in_numbers: bool = False) -> NDArray[np.bool_]:
        """Which texts stand for a missing value."""
        return np.array([self.is_missing(cell, in_numbers=in_numbers) for cell in cells], np.bool_)

    def is_missing(self, cell: str, *, in_numbers: bool = False) -> bool:
        """Whether a text stands for a missing value."""
        return cell.strip().lower() in (self.among_numbers if in_numbers else self.words)


def missing_cells(na: Collection[str] | None = None) -> MissingCells:
    """The texts of `na`, and the empty cell, which is always missing; the usual ones for None."""
    words = frozenset(cell.strip().lower() for cell in ("", *(USUAL if na is None else na)))
    if na is None:
        return MissingCells(words, words | {cell.lower() for cell in USUAL_AMONG_NUMBERS}, ())
    return MissingCells(words, words, tuple(sorted(filter(math.isfinite, map(_number, words)))))


def with_missing(table: Table, na: Collection[str] | None) -> Table:
    """The table of a frame, in which cells that stand for a missing value, such as ?, are missing ones as in a file."""
    known = missing_cells(na)
    columns, masks = list(table.columns), []
    for j, (name, cells) in enumerate(zip(table.names, table.columns, strict=True)):
        is_text = cells.dtype == object
        mask = known.mask_of_words(cells.tolist()) if is_text else known.mask_of(cells)
        given = table.mask(name)
        mask = mask if given is None else mask | given
        if not is_text and bool(mask.any()):
            columns[j] = np.where(mask, np.nan, cells)
        masks.append(mask if bool(mask.any()) else None)
    return table._replace(columns=tuple(columns), missing=tuple(masks))


def refuse_missing(table: Table, names: Collection[str], advice: str) -> None:
    """Raise an error that lists every one of these columns that lacks values, with counts; `advice` ends it."""
    masks = {name: mask for name in table.names if name in names and (mask := table.mask(name)) is not None}
    if not masks:
        return
    said = lacking_values({name: int(mask.sum()) for name, mask in masks.items()}, len(table.columns[0]))
    first = min(int(np.argmax(mask)) for mask in masks.values())
    raise DataError(f"{said}; {advice}", table.path, line_of(table.path, first))


def lacking_values(counts: Mapping[str, int], n_rows: int) -> str:
    """What to say of columns that lack so many values."""
    said = [f"{shortened(name)!r} ({count} of {n_rows} rows)" for name, count in counts.items()]
    if len(said) > SHOWN:
        said[SHOWN:] = [f"and {len(said) - SHOWN} more"]
    which = "the column" if len(said) == 1 else f"{len(counts)} columns:"
    return f"expected a value in every cell, found missing values in {which} {', '.join(said)}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan

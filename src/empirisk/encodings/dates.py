"""A date, with or without a time, as year, month, weekday, hour and the days since the first date of the fit."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.encodings.cells import Cells
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.missing import Filling, filling_from_json, fit_filling, flag_name
from empirisk.stored_fields import check, check_fields, check_number

PARTS = ("year", "month", "weekday", "hour", "days")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH = r"(?P<month>\d{1,2}|[A-Za-z]{3,9})"
TIME = (
    r"(?:(?:\s*[T,]\s*|\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?"
)
YEAR_FIRST = "year first"
ORDERS = {
    YEAR_FIRST: rf"(?P<year>\d{{4}})(?P<mark>[-/.]?){MONTH}(?P=mark)(?P<day>\d{{1,2}})",
    "day first": rf"(?P<day>\d{{1,2}})[-/. ]\s*{MONTH}[-/., ]\s*(?P<year>\d{{4}})",
    "month first": rf"{MONTH}[-/ ](?P<day>\d{{1,2}})[-/ ,]\s*(?P<year>\d{{4}})",  # with dots the day is first
}
PATTERNS = {order: re.compile(rf"\s*{date}{TIME}\s*") for order, date in ORDERS.items()}
WANTED = "a date such as 2024-01-31, 2024-01-31 17:05, 31.1.2024 or 31 Jan 2024"
SECONDS_A_DAY = 86400.0


class Date(NamedTuple):
    """The features `sold year`, `sold month`, `sold weekday` (Monday is 0), `sold hour` and `sold days`, all numbers.

    The hour is the one that is written: a time zone is read and not used.
    """

    name: str
    order: str  # of year, month and day, one of ORDERS
    first: float  # the earliest date of the fit, in days; day 1 is January 1 of the year 1
    filling: Filling | None = None  # None: a cell without a value is an error

    def width(self) -> int:
        """Five features, or six."""
        return len(self.feature_names())

    def filled(self) -> int:
        """Every row has all of them."""
        return len(PARTS)

    def feature_names(self) -> tuple[str, ...]:
        """Name and part."""
        flag = (flag_name(self.name),) if self.filling is not None and self.filling.has_flag else ()
        return (*(f"{self.name} {part}" for part in PARTS), *flag)

    def encode(self, cells: Cells, unknown: str) -> NDArray[np.float64]:
        """A row of numbers for each cell; what is no date is an error."""
        block = _parts(cells, self.order)
        block[:, -1] -= self.first
        return block if self.filling is None else self.filling.applied(block, cells.missing)

    def takes_text(self) -> bool:
        """20240131 is a date."""
        return True

    def needs_values(self) -> bool:
        """Unless something stands in their place."""
        return self.filling is None

    def to_json(self) -> dict[str, Any]:
        """The order, the first date, and what stands in place of missing ones."""
        filling = None if self.filling is None else self.filling.to_json()
        return {"order": self.order, "first": self.first, "filling": filling}


def fit_date(cells: Cells, choices: ColumnChoices) -> Date:
    """The order in which all cells are dates, and the first of them."""
    order = _order_of(cells)
    block = _parts(cells, order)
    known = block if cells.missing is None else block[~cells.missing]
    first = float(known[:, -1].min()) if len(known) else 0.0
    block[:, -1] -= first
    return Date(cells.name, order, first, fit_filling(block, cells, choices.missing))


def date_from_json(name: str, fields: dict[str, Any]) -> Date:
    """What `to_json` gave, checked."""
    check_fields(fields, Date(name, "", 0.0).to_json(), "a column of dates")
    check(type(fields["order"]) is str and fields["order"] in ORDERS, f"no order of dates: {fields['order']!r:.50}")
    first = check_number(fields["first"], "the first date")
    return Date(name, fields["order"], first, filling_from_json(fields["filling"], len(PARTS)))


def date_in(cell: str, order: str) -> datetime.datetime | None:
    """The date that a text is in this order, None for other texts."""
    found = PATTERNS[order].fullmatch(cell)
    month = None if found is None else _month(found["month"])
    if found is None or month is None:
        return None
    hour, half = int(found["hour"] or 0), (found["half"] or "")[:1].lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    fraction = int(((found["fraction"] or "") + "000000")[:6])
    minute, second = int(found["minute"] or 0), int(found["second"] or 0)
    with contextlib.suppress(ValueError):  # February 30
        return datetime.datetime(int(found["year"]), month, int(found["day"]), hour, minute, second, fraction)
    return None


def _month(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    found = [k for k, name in enumerate(MONTHS, start=1) if name.startswith(text.lower())]
    return found[0] if len(found) == 1 else None


def _order_of(cells: Cells) -> str:
    """The one order in which most cells are dates; two in which all are, and others, cannot be told apart."""
    texts = [cell for cell in dict.fromkeys(_texts(cells)) if cell is not None]
    if texts and date_in(texts[0], YEAR_FIRST) is not None:  # no date of another order
        return YEAR_FIRST
    counts = Counter({order: sum(date_in(cell, order) is not None for cell in texts) for order in ORDERS})
    (best, most), (second, next_most), *_ = counts.most_common()
    if most == next_most == len(texts) > 0:
        doubtful = [cell for cell in texts if date_in(cell, best) != date_in(cell, second)]
        if doubtful:
            said = f"expected dates that tell the day from the month, found {doubtful[0]!r} and the like"
            raise DataError(f"{said}; write them as 2024-01-31", cells.path, None, cells.name)
    return best


def _texts(cells: Cells) -> list[str | None]:
    """The cells as they are written, None for those without a value."""
    values = cells.values.tolist() if cells.are_text else [f"{value:.0f}" for value in cells.values.tolist()]
    if cells.missing is None:
        return values
    return [None if is_missing else cell for cell, is_missing in zip(values, cells.missing.tolist(), strict=True)]


def _parts(cells: Cells, order: str) -> NDArray[np.float64]:
    """Year, month, weekday, hour and days of each cell, NaN where there is no value."""
    known: dict[str | None, tuple[float, ...]] = {None: (np.nan,) * len(PARTS)}
    texts = _texts(cells)
    for row, cell in enumerate(texts):
        if cell not in known:
            assert cell is not None
            date = date_in(cell, order)
            if date is None:
                raise cells.error(WANTED if order == YEAR_FIRST else f"{WANTED}, the {order} as elsewhere", row)
            known[cell] = _numbers(date)
    return np.array([known[cell] for cell in texts], dtype=np.float64).reshape(len(texts), len(PARTS))


def _numbers(date: datetime.datetime) -> tuple[float, ...]:
    seconds = date.hour * 3600 + date.minute * 60 + date.second + date.microsecond * 1e-6
    days = date.toordinal() + seconds / SECONDS_A_DAY
    return float(date.year), float(date.month), float(date.weekday()), float(date.hour), days

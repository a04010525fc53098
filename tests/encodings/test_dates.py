"""Dates in the orders that people write, and what they become."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from empirisk.data.errors import DataError
from empirisk.encodings.cells import Cells
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.dates import Date, date_from_json, date_in, fit_date

USUAL = ColumnChoices()


def cells(*texts: str, missing: list[bool] | None = None) -> Cells:
    mask = None if missing is None else np.array(missing)
    return Cells("sold", np.array(texts, dtype=object), mask, "t.csv")


def test_the_parts_of_a_date():
    column = fit_date(cells("2024-02-29 18:30:00", "2024-02-28", "2024-03-04T06:00"), USUAL)
    assert column.feature_names() == ("sold year", "sold month", "sold weekday", "sold hour", "sold days")
    expected = [[2024, 2, 3, 18, 1 + 18.5 / 24], [2024, 2, 2, 0, 0], [2024, 3, 0, 6, 5.25]]
    block = column.encode(cells("2024-02-29 18:30:00", "2024-02-28", "2024-03-04T06:00"), "error")
    np.testing.assert_allclose(block, expected, rtol=0, atol=1e-9)
    assert column.encode(cells("2024-02-27"), "error")[0, 4] == -1.0  # before the first of the fit


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("2024-01-31", "year first"),
        ("2024/1/31", "year first"),
        ("20240131", "year first"),
        ("31.1.2024", "day first"),
        ("31/01/2024", "day first"),
        ("31 Jan 2024", "day first"),
        ("31-January-2024", "day first"),
        ("01/31/2024", "month first"),
        ("Jan 31, 2024", "month first"),
        (" january 31 2024 ", "month first"),
    ],
)
def test_orders(text, order):
    assert date_in(text, order) == datetime.datetime(2024, 1, 31)
    assert fit_date(cells(text), USUAL).order == order


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("T17:05", (17, 5, 0, 0)),
        (" 17:05:09", (17, 5, 9, 0)),
        ("T17:05:09.25Z", (17, 5, 9, 250000)),
        (" 5:05 pm", (17, 5, 0, 0)),
        (" 12:00 AM", (0, 0, 0, 0)),
        (", 17:05", (17, 5, 0, 0)),
        ("T17:05:09+02:00", (17, 5, 9, 0)),
    ],
)
def test_times(time, expected):
    assert date_in("2024-01-31" + time, "year first") == datetime.datetime(2024, 1, 31, *expected)


@pytest.mark.parametrize(
    "text", ["", "x", "2024-02-30", "2024-13-01", "2024-01-31 25:00", "2024-01-31 13:00 pm", "24-01-31", "1706659200"]
)
def test_what_is_no_date(text):
    assert all(date_in(text, order) is None for order in ("year first", "day first", "month first"))


def test_a_bad_cell_has_its_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sold\n2024-01-31\n2024-01-32\n")
    bad = cells("2024-01-31", "2024-01-32")._replace(path=str(path))
    with pytest.raises(DataError, match=r"t.csv:3: column 'sold': expected a date such as .*, found '2024-01-32'"):
        fit_date(bad, USUAL)


def test_day_and_month_are_told_apart_by_the_whole_column_or_not_at_all():
    assert fit_date(cells("01/02/2024", "13/02/2024"), USUAL).order == "day first"
    assert fit_date(cells("01/02/2024", "01/13/2024"), USUAL).order == "month first"
    assert fit_date(cells("01.02.2024"), USUAL).order == "day first"
    assert fit_date(cells("02/02/2024"), USUAL).order in ("day first", "month first")  # the same either way
    with pytest.raises(DataError, match=r"that tell the day from the month, found '01/02/2024'"):
        fit_date(cells("01/02/2024", "03/04/2024"), USUAL)
    column = fit_date(cells("13/02/2024"), USUAL)
    with pytest.raises(DataError, match=r"the day first as elsewhere, found '02/13/2024'"):
        column.encode(cells("02/13/2024"), "error")


def test_numbers_that_are_dates():
    column = fit_date(Cells("sold", np.array([20240131.0, 20240201.0]), None, "t.csv"), USUAL)
    assert column.order == "year first"


def test_missing_dates_are_filled_part_by_part_and_flagged():
    given = cells("2024-01-01", "?", "2024-01-03", missing=[False, True, False])
    column = fit_date(given, ColumnChoices(missing="indicator"))
    block = column.encode(given, "error")
    assert column.feature_names()[-1] == "sold is missing"
    np.testing.assert_array_equal(block[1], [2024, 1, 1, 0, 1, 1])
    np.testing.assert_array_equal(block[:, -1], [0, 1, 0])
    assert not column.needs_values()
    assert fit_date(given, USUAL).needs_values()


def test_json():
    column = fit_date(cells("2024-01-01", "?", missing=[False, True]), ColumnChoices(missing="mean"))
    assert date_from_json("sold", column.to_json()) == column
    good = Date("sold", "year first", 1.0).to_json()
    for forged in ({"order": "any"}, {"first": 1}, {"filling": {}}, {"code": 1}, {"first": float("nan")}):
        with pytest.raises(ValueError, match=r"."):
            date_from_json("sold", {**good, **forged})

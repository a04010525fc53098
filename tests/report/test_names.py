"""Names in little room: short, and still told apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from empirisk.report.charts import NAME_COLUMNS, bar_chart
from empirisk.report.markup import width
from empirisk.report.names import LEAST_COLUMNS, told_apart

LONG = "the mean temperature of the surface in the month of "


def test_names_that_fit_are_as_they_are():
    assert told_apart(["a", "b", "x" * 26], 26) == ["a", "b", "x" * 26]


def test_the_middle_goes_first():
    assert told_apart([f"{LONG}May", f"{LONG}June"], 20) == ["the mean t\u2026th of May", "the mean t\u2026h of June"]


def test_names_that_differ_in_the_middle():
    shown = told_apart([f"{LONG}{month} at the station of Berlin" for month in ("May", "June")], 20)
    assert shown == ["the m\u2026May at the st\u2026", "the m\u2026June at the s\u2026"]


def test_names_that_differ_in_two_places_get_numbers_at_last():
    names = [f"{a}{LONG}{b}{LONG}{c}" for a in "xy" for b in "12" for c in "12"]
    shown = told_apart([name + LONG for name in names], 12)
    assert len(set(shown)) == len(names)


@given(st.lists(st.text("ab\u4e2d", max_size=40), max_size=12), st.integers(LEAST_COLUMNS, 30))
def test_different_names_stay_different(names, columns):
    shown = told_apart(names, columns)
    assert all(width(one) <= columns for one in shown)
    assert len(set(shown)) == len(set(names))
    for name, one in zip(names, shown, strict=True):
        assert one == name or width(name) > columns or "\u2026" in one


def test_bars_of_long_names_are_told_apart_and_have_the_whole_name_as_a_title():
    names = [f"{LONG}{month}" for month in ("May", "June", "July")]
    drawn = bar_chart([(name, 1.0) for name in names], title="t", x_label="x")
    for name, short in zip(names, told_apart(names, NAME_COLUMNS), strict=True):
        assert f"<title>{name}: 1</title>" in drawn
        assert drawn.count(f">{short}</text>") == 1


def test_little_room_has_the_beginnings():
    assert told_apart(["abcdef", "abcdeg"], 4) == ["abc\u2026", "abc\u2026"]

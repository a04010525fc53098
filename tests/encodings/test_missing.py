"""Missing values: filled, flagged, left out, or refused with all columns named."""

from __future__ import annotations

import io

import numpy as np
import pytest

from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.columns import columns_from_json, fit_columns
from empirisk.encodings.missing import filling_from_json


def table(text: str):
    return read_csv(io.BytesIO(text.encode()))._replace(path="t.csv")


GAPS = table("age,color,n\n1,red,5\n,red,5\n3,?,5\n8,blue,5\n")


def fitted(missing, given=GAPS, **asked):
    columns = fit_columns(given, (), ColumnChoices(missing=missing, **asked))
    assert columns_from_json(columns.to_json()) == columns
    return columns


def test_the_mean_the_median_and_the_most_frequent_category():
    expected = [[1, 0, 1, 5], [4, 0, 1, 5], [3, 0, 1, 5], [8, 1, 0, 5]]
    np.testing.assert_array_equal(fitted("mean").encode(GAPS), expected)
    expected[1][0] = 3
    np.testing.assert_array_equal(fitted("median").encode(GAPS), expected)
    assert fitted("mean").feature_names == ("age", "color=blue", "color=red", "n")


def test_the_indicator_flags_what_was_missing_in_the_fit():
    columns = fitted("indicator")
    assert columns.feature_names == ("age", "age is missing", "color=blue", "color=red", "color is missing", "n")
    expected = [[1, 0, 0, 1, 0, 5], [4, 1, 0, 1, 0, 5], [3, 0, 0, 0, 1, 5], [8, 0, 1, 0, 0, 5]]
    np.testing.assert_array_equal(columns.encode(GAPS), expected)
    np.testing.assert_array_equal(columns.encode(table("age,color,n\n1,red,?\n")), [[1, 0, 0, 1, 0, 5]])


def test_what_was_never_missing_in_the_fit_is_filled_all_the_same():
    whole = table("a,c\n1,x\n3,y\n5,y\n")
    columns = fitted("indicator", whole)
    assert columns.feature_names == ("a", "c=x", "c=y")
    np.testing.assert_array_equal(columns.encode(table("a,c\n,\n")), [[3, 0, 1]])


def test_numbers_as_categories():
    given = table("zip,a\n1,1\n2,1\n2,1\n?,1\n")
    np.testing.assert_array_equal(fitted("mean", given, categorical=("zip",)).encode(given)[3], [0, 1, 1])
    assert fitted("indicator", given, categorical=("zip",)).feature_names[:3] == ("zip=1", "zip=2", "zip is missing")
    with pytest.raises(DataError, match=r"t.csv: .*'zip' \(1 of 4 rows\)"):
        fitted("error", given, categorical=("zip",)).encode(given)


def test_without_a_rule_text_stays_as_it_is_and_numbers_are_refused():
    columns = fitted("error")
    assert columns.feature_names == ("age", "color=?", "color=blue", "color=red", "n")
    assert columns.lacking(GAPS) == ["age"]
    with pytest.raises(DataError, match=r"the column 'age' \(1 of 4 rows\); the model was fitted without a rule"):
        columns.encode(GAPS)


def test_rows_are_dropped_before_categories_are_found():
    columns = fitted("drop")
    assert columns.feature_names == ("age", "color=blue", "color=red", "n")
    kept = columns.complete(GAPS)
    np.testing.assert_array_equal(kept, [True, False, False, True])
    np.testing.assert_array_equal(columns.encode(GAPS.of_rows(kept)), [[1, 0, 1, 5], [8, 1, 0, 5]])
    with pytest.raises(DataError, match=r"'age' .*'color' .*missing='drop': leave these rows out"):
        columns.encode(GAPS)
    with pytest.raises(DataError, match="expected some row with a value in every column"):
        fitted("drop", table("a,b\n1,?\n?,2\n"))


def test_columns_that_are_not_used_drop_no_rows():
    columns = fitted("drop", drop=("color",))
    np.testing.assert_array_equal(columns.complete(GAPS), [True, False, True, True])


def test_lines_count_the_rows_that_were_dropped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,c\n1,x\n?,x\n2,z\n")
    columns = fit_columns(table("a,c\n1,x\n2,y\n"), (), ColumnChoices(missing="drop"))
    read = read_csv(path)
    with pytest.raises(DataError, match=r"t.csv:4: column 'c': .* found 'z'"):
        columns.encode(read.of_rows(columns.complete(read)))


@pytest.mark.parametrize("missing", ["mean", "median", "indicator"])
def test_a_column_without_any_value_cannot_be_filled(missing):
    for asked in ({}, {"categorical": ("a",)}):
        with pytest.raises(DataError, match=r"column 'a': expected some value in this column, found none; drop="):
            fitted(missing, table("a,b\n,1\n?,2\n"), **asked)


def test_huge_numbers_have_a_mean():
    given = table("a\n1.7e308\n1.7e308\n?\n")
    assert fitted("mean", given).encode(given)[2, 0] == pytest.approx(1.7e308)


@pytest.mark.parametrize(
    "forged", [{}, {"values": [1.0]}, {"values": [1], "has_flag": True}, {"values": [], "has_flag": True}, 3]
)
def test_forged_fillings(forged):
    with pytest.raises(ValueError, match=r"."):
        filling_from_json(forged, 1)

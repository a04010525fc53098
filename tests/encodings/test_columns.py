"""Tables become matrices, and other tables become the same ones."""

from __future__ import annotations

import functools
import io

import numpy as np
import pytest
import scipy.sparse

from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from empirisk.data.lines import line_of
from empirisk.data.table import Table
from empirisk.encodings.categories import Category
from empirisk.encodings.cells import first_word
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.columns import Columns, columns_from_json, fit_columns
from empirisk.encodings.numbers import Number
from empirisk.protocols import Unsupported


def table(text: str, name: str = "memory.csv") -> Table:
    return read_csv(io.BytesIO(text.encode()))._replace(path=name)


@functools.cache
def fruit() -> Table:
    return table("color,size,label\nred,1,a\nblue,2.5,b\nred,-3,a\n")


def test_numbers_stay_and_text_becomes_one_column_for_each_category():
    columns = fit_columns(fruit(), exclude=["label"])
    assert columns.names == ("color", "size")
    assert columns.feature_names == ("color=blue", "color=red", "size")
    matrix = columns.encode(fruit(), ignore=["label"])
    np.testing.assert_array_equal(matrix, [[0, 1, 1], [1, 0, 2.5], [0, 1, -3]])
    assert matrix.flags.c_contiguous
    assert matrix.dtype == np.float64


def test_columns_are_matched_by_name_whatever_their_order():
    columns = fit_columns(fruit(), exclude=["label"])
    shuffled = Table(("label", "size", "color"), tuple(fruit().columns[i] for i in (2, 1, 0)), "other.csv")
    np.testing.assert_array_equal(columns.encode(shuffled, ignore=["label"]), columns.encode(fruit(), ignore=["label"]))


def test_many_categories_are_stored_sparse_with_the_same_values():
    cells = np.array([f"c{i % 9}" for i in range(20)], dtype=object)
    numbers = np.where(np.arange(20) % 3, np.arange(20.0), 0.0)
    wide = Table(("name", "number"), (cells, numbers), "wide.csv")
    columns = fit_columns(wide)
    assert columns.is_sparse()
    matrix = columns.encode(wide)
    assert scipy.sparse.issparse(matrix)
    assert matrix.has_canonical_format
    assert matrix.indices.dtype == np.int32  # as a reader of sparse files gives: no machine code of its own
    expected = np.zeros((20, 10))
    expected[np.arange(20), np.arange(20) % 9] = 1.0
    expected[:, 9] = numbers
    np.testing.assert_array_equal(matrix.toarray(), expected)
    unseen = wide._replace(columns=(np.full(20, "new", dtype=object), numbers))
    np.testing.assert_array_equal(columns.encode(unseen, "zero").toarray()[:, :9], 0.0)


def test_exactly_a_quarter_full_is_dense():
    assert not Columns((Category("a", tuple("abcd")),)).is_sparse()
    assert Columns((Category("a", tuple("abcde")),)).is_sparse()


def test_missing_columns_are_named():
    columns = fit_columns(fruit(), exclude=["label"])
    with pytest.raises(DataError, match=r"memory.csv:1: expected the columns 'color', 'size' of the fit, found none"):
        columns.encode(table("label\na\n"), ignore=["label"])
    with pytest.raises(DataError, match=r"expected the column 'size' of the fit"):
        columns.encode(table("color\nred\n"))


def test_extra_columns_are_listed_unless_they_are_to_be_ignored():
    columns = fit_columns(fruit(), exclude=["label"])
    more = table("color,size,label,p,q,r,s,t,u\nred,1,a,1,2,3,4,5,6\n")
    with pytest.raises(DataError, match=r"found also the columns 'p', 'q', 'r', 's', 't', \.\.\. \(6 in all\)"):
        columns.encode(more, ignore=["label"])
    np.testing.assert_array_equal(columns.encode(more, ignore_new=True), [[0, 1, 1]])


def test_an_unseen_category_is_an_error_with_its_place(tmp_path):
    columns = fit_columns(fruit(), exclude=["label"])
    path = tmp_path / "new.csv"
    path.write_text('color,size\n"red",1\n\n"gr\nay",2\n')
    with pytest.raises(DataError) as caught:
        columns.encode(read_csv(path))
    assert (caught.value.line, caught.value.column) == (4, "color")
    assert "expected a category of the fit ('blue', 'red'), found 'gr\\nay'" in str(caught.value)
    np.testing.assert_array_equal(columns.encode(read_csv(path), "zero"), [[0, 1, 1], [0, 0, 2]])


def test_where_the_file_cannot_be_read_again_the_row_is_named():
    columns = fit_columns(fruit(), exclude=["label"])
    with pytest.raises(DataError, match=r"^memory.csv: column 'color': .* found 'pink' in row 2 of the data; unknown="):
        columns.encode(table("color,size\nred,1\npink,1\n"))


def test_text_in_a_numeric_column_is_an_error():
    columns = fit_columns(fruit(), exclude=["label"])
    with pytest.raises(DataError, match=r"column 'size': expected a number as in the data of the fit, found 'big'"):
        columns.encode(table("color,size\nred,big\n"))
    with pytest.raises(DataError, match=r"column 'size': .* found '1-2' in row 2 of the data"):
        columns.encode(table("color,size\nred,1\nred,1-2\nred,3\n"))


def test_categories_that_look_like_numbers_are_found_by_value():
    houses = table("house\n12\n12a\n14\n12\n" + "x\n" * 9)
    columns = fit_columns(houses)
    assert columns.columns[0].values == ("12", "12a", "14", "x")
    np.testing.assert_array_equal(columns.encode(table("house\n14\n12\n")), [[0, 0, 1, 0], [1, 0, 0, 0]])
    with pytest.raises(DataError, match=r"\('12', '12a', '14', 'x'\), found '13'"):
        columns.encode(table("house\n13\n"))


def test_numbers_that_do_not_tell_two_categories_apart_are_refused():
    columns = Columns((Category("code", ("1", "1.0", "x")),))
    with pytest.raises(DataError, match=r"numbers only, which do not tell '1', '1.0' apart"):
        columns.encode(table("code\n1\n2\n"))


def test_long_categories_are_shortened():
    columns = Columns((Category("text", tuple(sorted("abcdefgh"))),))
    with pytest.raises(DataError, match=r"\('a', 'b', 'c', 'd', 'e', \.\.\. \(8 in all\)\), found 'z{40}\.\.\.'"):
        columns.encode(table("text\n" + "z" * 99 + "\n"))


def test_a_table_of_labels_alone_is_refused():
    with pytest.raises(DataError, match=r"expected columns to learn from besides 'label', found none"):
        fit_columns(table("label\na\n"), exclude=["label"])


def test_unknown_must_be_error_or_zero():
    with pytest.raises(ValueError, match="unknown must be 'error' or 'zero'"):
        fit_columns(fruit()).encode(fruit(), "ignore")


def test_lines_of_rows(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_bytes(b'\r\na,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n')
    assert [line_of(str(path), row) for row in range(3)] == [3, 6, None]


@pytest.mark.parametrize(
    ("cells", "row"), [(["1", "x"], 1), (["1e3", " 2 ", "nan"], 2), (["1_0"], 0), (["", "1"], 0), (["1", "2"], 0)]
)
def test_the_first_cell_that_is_no_number(cells, row):
    assert first_word(np.array(cells, dtype=object)) == row


PEOPLE = table("id,zip,age,y\n7,10,30,a\n8,20,31,b\n9,10,32,a\n")


def chosen(**asked):
    return ColumnChoices(**{name: (value,) if isinstance(value, str) else value for name, value in asked.items()})


def test_columns_are_left_out_by_name_and_other_tables_may_still_hold_them():
    columns = fit_columns(PEOPLE, ["y"], chosen(drop="id"))
    assert (columns.feature_names, columns.dropped) == (("zip", "age"), ("id",))
    np.testing.assert_array_equal(columns.encode(PEOPLE, ignore=["y"]), [[10, 30], [20, 31], [10, 32]])
    np.testing.assert_array_equal(columns.encode(table("age,zip\n1,2\n")), [[2, 1]])
    assert fit_columns(PEOPLE, ["y"], chosen(only="age")).dropped == ("id", "zip")


@pytest.mark.parametrize("asked", ["id,zip", ("id", "zip"), " zip , id ,", ("zip", "zip,id")])
def test_names_are_repeated_or_come_with_commas(asked):
    assert fit_columns(PEOPLE, ["y"], chosen(drop=asked)).names == ("age",)


def test_a_name_with_a_comma_is_one_name():
    odd = table('"a,b",a,b\n1,2,3\n')
    assert fit_columns(odd, (), chosen(drop="a,b")).names == ("a", "b")


def test_numbers_become_categories_by_their_value_and_in_their_order():
    columns = fit_columns(PEOPLE, ["y", "id"], chosen(categorical="zip"))
    assert columns.feature_names == ("zip=10", "zip=20", "age")
    again = table("zip,age\n2e1,1\n10.0,2\n")
    np.testing.assert_array_equal(columns.encode(again), [[0, 1, 1], [1, 0, 2]])
    with pytest.raises(DataError, match=r"\('10', '20'\), found 'x' in row 1 .* unknown='zero'"):
        columns.encode(table("zip,age\nx,1\n10.0,2\n"))
    np.testing.assert_array_equal(columns.encode(table("zip,age\nx,1\n10.0,2\n"), "zero"), [[0, 0, 1], [1, 0, 2]])
    assert fit_columns(table("a\n10\n9\n-0.0\n0\n1e300\n0.5\n"), (), chosen(categorical="a")).feature_names == (
        *("a=0", "a=0.5", "a=9", "a=10", "a=1e+300"),
    )


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ({"drop": "aeg"}, DataError, r"the column 'aeg' of drop=\.\.\., found none of this name; did you mean 'age'\?"),
        ({"drop": "nope"}, DataError, r"found none of this name; the columns are 'id', 'zip', 'age', 'y'$"),
        ({"only": "AGE"}, DataError, r"the column 'AGE' of only=\.\.\., .* did you mean 'age'\?"),
        (
            {"categorical": "salary"},
            DataError,
            r"'salary' of categorical=\.\.\., found none of this name; the columns are 'id', .*",
        ),
        ({"drop": ""}, DataError, "the column '' of drop"),
        ({"drop": "y"}, Unsupported, r"drop=\.\.\. names the column 'y', which is the label or the weights"),
        ({"drop": "id", "categorical": "id"}, Unsupported, r"categorical=.* 'id', which drop=\.\.\. names too"),
        ({"only": "id", "categorical": "age"}, Unsupported, r"'age', which is not among those of only"),
        ({"drop": "id,zip,age"}, DataError, "expected columns to learn from besides 'y', 'id', 'zip', 'age', found"),
    ],
)
def test_choices_that_do_not_fit_the_table(asked, kind, said):
    with pytest.raises(kind, match=said):
        fit_columns(PEOPLE, ["y"], chosen(**asked))


def ids(n_values: int, n_rows: int, names: str = "name") -> Table:
    cells = np.array([f"c{i % n_values}" for i in range(n_rows)], dtype=object)
    return Table(tuple(names), (cells,) * len(names), "ids.csv")


def test_almost_as_many_texts_as_rows_are_ids_and_the_ways_out_are_named():
    with pytest.raises(DataError, match=r"column 'i': .* 51 different texts in 100 rows, .*drop=.*categorical=") as one:
        fit_columns(ids(51, 100, "i"))
    assert one.value.column == "i"
    with pytest.raises(DataError, match=r"half of the 100 rows in the columns 'i', 'j', as ids"):
        fit_columns(ids(99, 100, "ij"))
    assert fit_columns(ids(51, 100, "i"), (), chosen(categorical="i")).columns[0].width() == 51


@pytest.mark.parametrize(("n_values", "n_rows"), [(50, 100), (49, 49), (1000, 2000)])
def test_small_tables_and_categories_that_repeat_are_not_bothered(n_values, n_rows):
    assert fit_columns(ids(n_values, n_rows, "i")).columns[0].width() == n_values


def test_columns_of_the_first_version():
    old = [["size", None], ["color", ["", "red"]]]
    assert columns_from_json(old).columns == (Number("size"), Category("color", ("", "red")))


def test_columns_survive_json():
    columns = fit_columns(PEOPLE, ["y"], chosen(categorical="zip", drop="id"))
    assert columns_from_json(columns.to_json()) == columns

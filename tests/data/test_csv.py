"""The CSV reader against the csv module and `float`, and the place and the sentence of every error."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from tests.data.outcomes import error_of, read_or_error

compiling = settings(deadline=None)  # the first example pays for the compiler

pytestmark = pytest.mark.compiled

# A lone carriage return is text here and a line end to the csv module; an isolated surrogate is no UTF-8.
characters = st.one_of(st.sampled_from('",\n ab'), st.characters(codec="utf-8", exclude_characters="\r"))
words = st.text(characters, max_size=8).map(lambda cell: "w" + cell)  # never a number
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**53), 2**53).map(str),
    st.sampled_from(["+1", ".5", "1.", "1e-3", "5e-324", " 7", "8\t", "0.1234567890123456789012345"]),
)


@st.composite
def tables(draw):
    """Rows of cells, each column either numbers or words, and the text that the csv module makes of them."""
    kinds = draw(st.lists(st.sampled_from([numbers, words]), min_size=1, max_size=4))
    names = draw(st.lists(words.map(str.strip), min_size=len(kinds), max_size=len(kinds), unique=True))
    rows = draw(st.lists(st.tuples(*kinds), min_size=1, max_size=6))
    stream = io.StringIO(newline="")
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    csv.writer(stream, lineterminator=draw(st.sampled_from(["\n", "\r\n"])), quoting=quoting).writerows([names, *rows])
    return [kind is numbers for kind in kinds], names, rows, stream.getvalue().encode()


def read(text):
    return read_csv(io.BytesIO(text.encode() if isinstance(text, str) else text))


def in_column(cells):
    """A table whose second column holds these cells; they start on line 2."""
    return "id,x\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))


@compiling
@given(tables(), st.booleans(), st.booleans())
def test_equals_the_csv_module(table, has_mark, lacks_line_end):
    is_numeric, names, rows, text = table
    text = text.removesuffix(b"\n").removesuffix(b"\r") if lacks_line_end else text
    found = read_csv(io.BytesIO(b"\xef\xbb\xbf" + text if has_mark else text), separator=",")
    assert found.names == tuple(names)
    assert len(found.columns) == len(names)
    for column, numeric, cells in zip(found.columns, is_numeric, zip(*rows, strict=True), strict=True):
        if numeric:
            assert column.dtype == np.float64
            assert column.tobytes() == np.array([float(cell) for cell in cells]).tobytes()
        else:
            assert column.dtype == object
            assert column.tolist() == list(cells)


def test_a_path_and_many_rows(tmp_path):
    rng = np.random.default_rng(0)
    values, colors = rng.normal(size=5000), rng.choice(["red", "green", '"blue", or so'], 5000)
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("value", "color"), *zip(values.tolist(), colors, strict=True)])
    table = read_csv(path)
    assert table.path == str(path)
    assert table.names == ("value", "color")
    assert table.columns[0].tobytes() == values.tobytes()
    assert table.columns[1].tolist() == colors.tolist()
    with path.open("a") as stream:
        stream.write("1,red,2\n")
    with pytest.raises(DataError) as caught:
        read_csv(str(path))
    assert str(caught.value) == f"{path}:5002: expected 2 fields as in the header, found 3"


def test_quoted_text_is_verbatim_and_names_are_trimmed():
    table = read(' a ," b"\n" x ",5" \n')
    assert table.names == ("a", "b")
    assert [column.tolist() for column in table.columns] == [[" x "], ['5"']]


def test_quotes_are_no_type():
    table = read('a,b\n"1.5","x"\n" 2 ",x\n')
    assert table.columns[0].tolist() == [1.5, 2.0]
    assert table.columns[1].tolist() == ["x", "x"]


def test_an_empty_quoted_cell_beside_an_empty_cell():
    table = read('a,b\n"",\n,""\n"""",x\n')
    assert table.columns[0].tolist() == ["", "", '"']
    assert table.columns[1].tolist() == ["", "", "x"]


def test_empty_lines_are_skipped_and_counted():
    table = read("\r\n\na,b\n\n1,2\n\r\n3,4\n\n")
    assert [column.tolist() for column in table.columns] == [[1, 3], [2, 4]]
    assert error_of(read, "\n\na,b\n\n1,2\n\n3\n").line == 7


def test_wide_rows_among_many_empty_lines_take_no_more_room_than_bytes():
    names = ",".join(f"c{j}" for j in range(20_000))
    table = read(names + "\n" * 3_000_000 + ",".join("5" * 20_000))
    assert all(column.tolist() == [5.0] for column in table.columns)


def test_more_than_a_few_words_make_a_column_text():
    cells = ["12", "12a", "", "14"] * 10
    assert read(in_column(cells)).columns[1].tolist() == cells
    many = ["1"] * 2000 + ["word"] * 11
    assert read(in_column(many)).columns[1].tolist() == many
    undecided = ["5e-324", "word"]
    assert read(in_column(undecided)).columns[1].tolist() == undecided


def test_lines_within_quotes_count():
    error = error_of(read, 'a,b\n"one\ntwo\n\nthree",1\nx,y,z\n')
    assert (error.line, error.column) == (6, None)
    error = error_of(read, 'a,b\n"one\ntwo",1\nx,inf\n')
    assert (error.line, error.column) == (4, "b")


@pytest.mark.parametrize("text", ["", "\n\n", "\r\n", "\ufeff"])
def test_an_empty_file(text):
    error = error_of(read, text)
    assert (error.line, error.column) == (1, None)
    assert str(error) == "<stream>:1: expected a header with the names of the columns, found an empty file"


@pytest.mark.parametrize(("text", "line"), [("a,b", 2), ("a,b\n", 2), ("a,b\n\n\n", 4)])
def test_a_header_without_rows(text, line):
    error = error_of(read, text)
    assert (error.line, error.column) == (line, None)
    assert error.message == "expected rows of data after the header, found none"


def test_names_must_be_there_and_differ():
    error = error_of(read, "a,,c\n1,2,3\n")
    assert str(error) == "<stream>:1:3: expected a name for column 2, found none"
    error = error_of(read, 'a,b," a"\n1,2,3\n')
    assert str(error) == "<stream>:1: column 'a': expected each name once, found columns 1 and 3 of this name"
    error = error_of(read, "0,tcp,0\n1,udp,3\n")
    assert error.message.endswith("columns 1 and 3 of this name; the first line must have the names of the columns")


@pytest.mark.parametrize(("row", "found"), [("1", 1), ("1,2", 2), ("1,2,3,", 4), ("1,2,3,4,5", 5), (" ", 1)])
def test_ragged_rows(row, found):
    error = error_of(read, f"a,b,c\n1,2,3\n{row}\n1,2,3\n")
    assert (error.line, error.column) == (3, None)
    assert error.message == f"expected 3 fields as in the header, found {found}"


@pytest.mark.parametrize("cell", ["NA", "n/a", "null", "None", "?", "NaN", "-nan", " ", "-", ".", '""'])
@pytest.mark.parametrize("share", [1, 30])
def test_missing_values_among_numbers(cell, share):
    table = read(in_column(["1"] * 40 + [cell] * share))
    numbers, mask = table.columns[1], table.mask("x")
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(mask, np.arange(40 + share) >= 40)
    np.testing.assert_array_equal(numbers, np.where(mask, np.nan, 1.0))
    assert table.mask("id") is None
    assert table.without_value() == ("x",)


def test_missing_values_among_text_stay_as_they_are():
    cells = ["red", "?", "", "none", "NA", " n/a ", "-"]
    table = read(in_column(cells))
    assert table.columns[1].tolist() == [cell.strip() for cell in cells]
    assert table.mask("x").tolist() == [False, True, True, False, True, True, False]
    assert table.without_value() == ()


def test_a_column_without_any_value_can_be_either():
    table = read("a,b\nNaN,1\n,2\n")
    assert table.columns[0].tolist() == ["NaN", ""]
    assert table.mask("a").tolist() == [True, True]
    assert np.isnan(table.numbers("a")).all()
    assert table.without_value() == ("a",)


def test_what_is_missing_can_be_said():
    text = in_column(["1", "-999", "unknown", "", "-999.0", "2"])
    with pytest.raises(DataError):
        read("id,x\n" + "1,2\n" * 99 + "2,unknown\n")
    table = read_csv(io.BytesIO(text.encode()), na=["UNKNOWN", "-999"])
    assert table.mask("x").tolist() == [False, True, True, True, True, False]
    np.testing.assert_array_equal(table.columns[1], [1, np.nan, np.nan, np.nan, np.nan, 2])
    words = read_csv(io.BytesIO(in_column(["?", "-999", "a", "b"]).encode()), na=["-999"])
    assert words.columns[1].tolist() == ["?", "-999", "a", "b"]
    assert words.mask("x").tolist() == [False, True, False, False]
    whole = read_csv(io.BytesIO(in_column(["-999", "3"]).encode()), na=["-999"])  # no cell was in doubt
    assert whole.mask("x").tolist() == [True, False]


def test_columns_that_are_wanted_verbatim():
    table = read_csv(io.BytesIO(in_column(["007", "1e2", "?"]).encode()), verbatim=["x", "other"])
    assert table.columns[1].tolist() == ["007", "1e2", "?"]
    assert table.columns[0].dtype == np.float64


@pytest.mark.parametrize("share", [1, 30])
@pytest.mark.parametrize("cell", ["inf", "-Infinity", " +inf"])
def test_infinite_numbers_are_mistakes_however_many(cell, share):
    error = error_of(read, in_column(["1"] * 40 + [""] + [cell] * share))
    assert (error.line, error.column) == (43, "x")
    assert error.message == f"expected a finite number as in most of this column, found {cell.strip()!r}"


def test_a_typing_error_among_numbers():
    cells = ["1.5"] * 100
    cells[70] = "1.O"
    cells[60] = ""  # is missing, and no mistake
    error = error_of(read, in_column(cells))
    assert (error.line, error.column) == (72, "x")
    assert error.message == "expected a number as in most of this column, found '1.O'"
    cells[80] = "l.5"  # two in a hundred are categories
    assert read(in_column(cells)).columns[1].tolist() == cells
    error = error_of(read, in_column(["1"] * 2000 + ["z" * 50] * 10))
    assert (error.line, error.column) == (2002, "x")
    assert error.message.endswith("found '" + "z" * 40 + "...'")


def test_a_number_beyond_float64():
    error = error_of(read, in_column(["1", "5e-324", "-1e999", "1e999"]))
    assert (error.line, error.column) == (4, "x")
    assert error.message == "expected a number within the range of float64, found '-1e999'"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [(b"a,b\n1,\xff\n", 2, 3), (b"\xfea\x00", 1, 1), ("a,b\né,".encode() + b"\xc3\n", 2, 4)],
)
def test_bytes_that_are_not_utf8(text, line, column):
    error = error_of(read, text)
    assert (error.line, error.column) == (line, column)
    assert error.message.startswith("expected text in UTF-8, found the byte 0x")


def test_bytes_that_are_not_utf8_far_into_the_file():
    lines = ["a,b", *["é,1"] * 400_000]
    assert error_of(read, "\n".join(lines).encode() + b"\n1,\xe9").line == 400_002


def test_an_unclosed_quote_is_named_where_it_opens():
    message = "expected a closing quote before the end of the file, found none"
    error = error_of(read, 'a,b\n1,2\n3,"4\n5,6\n')
    assert (error.line, error.column, error.message) == (3, "b", message)
    error = error_of(read, 'a,"b\n1,2\n')
    assert (error.line, error.column, error.message) == (1, 3, message)
    error = error_of(read, 'a,b\n1,2,"3\n')
    assert (error.line, error.column, error.message) == (2, 5, message)


def test_text_after_a_closing_quote():
    error = error_of(read, 'a,b\n1,2\n"3"4,5\n')
    assert (error.line, error.column) == (3, "a")
    assert error.message == "expected a comma or the end of the line after the closing quote"


@compiling
@given(st.one_of(st.binary(max_size=120), st.text('a1.,;\t|"\r\n -e', max_size=120).map(str.encode)))
@example(b'a\n"')
@example(b'"')
@example(b'a\n""\r')
@example(b'a,b\n"1"\r')
def test_any_bytes_are_read_or_refused_in_place(noise):
    found = read_or_error(read, noise)
    if isinstance(found, DataError):
        assert 1 <= found.line <= noise.count(b"\n") + noise.count(b"\r") + 2
    else:
        assert len(found.columns) == len(found.names) == len(set(found.names))
        assert len({len(column) for column in found.columns}) == 1
        for name, column in zip(found.names, found.columns, strict=True):
            if column.dtype == np.float64:
                mask = np.zeros(len(column), bool) if found.mask(name) is None else found.mask(name)
                np.testing.assert_array_equal(np.isfinite(column), ~mask)

"""Separators, encodings, quotes among tabs, row numbers: what the content of a table says of how it is written."""

import codecs
import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data.csv import read_csv
from empirisk.data.dialect import Dialect
from empirisk.data.errors import DataError
from empirisk.data.lines import lines_of
from empirisk.data.table import Table
from tests.data.outcomes import error_of, read_or_error

pytestmark = pytest.mark.compiled


def read(text, **options):
    return read_csv(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def cells_of(table):
    return [column.tolist() for column in table.columns]


@pytest.mark.parametrize(
    ("separator", "name"), [("\t", "tab"), (";", "semicolon"), ("|", "pipe"), (",", None)], ids=["tab", ";", "|", ","]
)
def test_separators_are_found(separator, name):
    rows = [("size", "a,b", "note"), ("1.5", "red", "x"), ("2", "blue; or so", 'y "z"')]
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator, quoting=csv.QUOTE_ALL if separator != "\t" else 0).writerows(rows)
    table = read(stream.getvalue())
    assert table.names == rows[0]
    assert cells_of(table) == [[1.5, 2.0], ["red", "blue; or so"], ["x", 'y "z"']]
    assert table.remarks == (() if name is None else (f"Separator: {name}.",))


def test_the_separator_that_fits_the_rows_is_found():
    assert read("a;x|y;b\n1;2|3;4\n5;6|7;8\n").names == ("a", "x|y", "b")
    assert read("name,first;last\n1;a,2\n1;b,3\n").names == ("name", "first;last")  # both fit: a comma
    assert read('"a;b;c",d\n1,2\n').names == ("a;b;c", "d")
    assert read("a b\n1\n").names == ("a b",)
    assert error_of(read, "a;b\n1;2\n1\n").message == "expected 2 fields as in the header, found 1 between semicolons"


def test_a_separator_can_be_told():
    assert read("a:b;c\n1:2\n", separator=":").names == ("a", "b;c")
    assert read("a;b\n1;2\n", separator=",").names == ("a;b",)
    assert read("a;b\n1;2\n", separator=";").remarks == ()  # nothing was decided
    error = error_of(read, 'a;b\n1;"2"3\n', separator=";")
    assert error.message == "expected a semicolon or the end of the line after the closing quote"


@pytest.mark.parametrize("separator", ["", "ab", "a", "5", " ", '"', "'", ".", "-", "\n", "é"])
def test_what_cannot_separate(separator):
    with pytest.raises(ValueError, match="separator must be one character of punctuation, or tab, comma, semicolon"):
        Dialect(separator=separator).checked()


def test_names_of_separators():
    assert [Dialect(name).checked().separator for name in ("tab", "\\t", "Pipe", ":")] == ["\t", "\t", "|", ":"]


def test_quotes_among_tabs():
    """Most tables with tabs know no quotes: one that is not closed before the next tab is an ordinary character."""
    text = 'label\ttext\nham\t"Go" he said\nspam\t"half\nham\t"whole, ""really"""\nham\t"a\tb"\nham\tend"\n'
    expected = ['"Go" he said', '"half', 'whole, "really"', "a\tb", 'end"']
    assert cells_of(read(text)) == [["ham", "spam", "ham", "ham", "ham"], expected]


def test_decimal_commas_are_no_categories():
    error = error_of(read, "a;b\n1;x\n;y\n2,5;z\n3,25;z\n")
    assert (error.line, error.column) == (4, "a")
    assert error.message == "expected numbers with a decimal point, not a comma, found '2,5'"
    assert read("a;b\n1,5;x\nword;y\n").columns[0].tolist() == ["1,5", "word"]
    assert read_csv(io.BytesIO(b"a;b\n1,5;x\n2,5;y\n"), verbatim=["a"]).columns[0].tolist() == ["1,5", "2,5"]
    assert read('a,b\n"1,5",x\n"2,5",y\n').columns[0].tolist() == ["1,5", "2,5"]


def test_spaces_around_cells():
    table = read('a, "b" ,c\n 1, x ,"  kept "\n2,"y" , z\n')
    assert table.names == ("a", "b", "c")
    assert cells_of(table) == [[1.0, 2.0], ["x", "y"], ["  kept ", "z"]]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(encoding):
    data = "näme,b\né,1\n".encode(encoding)
    assert cells_of(read(data, encoding=encoding)) == [["é"], [1.0]]
    assert read(data, encoding=encoding).names == ("näme", "b")


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_utf_16_is_found(mark):
    kind = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    assert cells_of(read(mark + "a\tb\r\né\t1\r\n".encode(kind))) == [["é"], [1.0]]


def test_bytes_of_another_encoding():
    error = error_of(read, b"a,b\n1,x\n2,\xe9\n")
    assert (error.line, error.column) == (3, 3)
    assert error.message == "expected text in UTF-8, found the byte 0xe9; encoding='latin-1' reads it otherwise"
    error = error_of(read, b"a,b\n1,x\n2,\x81\n", encoding="cp1252")
    assert (error.line, error.column) == (3, 3)
    assert error.message == "expected text in the encoding cp1252, found the bytes 0x81"
    for encoding in ("rot13", "idna", "undefined", "base64", "no such"):
        with pytest.raises(ValueError, match="encoding must be an encoding of text that Python knows"):
            Dialect(encoding=encoding).checked()


@settings(deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["latin-1", "utf-16", "utf-8-sig", "cp1252", "utf-7", "shift_jis"]))
def test_any_bytes_in_any_encoding(noise, encoding):
    found = read_or_error(lambda text: read(text, encoding=encoding), noise)
    assert isinstance(found, (DataError, Table))


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
@pytest.mark.parametrize("numbers", [[0, 1, 2], [1, 2, 3], [17, 4, 911]])
def test_row_numbers_are_left_out_and_said(header, numbers):
    table = read(f"{header},a\n" + "".join(f"{number},x\n" for number in numbers))
    assert table.names == ("a",)
    assert cells_of(table) == [["x"] * 3]
    column = f"the column {header!r}" if header else "the first column, which has no name"
    assert table.remarks == (f"Left out {column}: it numbers the rows.",)


@pytest.mark.parametrize("numbers", [["0", "0"], ["0.5", "1"], ["-1", "0"], ["x", "y"], ["0", ""]])
def test_other_columns_without_a_name(numbers):
    rows = "".join(f"{number},x\n" for number in numbers)
    assert str(error_of(read, ",a\n" + rows)) == "<stream>:1: expected a name for column 1, found none"
    assert read("Unnamed: 0,a\n" + rows).names == ("Unnamed: 0", "a")
    assert read("number,a\n0,1\n1,1\n").names == ("number", "a")


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\n\n1\t2\n3\t4\n",
        'a;b\n"x\ny";2\n3;4\n',
        'a\tb\n"x\t2\n3\t"y\n',
        "a,b\r1,2\r3,4\r",
        'ä,b\n"é\n",2\n3,4\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-8-sig"])
def test_lines_of_rows_in_every_dialect(text, encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    table = read_csv(path, encoding=encoding)
    ends = text.replace("\r", "\n")
    last = ends.count("\n")
    first = 3 if ends.startswith("a\tb\n\n") else 2
    assert len(table.columns[0]) == 2
    assert lines_of(str(path), "csv", [0, 1, 5]) == {0: first, 1: last}

"""CSV as a stream: the standard library's parser as an oracle, kinds of columns, labels, and lines that hold no row."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data.errors import DataError
from empirisk.data.hashing import hashed
from empirisk.data.streams import row_format
from empirisk.data.streams.rows import stream_rows
from tests.data.streams.reading import Trickle, collected, nothing

pytestmark = pytest.mark.interpreted


def told(*args: Any, **options: Any) -> tuple[list[Any], list[str]]:
    """Labels, weights and values by name."""
    rows, errors = collected(*args, features="exact", **options)
    return [row[:3] for row in rows], errors


TEXT = b"""id,age,city,label,w
1,30,Oslo,1,2
2,0,"New York, NY",-1,0.5

3, 41.5 ,Oslo,1,0
"""


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("block_size", [4, 64, 1 << 19])
def test_columns_by_name(size, block_size):
    rows, errors = told(TEXT, "csv", size, block_size, ignore=["id"], weights="w")
    assert errors == []
    assert rows == [
        (1.0, 2.0, {"age": 30.0, "city=Oslo": 1.0}),
        (-1.0, 0.5, {"city=New York, NY": 1.0}),
        (1.0, 0.0, {"age": 41.5, "city=Oslo": 1.0}),
    ]


def test_columns_are_hashed_as_vowpal_wabbit_does():
    (first, *_), _ = collected(TEXT, "csv", ignore=["id", "w"])
    (same,), _ = collected(b"1 | age:30 city:Oslo", "vw")
    assert first[2] == same[2] == {hashed("age") % 2**18: 30.0, hashed("Oslo", hashed("city")) % 2**18: 1.0}


def test_text_numbers_of_columns_and_no_header():
    rows, errors = told(b"5;a;1\n5;b;-1\n", "csv", header=False, label="-1", text=["0"])
    assert (rows, errors) == ([(1.0, 1.0, {"0=5": 1.0, "1=a": 1.0}), (-1.0, 1.0, {"0=5": 1.0, "1=b": 1.0})], [])
    rows, _ = told(b"x,5,a\ny,1,0\n", "csv", label="1", ignore=["2"])
    assert rows == [(1.0, 1.0, {"x=y": 1.0})]


def test_the_first_cell_that_is_not_empty_says_what_a_column_is():
    rows, errors = told(b"a,b,y\n,,1\n1,x,0\n2,3,1\n,4,1\n", "csv", missing="absent")
    assert errors == []
    assert [row[2] for row in rows] == [{}, {"a": 1.0, "b=x": 1.0}, {"a": 2.0, "b=3": 1.0}, {"b=4": 1.0}]


def test_what_is_settled_is_what_the_rows_said_that_were_met():
    reader = row_format("csv", {"missing": "absent"}).reader()
    rows = list(stream_rows(Trickle(b"a,b,y\n,,1\n1,,0\n2,x,1\n", 100), "x", reader, nothing))
    assert rows[0].n_rows == 3
    assert [reader.settled(n)["kinds"] for n in range(4)] == [
        ["", "", ""],
        ["", "", ""],
        ["number", "", ""],
        ["number", "text", ""],
    ]


def test_labels_that_are_texts():
    rows, errors = told(b"a,class\n1,no\n1,maybe\n2,yes\n", "csv", words={"no": 0.0, "yes": 1.0})
    assert [row[0] for row in rows] == [0.0, 1.0]
    assert errors == ["x:3:3: expected the label 'no' or 'yes', found 'maybe'"]


BAD = {
    "5": "x:3:1: expected 3 fields, found 1",
    "5,a,1,2": "x:3:1: expected 3 fields, found 4",
    "b,a,1": "x:3:1: expected a decimal number in the column 'n', found 'b'; text=... takes the column as categories",
    "nan,a,1": "x:3:1: expected a finite number in the column 'n', found 'nan'",
    "inf,a,1": "x:3:1: expected a finite number in the column 'n', found 'inf'",
    "1e999,a,1": "x:3:1: expected a number within the range of float64, found '1e999,a,1'",
    "9007199254740993,a,1": "x:3:1: expected a number that float64 holds exactly, found '9007199254740993'",
    ",a,1": "x:3:1: expected a value in the column 'n', found an empty cell; missing='absent' leaves it out",
    "1,a,": "x:3:5: expected a value in the column 'y', found an empty cell",
    "1,a,up": "x:3:5: expected a decimal number in the column 'y', found 'up'; classes=... names labels that are texts",
    '1,"a,1': "x:3:3: expected a closing quote before the end of the line, found none",
    '1,"a"b,1': "x:3:3: expected a comma or the end of the line after the closing quote",
}


@pytest.mark.parametrize("line", BAD)
@pytest.mark.parametrize("size", [1, 1000])
def test_a_bad_line_is_told_and_the_others_are_read(line, size):
    rows, errors = told(f"n,c,y\n1,a,1\n{line}\n2,b,0".encode(), "csv", size)
    assert rows == [(1.0, 1.0, {"n": 1.0, "c=a": 1.0}), (0.0, 1.0, {"n": 2.0, "c=b": 1.0})]
    assert len(errors) == 1
    assert errors[0].startswith(BAD[line])


def test_a_negative_weight():
    rows, errors = told(b"w,y\n1,1\n-1,1\n", "csv", weights="w")
    assert (len(rows), errors) == (1, ["x:3:1: expected a weight >= 0, found -1"])


HEADERS = {
    b"a,,y\n": "x:1:1: expected a name for column 2, found none",
    b"a,a,y\n": "x:1:1: expected each name once, found 'a' again",
    b"1,1,0\n": "x:1:1: expected each name once, found '1' again; header=False reads it as a row",
    b"a,b\n": "x:1:1: expected one label column named label, target, class or y, found none among 'a', 'b'",
    b"y,label\n": "x:1:1: expected one label column named label, target, class or y, found more than one",
    b'a,"b\n': "x:1:3: expected a closing quote before the end of the line, found none",
    b"a,\xff,y\n": "x:1:3: expected text in UTF-8, found other bytes",
}


@pytest.mark.parametrize("header", HEADERS)
def test_headers_that_cannot_be(header):
    with pytest.raises(DataError) as error:
        collected(header + b"1,2,3\n", "csv")
    assert str(error.value).startswith(HEADERS[header])


@pytest.mark.parametrize("option", ["label", "weights", "text", "ignore"])
def test_columns_that_are_not_there(option):
    asked = ["z"] if option in ("text", "ignore") else "z"
    with pytest.raises(DataError, match=rf"expected the column 'z' of {option}=..., found the columns 'a', 'y'"):
        collected(b"a,y\n1,1\n", "csv", **{option: asked})


def test_streams_that_disagree_in_columns():
    first = row_format("csv", {"missing": "absent"})
    reader = first.reader()
    list(stream_rows(Trickle(b"a,b,y\n1,,1\n", 100), "x", reader, nothing))
    later = first._replace(settled=reader.settled(1))
    with pytest.raises(DataError, match="x:1:1: expected the columns of the run, 'a', 'b', 'y', found 'a', 'c', 'y'"):
        collected(b"a,c,y\n1,1,1\n", later)
    rows, errors = collected(b"a,b,y\nx,1,1\n2,1,1\n", later)
    assert (len(rows), len(errors)) == (1, 1)
    rows, errors = collected(b"a,b\n3,1\n", later, is_labeled=False)
    assert ([row[2] for row in rows], errors) == ([{hashed("a") % 2**18: 3.0, hashed("b") % 2**18: 1.0}], [])
    with pytest.raises(DataError, match="expected the columns of the run"):
        collected(b"a,y\n3,1\n", later, is_labeled=False)


cells = st.text('ab1 ,;"é', max_size=4).map(str.strip)


@settings(max_examples=60)
@given(st.lists(st.tuples(cells, cells, st.sampled_from(["1", "-2.5", "0.1", "7e22"])), min_size=1), st.integers(1, 40))
def test_the_standard_library_reads_the_same(table, size):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([["a", "b", "y"], *table])
    rows, errors = told(out.getvalue().encode(), "csv", size, 16, text=["a", "b"], missing="absent")
    assert errors == []
    for record, row in zip(table, rows, strict=True):
        expected = defaultdict(float)
        for name, cell in zip("ab", record, strict=False):
            if cell:
                expected[f"{name}={cell}"] = 1.0
        assert row == (float(record[2]), 1.0, expected)

"""Vowpal Wabbit text: the columns of VW 9, a plain parser as an oracle, and lines that hold no row."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data.hashing import hashed
from tests.data.streams.reading import collected

pytestmark = pytest.mark.interpreted

# From vowpalwabbit 9.11 with -b 18 --noconstant, column and value of each feature.
VECTORS = {
    "1 | a b:2 c:0.5": {92594: 1.0, 163331: 2.0, 185951: 0.5},
    "1 | 0 3 12:2 007 4294967295": {0: 1.0, 3: 1.0, 12: 2.0, 7: 1.0, 262143: 1.0},
    "1 |ns a b:2 3:0.5": {180474: 1.0, 50664: 2.0, 120347: 0.5},
    "1 |ns:2 a b:3": {180474: 2.0, 50664: 6.0},
    "1 |ns colour:red size:x:y": {2208: 1.0, 240033: 1.0},
    "1 |12 a 5": {203536: 1.0, 17: 1.0},
    "1 2 'tag |a b |c d:-1.5": {144016: 1.0, 68370: -1.5},
    "1 2 tag|a b": {144016: 1.0},
    "1 |u 99999999999999999999999": {15071: 1.0},
    "1 |é ü:ß naïve": {111498: 1.0, 157367: 1.0},
    "1 |ns 5:text 5a a5 -5 5.0": {159482: 1.0, 146205: 1.0, 98871: 1.0, 125495: 1.0, 134540: 1.0},
    "1 |longer_namespace a ab abc abcd abcde abcdefgh": dict.fromkeys(
        (257940, 213214, 89896, 254843, 208854, 62451), 1.0
    ),
    "1 | x:0 y": {102934: 1.0},
}
OF_30_BITS = {"1 |ns colour:red size:x:y": {728762528: 1.0, 518236577: 1.0}, "1 |é ü:ß": {848147338: 1.0}}


@pytest.mark.parametrize("line", VECTORS)
def test_columns_are_those_of_vowpal_wabbit(line):
    (row,), errors = collected(line.encode(), "vw")
    assert (row[2], errors) == (VECTORS[line], [])


@pytest.mark.parametrize("line", OF_30_BITS)
def test_more_bits(line):
    (row,), _ = collected(line.encode(), "vw", bits=30)
    assert row[2] == OF_30_BITS[line]


def naive(line: str, bits: int) -> tuple[float, float, dict[int, float], dict[str, float]]:
    """Label, weight, and values by column and by name."""
    head, *spaces = line.split("|")
    words = [word for word in head.split() if not word.startswith("'")]
    columns, names = defaultdict(float), defaultdict(float)
    for space in spaces:
        first, *features = re.split(r"[ \t]+", space.rstrip()) if space.strip() else [""]
        name, _, scale = first.partition(":")
        seed = hashed(name)
        for feature in features:
            key, colon, value = feature.partition(":")
            number, column, called = 1.0, hashed(key, seed), key
            if colon and re.match(r"[-+]?[0-9.]", value):
                number = float(value)
            elif colon:
                column, called = hashed(value, column), f"{key}={value}"
            number *= float(scale or 1)
            if number != 0.0:
                columns[column % 2**bits] += number
                names[f"{name}^{called}" if name else called] += number
    return float(words[0]), float(words[1]) if len(words) > 1 else 1.0, dict(columns), dict(names)


def without_zeros(values: dict[Any, float]) -> dict[Any, float]:
    """Products that underflow, and sums, may be zero."""
    return {name: value for name, value in values.items() if value != 0.0}


numbers = st.sampled_from(
    ["1", "-2.5", "0.1", "+3", "1e-3", "12345678901234567890.5", ".5", "4.9e-324", "7e22", "3e-7"]
)
names = st.text("ab1é_=^-", min_size=1, max_size=5)
features = st.one_of(
    names,
    st.builds("{}:{}".format, names, numbers),
    st.builds("{}:{}".format, names, st.text("xyz:é", min_size=1, max_size=6)),
    st.builds("{}:{}".format, st.integers(0, 10**12).map(str), numbers),
)
spaces = st.builds(
    lambda name, scale, parts, blank: f"|{name}{scale}{blank}{blank.join(parts)}",
    names.map(lambda name: name.replace("-", "")).filter(bool),
    st.one_of(st.just(""), numbers.map(lambda number: f":{number}")),
    st.lists(features, max_size=6),
    st.sampled_from([" ", "  ", "\t"]),
) | st.builds(lambda parts: f"| {' '.join(parts)}", st.lists(features, max_size=6))
lines = st.builds(
    lambda label, weight, tag, parts: f"{label}{weight}{tag} {' '.join(parts)}",
    numbers,
    st.sampled_from(["", " 2", " 0.25", " 0"]),
    st.sampled_from(["", " 'tag", " '", " 'one:two"]),
    st.lists(spaces, min_size=1, max_size=3),
)


@settings(max_examples=60)
@given(st.lists(lines, min_size=1, max_size=5), st.integers(1, 60), st.sampled_from([4, 40, 1 << 19]), st.booleans())
def test_a_plain_parser_reads_the_same(texts, size, block_size, has_end):
    data = ("\n".join(texts) + "\n" * has_end).encode()
    hashed_rows, errors = collected(data, "vw", size, block_size, bits=10)
    named_rows, more = collected(data, "vw", size, block_size, features="exact")
    assert errors == more == []
    assert len(hashed_rows) == len(named_rows) == len(texts)
    for text, found, named in zip(texts, hashed_rows, named_rows, strict=True):
        label, weight, columns, called = naive(text, 10)
        assert found[:2] == named[:2] == (label, weight)
        assert without_zeros(found[2]) == without_zeros(columns)
        assert without_zeros(named[2]) == without_zeros(called)


BAD = {
    "1 a": "x:2:3: expected a decimal number as the label or its weight, or '|', found 'a'",
    "1 2": "x:2:1: expected '|' before the features, found none in this line",
    "one | a": "x:2:1: expected a decimal number as the label or its weight, or '|', found 'one'",
    "nan | a": "x:2:1: expected a finite number as the label or its weight, or '|', found 'nan'",
    "1 inf | a": "x:2:3: expected a finite number as the label or its weight, or '|', found 'inf'",
    "1 2 3 | a": "x:2:5: expected a label, a weight and '|', found the third number '3'",
    "1 -2 | a": "x:2:3: expected a weight >= 0, found -2",
    "1 'tag x | a": "x:2:8: expected '|' after the tag, found 'x'",
    "| a": "x:2:1: expected a label before '|' with a blank behind it, found none",
    "1| a": "x:2:2: expected a label before '|' with a blank behind it, found none",
    "1 |:2 a": "x:2:4: expected the name of a namespace before ':', found none",
    "1 |n:x a": "x:2:6: expected a decimal number as the scale of the namespace, found 'x'",
    "1 |n:inf a": "x:2:6: expected a finite number as the scale of the namespace, found 'inf'",
    "1 | :2": "x:2:5: expected a name before ':', found none",
    "1 | a:": "x:2:7: expected a number or a text after ':', found none",
    "1 | a:nan": "x:2:7: expected a finite number, or a text that neither begins so nor has a '|', found 'nan'",
    "1 | a:2024-01-02": "x:2:7: expected a finite number, or a text",
    "1 | a:x|y": "x:2:7: expected a finite number, or a text",
    "1 | a:1e999": "x:2:7: expected a number within the range of float64, found '1e999'",
    "1e999 | a": "x:2:1: expected a number within the range of float64, found '1e999'",
    "1 | a:9007199254740993": "x:2:7: expected a number that float64 holds exactly, found '9007199254740993'",
    "1 |n:1e300 a:1e300": "x:2:14: expected a value that times the scale of its namespace is within the range",
    "1 | a:1e308 a:1e308": "x:2:1: expected values of one column whose sum is within the range of float64",
}


@pytest.mark.parametrize("line", BAD)
@pytest.mark.parametrize("size", [1, 1000])
def test_a_bad_line_is_told_and_the_others_are_read(line, size):
    rows, errors = collected(f"1 | 1\n{line}\n-1 0.5 | 2".encode(), "vw", size)
    assert [row[:3] for row in rows] == [(1.0, 1.0, {1: 1.0}), (-1.0, 0.5, {2: 1.0})]
    assert len(errors) == 1
    assert errors[0].startswith(BAD[line])


def test_a_row_longer_than_a_block_and_a_name_cut_by_the_end():
    long = "1 |" + "".join(f" name{j}" for j in range(300))
    rows, errors = collected(f"-1 | a\n{long}\n1 |n nam".encode(), "vw", 16, 64, bits=24)
    assert errors == []
    assert [len(row[2]) for row in rows] == [1, 300, 1]
    rows, errors = collected(b"1 | a\n1 |n nam:", "vw")
    assert (len(rows), errors) == (1, ["x:2:10: expected a number or a text after ':', found none"])


def test_rows_of_nothing_and_blank_lines():
    rows, errors = collected(b"\n1 |\n\r\n  \n-1 |a |b \r\n", "vw")
    assert ([row[:3] for row in rows], errors) == ([(1.0, 1.0, {}), (-1.0, 1.0, {})], [])


def test_rows_to_predict_may_lack_the_label():
    rows, errors = collected(b"| 1\n'tag | 2\n1 | 3\n", "vw", is_labeled=False)
    assert ([row[2] for row in rows], errors) == ([{1: 1.0}, {2: 1.0}, {3: 1.0}], [])


def test_a_dictionary_has_a_limit_and_leaves_out_what_is_refused():
    rows, errors = collected(b"1 | a b\n1 2 3 | x y\n1 | a c\n1 | d\n1 | c\n", "vw", features="exact", most=3)
    assert [row[2] for row in rows] == [{"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0}, {"c": 1.0}]
    assert [error.split(":")[1] for error in errors] == ["2", "4"]
    assert errors[1] == "x:4:1: expected at most 3 names, found one more: 'd'"


def test_long_rows_are_sorted_and_added_in_their_order():
    columns = [(7 * k * k + 3) % 101 for k in range(500)]
    line = "1 | " + " ".join(f"{column}:{0.1 * k}" for k, column in enumerate(columns))
    ((_, _, found, _),), _ = collected(line.encode(), "vw")
    expected = defaultdict(float)
    for k, column in enumerate(columns):
        expected[column] += 0.1 * k
    assert {column: value for column, value in expected.items() if value or column in found} == found
    assert all(map(math.isfinite, found.values()))

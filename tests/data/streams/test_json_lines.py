"""JSON lines: objects as namespaces, and lines that hold no row."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.data.hashing import hashed
from tests.data.streams.reading import collected

pytestmark = pytest.mark.interpreted

TEXT = b"""
{"label": 1, "age": 30, "city": "Oslo", "user": {"paid": true, "new": false, "plan": {"name": "a"}}, "x": null}
  {"y": -1.5, "age": 0.5}
{"target": true}
"""


@pytest.mark.parametrize("size", [1, 1000])
def test_objects_are_namespaces(size):
    rows, errors = collected(TEXT, "jsonl", size, features="exact")
    assert errors == []
    assert [row[:3] for row in rows] == [
        (1.0, 1.0, {"age": 30.0, "city=Oslo": 1.0, "user^paid": 1.0, "user^plan^name=a": 1.0}),
        (-1.5, 1.0, {"age": 0.5}),
        (1.0, 1.0, {}),
    ]


def test_columns_are_hashed_as_in_other_formats():
    (row,), _ = collected(b'{"label": 1, "ns": {"a": 2, "colour": "red"}, "b": 1}', "jsonl")
    (same,), _ = collected(b"1 |ns a:2 colour:red | b", "vw")
    assert row[2] == same[2]
    assert hashed("a", hashed("ns")) % 2**18 in row[2]


def test_options():
    text = b'{"id": 7, "s": 0.5, "label": 3, "ok": "yes"}'
    ((label, weight, values, _),), _ = collected(
        text, "jsonl", features="exact", label="ok", weights="s", ignore=["id"], words={"no": 0.0, "yes": 1.0}
    )
    assert (label, weight, values) == (1.0, 0.5, {"label": 3.0})
    rows, errors = collected(b'{"a": 1}\n{"label": "x", "a": 2}', "jsonl", features="exact", is_labeled=False)
    assert ([row[2] for row in rows], errors) == ([{"a": 1.0}, {"a": 2.0}], [])


BAD = {
    '{"y": 1, "a"}': "x:2:13: expected an object of JSON: expecting ':' delimiter",
    '{"y": 1, "a": 1': "x:2:16: expected an object of JSON: expecting ',' delimiter",
    '{"y": 1} 2': "x:2:10: expected an object of JSON: extra data",
    "[1]": "x:2:1: expected an object, found '[1]'",
    '{"y": 1, "a": [1]}': "x:2:1: expected a number or a text for 'a', found [1]",
    '{"y": 1, "a": NaN}': "x:2:1: expected a finite number, found NaN",
    '{"y": -Infinity}': "x:2:1: expected a finite number, found -Infinity",
    '{"y": 1, "a": 1e999}': "x:2:1: expected a number within the range of float64 for 'a'",
    '{"y": 1, "a": 9007199254740993}': "x:2:1: expected a number that float64 holds exactly for 'a'",
    '{"y": 1, "a": ' + "9" * 5000 + "}": "x:2:1: expected numbers within the range of float64",
    '{"y": 1, "a": 1, "a": 2}': "x:2:1: expected each name once in an object, found 'a' again",
    '{"a": 1}': "x:2:1: expected a label named label, target, class or y, found none; label=... names another",
    '{"y": 1, "label": 1}': "x:2:1: expected one label, found 'y' and 'label'; name it with label=...",
    '{"y": "up"}': "x:2:1: expected a number as the label, found 'up'; classes=... names texts",
    '{"y": null}': "x:2:1: expected a number or a text for 'y', found null",
    '{"y": 1, "a": ' + '{"a":' * 20000 + "1" + "}" * 20001: "x:2:1: expected an object of JSON, found one inside",
    '{"y": 1, "a": "\\ud800"}': "",
}


@pytest.mark.parametrize("line", BAD, ids=range(len(BAD)))
def test_a_bad_line_is_told_and_the_others_are_read(line):
    rows, errors = collected(f'{{"y": 1}}\n{line}\n{{"y": 0}}'.encode(), "jsonl", features="exact")
    assert [row[0] for row in rows] == [1.0, *[1.0] * (not BAD[line]), 0.0]
    assert [error[: len(BAD[line])] for error in errors] == [BAD[line]] * bool(BAD[line])
    rows, errors = collected(b'{"y": 1}\n{"y": "\xff"}', "jsonl")
    assert (len(rows), errors) == (1, ["x:2:8: expected text in UTF-8, found other bytes"])


def test_a_weight_that_is_not_there_or_negative():
    _, errors = collected(b'{"y": 1}\n{"y": 1, "w": -1}', "jsonl", weights="w")
    assert errors == ["x:1:1: expected the weight 'w', found none", "x:2:1: expected a weight >= 0, found -1"]


leaves = st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=3))
objects = st.recursive(
    st.dictionaries(st.text("ab^=", max_size=2), leaves, max_size=3),
    lambda inner: st.dictionaries(st.text("cd", max_size=2), inner | leaves, max_size=3),
    max_leaves=5,
)


def flat(value: Any, path: str = "") -> Any:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from flat(inner, f"{path}{key}^")
        elif isinstance(inner, str):
            yield f"{path}{key}={inner}", 1.0
        elif inner:
            yield f"{path}{key}", float(inner)


@given(st.lists(objects, min_size=1, max_size=4), st.integers(1, 50))
def test_any_object(found, size):
    data = "\n".join(json.dumps({**value, "label": 1}) for value in found).encode()
    rows, errors = collected(data, "jsonl", size, features="exact")
    if any(len({name for name, _ in flat(value)}) < len([*flat(value)]) for value in found):
        return  # two places whose names read alike are one column
    assert errors == []
    assert [row[2] for row in rows] == [dict(flat(value)) for value in found]

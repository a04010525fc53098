"""Lines of anything: told as errors or read as rows, never a crash, and the line below them is read."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.data.streams.reading import collected

pytestmark = pytest.mark.interpreted

# What stands above, and a row, of each format.
GOOD = {
    "svmlight": (b"", b"1 3:0.5"),
    "vw": (b"", b"1 |ns a:0.5 b:c"),
    "csv": (b"a,b,label\n", b"0.5,c,1"),
    "jsonl": (b"", b'{"label": 1, "a": 0.5, "b": "c"}'),
}
PIECES = (
    b"""1 -1 | : ' " , { } [ a ns nan 1e999 \\ \x00 \xff \xef\xbb\xbf # 0.5 3:1 label null \\ud800 9007199254740993 e"""
)
pieces = st.sampled_from([*PIECES.split(), b" ", b"\t", b"\r"])


@pytest.mark.parametrize("format", GOOD)
@settings(max_examples=60)
@given(st.lists(st.lists(pieces, max_size=8).map(b"".join), max_size=4), st.integers(1, 30), st.booleans())
@example([b'"a,1,1'], 5, True)
@example([b"1 |ns:"], 5, True)
def test_anything(format, lines, size, is_exact):
    above, good = GOOD[format]
    options = {"features": "exact"} if is_exact and format != "svmlight" else {}
    data = above + good + b"\n" + b"".join(line + b"\n" for line in lines) + good
    rows, errors = collected(data, format, size, 16, **options)
    whole, same = collected(data, format, **options)
    assert ([row[:3] for row in rows], errors) == ([row[:3] for row in whole], same)
    assert rows[0][:3] == rows[-1][:3]
    assert len(rows) + len(errors) <= len(lines) + 2

"""Rows as they come: the same however the bytes arrive, and an error in the place of each line that holds none."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from typing import Any

import numpy as np
import pytest

from empirisk.data.errors import DataError
from empirisk.data.sources import streamed
from empirisk.data.svmlight import read_svmlight
from tests.data.streams.reading import collected

pytestmark = pytest.mark.interpreted

TEXT = b"""\
# comments, a blank line, columns in any order, and an end without a line feed
1 1:2 3:-0.5   # a comment
-1 3:1e-3 2:4

1 qid:3 7:1
-1
1 0:1.5 2:0.1"""


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("block_size", [4, 30, 1 << 19])
def test_rows_do_not_depend_on_how_the_bytes_arrive(size, block_size):
    rows, errors = collected(TEXT, "svmlight", size, block_size)
    whole = read_svmlight(io.BytesIO(TEXT), first_index=0)
    assert errors == []
    assert [row[0] for row in rows] == whole.labels.tolist()
    for i, (_, _, values, _) in enumerate(rows):
        part = whole.matrix[[i]]
        assert values == dict(zip(part.indices.tolist(), part.data.tolist(), strict=True))
    ends = [row[3] for row in rows]
    assert ends == sorted(ends)
    for i, end in enumerate(ends):
        assert read_svmlight(io.BytesIO(TEXT[:end])).labels.tolist() == whole.labels[: i + 1].tolist()


BAD = {
    b"1 a:1": "x:2:3: expected a feature index before ':', found 'a'",
    b"one 1:1": "x:2:1: expected a decimal number as the label, found 'one'",
    b"1 1:nan": "x:2:5: expected a finite number after ':', found 'nan'",
    b"1 1:1e999": "x:2:5: expected a number within the range of float64, found '1e999'",
    b"1 2:1 2:1": "x:2:7: expected each feature index once in a row, found 2 again",
    b"1 1:9007199254740993": "x:2:5: expected a number that float64 holds exactly, found '9007199254740993'",
    b"1 50:1": "x:2:3: expected a feature index below 50, found 50",
    b"3 1:1": "x:2:1: no three",
    b"1 1": "x:2:3: expected index:value, found '1'",
}


def no_three(labels: Any) -> tuple[int, str] | None:
    return (int(np.argmax(labels == 3)), "no three") if np.any(labels == 3) else None


@pytest.mark.parametrize("line", BAD)
@pytest.mark.parametrize("size", [1, 1000])
def test_a_bad_line_is_told_and_the_others_are_read(line, size):
    data = b"1 1:1\n" + line + b"\n-1 2:1\n"
    rows, errors = collected(data, "svmlight", size, refused=no_three, most=50)
    assert [row[:3] for row in rows] == [(1.0, 1.0, {1: 1.0}), (-1.0, 1.0, {2: 1.0})]
    assert len(errors) == 1
    assert errors[0].startswith(BAD[line])


def test_many_bad_lines_in_one_block_come_in_their_order():
    data = b"3 1:1\n1 1:1\n1 2:1 2:2\n1 60:1\n1 3:1\nx\n1 4:1\n3\n"
    rows, errors = collected(data, "svmlight", refused=no_three, most=50)
    assert [[*row[2]] for row in rows] == [[1], [3], [4]]
    assert [error.split(":")[1] for error in errors] == ["1", "3", "4", "6", "8"]
    assert data[rows[1][3] :] == b"x\n1 4:1\n3\n"


def test_a_row_longer_than_a_block():
    line = b"1 " + b" ".join(b"%d:1" % j for j in range(1, 400)) + b"\n"
    rows, errors = collected(b"-1 1:1\n" + line, "svmlight", 16, 64)
    assert errors == []
    assert [len(row[2]) for row in rows] == [1, 399]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("where", ["file", "stdin"])
def test_sources_are_seen_through(pack, where, tmp_path, monkeypatch):
    data = pack(b"1 1:2\n-1 2:1\n")
    path = tmp_path / "rows"
    path.write_bytes(data)
    if where == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with streamed("-" if where == "stdin" else str(path)) as stream:
        assert stream.name == ("<stdin>" if where == "stdin" else str(path))
        assert stream.read(6) + stream.read(100) == b"1 1:2\n-1 2:1\n"


def test_a_damaged_archive(tmp_path):
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(b"1 1:2\n" * 1000)[:-10])
    with streamed(str(path)) as stream, pytest.raises(DataError, match="cut off"):
        stream.read()
    path.write_bytes(b"1 1:2\n")
    with pytest.raises(DataError, match="expected a gzip archive as the name says"), streamed(str(path)):
        pass


def test_all_of_a_stream_at_once(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"1 1:2\n")
    with streamed(str(path)) as stream:
        assert stream.read() == b"1 1:2\n"

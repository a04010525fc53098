"""The lines of a text file on which rows of the data stand: what a person looks for who is told of a row."""

from __future__ import annotations

import contextlib
import os
from codecs import BOM_UTF8
from collections.abc import Collection
from typing import Any

import numpy as np

from empirisk.data.csv_cells import walk_records
from empirisk.data.csv_separator import find_separator
from empirisk.data.csv_text import as_utf8
from empirisk.data.dialect import UTF_16_MARKS
from empirisk.data.sources import is_binary, opened


def lines_of(path: str, format: str, rows: Collection[int]) -> dict[int, int]:
    """Row (from 0) -> the line (from 1) where it starts, of a CSV or svmlight file, compressed or not.

    Rows without a line are left out: standard input and pipes cannot be read again, and arrays have none.
    """
    if format not in ("csv", "svmlight") or not rows or not os.path.isfile(path):
        return {}
    with opened(path) as source, contextlib.ExitStack() as files:
        if is_binary(source):
            return {}
        stream = files.enter_context(open(source, "rb")) if isinstance(source, str) else source.stream
        if format == "csv":
            return _csv_lines(stream.read(), sorted(rows), path)
        return _svmlight_lines(stream, set(rows))


def line_of(path: str, row: int) -> int | None:
    """The line on which a row of a CSV file starts; None where the file cannot be read again."""
    try:
        return lines_of(path, "csv", [row]).get(row)
    except (OSError, ValueError):  # an archive or an array is not such text
        return None


def _csv_lines(data: bytes, rows: list[int], path: str) -> dict[int, int]:
    """The bytes that part records are the same in every encoding but UTF-16."""
    data = as_utf8(data, None if data.startswith(UTF_16_MARKS) else "latin-1", path)
    view = np.frombuffer(data, np.uint8)
    starts = np.empty(min(rows[-1] + 2, len(data)), np.int64)  # the header is the first record
    n_records, _ = walk_records(view, 0, len(data), ord(find_separator(view)), starts, np.empty_like(starts))
    found, line, p = dict[int, int](), 1, 0
    for row in rows:
        if row + 1 < n_records:
            line, p = line + data.count(b"\n", p, starts[row + 1]), starts[row + 1]
            found[row] = line
    return found


def _svmlight_lines(stream: Any, rows: set[int]) -> dict[int, int]:
    """Lines that hold more than blanks and a comment."""
    found, row = dict[int, int](), 0
    for number, line in enumerate(stream, start=1):
        if len(found) == len(rows):
            break
        if line.removeprefix(BOM_UTF8).partition(b"#")[0].strip():
            if row in rows:
                found[row] = number
            row += 1
    return found

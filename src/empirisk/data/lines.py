"""The lines of a text file on which rows of the data stand: what a person looks for who is told of a row."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Generator, Iterable
from typing import Any

from empirisk.data.sources import opened

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def lines_of(path: str, format: str, rows: Iterable[int]) -> dict[int, int]:
    """Row (from 0) -> the line (from 1) where it starts, of a CSV or svmlight file, compressed or not.

    Rows without a line are left out: standard input and pipes cannot be read again, and arrays have none.
    """
    wanted, found = set(rows), dict[int, int]()
    if format not in ("csv", "svmlight") or not os.path.isfile(path):
        return found
    with opened(path) as source, contextlib.ExitStack() as files:
        stream = files.enter_context(open(source, "rb")) if isinstance(source, str) else source.stream
        lines = _csv_lines(stream) if format == "csv" else _svmlight_lines(stream)
        with contextlib.closing(lines), contextlib.suppress(csv.Error):  # a cell of more than its limit
            for row, line in enumerate(lines):
                if row in wanted:
                    found[row] = line
                if len(found) == len(wanted):
                    break
    return found


def line_of(path: str, row: int) -> int | None:
    """The line on which a row of a CSV file starts; None where the file cannot be read again."""
    try:
        return lines_of(path, "csv", [row]).get(row)
    except (OSError, ValueError):  # an archive or an array is not such text
        return None


def _csv_lines(stream: Any) -> Generator[int]:
    """Where each record after the header starts; empty lines are none."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    reader = csv.reader(text)
    is_header, line = True, 1
    try:
        for record in reader:
            if record:
                if not is_header:
                    yield line
                is_header = False
            line = reader.line_num + 1
    finally:
        text.detach()  # the stream is its opener's to close


def _svmlight_lines(stream: Any) -> Generator[int]:
    """Lines that hold more than blanks and a comment."""
    for number, line in enumerate(stream, start=1):
        if line.removeprefix(BYTE_ORDER_MARK).partition(b"#")[0].strip():
            yield number

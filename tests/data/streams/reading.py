"""Rows of a stream, read a few bytes at a time and told as plain Python objects."""

from __future__ import annotations

import io
from typing import Any

from empirisk.data.errors import DataError
from empirisk.data.streams import RowFormat, row_format
from empirisk.data.streams.rows import stream_rows


class Trickle:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.stream, self.size = io.BytesIO(data), size

    def read(self, size: int) -> bytes:
        return self.stream.read(min(size, self.size))


def nothing(labels: Any) -> None:
    return None


def collected(
    data: bytes,
    format: str | RowFormat,
    size: int = 1 << 20,
    block_size: int = 1 << 19,
    refused: Any = nothing,
    most: int = 2**31 - 1,
    words: Any = None,
    is_labeled: bool = True,
    **options: Any,
) -> tuple[list[Any], list[str]]:
    """A row each: label, weight, values by column, and how much of the stream is above the next; and the errors."""
    rows, errors = [], []
    kind = format if isinstance(format, RowFormat) else row_format(format, options)
    reader, names = kind.reader(words, is_labeled, most), kind.dictionary(most)
    for found in stream_rows(Trickle(data, size), "x", reader, refused, names, block_size):
        if isinstance(found, DataError):
            errors.append(str(found))
            continue
        for i in range(found.n_rows):
            part = found.matrix[[i]]
            assert part.indices.tolist() == sorted({*part.indices.tolist()})
            called = part.indices.tolist() if names is None else [names.first(1 << 30)[j] for j in part.indices]
            weight = found.weights[i] if found.weights.size else 1.0
            values = dict(zip(called, part.data.tolist(), strict=True))
            rows.append((found.labels[i], weight, values, found.bytes_until(i + 1)))
    return rows, errors

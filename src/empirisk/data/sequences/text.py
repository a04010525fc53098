"""The bytes of a file of sequences, whole: in UTF-8, without a byte order mark, a line feed at the end."""

from __future__ import annotations

import numpy as np

from empirisk.data.csv_text import Text, as_utf8
from empirisk.data.sources import name_of, opened

DONE, RAGGED, FULL = 0, 1, 2  # how a kernel that looks for cells ended


def read_text(path: str, encoding: str | None = None) -> Text:
    """What is behind a path, `-` being standard input, compressed or not; DataError for what is not this encoding."""
    with opened(path) as source:
        if isinstance(source, str):
            with open(source, "rb") as stream:
                data = stream.read()
        else:
            data = source.read()
        data = as_utf8(data, encoding, name_of(source))
        return Text(data, np.frombuffer(data, np.uint8), name_of(source))

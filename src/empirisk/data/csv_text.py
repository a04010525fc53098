"""The bytes of a CSV file, and the places in them that errors name."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import numpy as np

from empirisk.data.dialect import UTF_16_MARKS
from empirisk.data.errors import DataError, shortened

AT_ONCE = 1 << 20  # bytes that are looked at in one piece: passing copies of the whole file would cost more


class Text(NamedTuple):
    """The bytes of a file, as an object and as an array of the same memory, and its name."""

    data: bytes
    view: np.ndarray
    path: str
    separator: int = 44  # the byte between two cells

    def error(self, message: str, p: int, column: int | str | None = None) -> DataError:
        """The error of this message at byte p."""
        return DataError(message, self.path, self.data.count(b"\n", 0, p) + 1, column)

    def byte_column(self, p: int) -> int:
        """Where byte p stands in its line, for errors in a place that has no column name."""
        return p - self.data.rfind(b"\n", 0, p)

    def cell(self, start: int, end: int) -> str:
        """A cell as it was meant: a quote before it says that doubled quotes in it stand for one."""
        cell = self.data[start:end].decode()
        return cell.replace('""', '"') if start and self.data[start - 1] == 34 else cell

    def quoted(self, start: int, end: int) -> str:
        """A cell as an error repeats it."""
        cell = self.cell(start, end)
        return repr(shortened(cell)) if cell else "an empty cell"


def as_utf8(data: bytes, encoding: str | None, path: str) -> bytes:
    """The bytes in UTF-8, without a byte order mark and with a line feed at the end."""
    if encoding is None and data.startswith(UTF_16_MARKS):
        encoding = "utf-16"
    if encoding is None or codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        _check_utf8(data, path)
        data = data.removeprefix(codecs.BOM_UTF8)
    else:
        data = _decoded(data, encoding, path)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")  # lines as they ended on old computers
    return data if data.endswith(b"\n") else data + b"\n"


def _check_utf8(data: bytes, path: str) -> None:
    """Refuse what is not UTF-8, a part at a time: a line feed is never part of a longer character."""
    start = len(data) if data.isascii() else 0
    while start < len(data):
        stop = data.find(b"\n", start + AT_ONCE) + 1 or len(data)
        try:
            data[start:stop].decode()
        except UnicodeDecodeError as error:
            p = start + error.start
            said = f"expected text in UTF-8, found the byte 0x{data[p]:02x}; encoding='latin-1' reads it otherwise"
            raise DataError(said, path, data.count(b"\n", 0, p) + 1, p - data.rfind(b"\n", 0, p)) from None
        start = stop


def _decoded(data: bytes, encoding: str, path: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, errors="ignore")
        column = len(before) - before.rfind("\n")
        found = "".join(f"{byte:02x}" for byte in data[error.start : error.end][:4])
        said = f"expected text in the encoding {encoding}, found the bytes 0x{found}"
        raise DataError(said, path, before.count("\n") + 1, column) from None
    except UnicodeError:  # half a pair of UTF-16
        raise DataError(f"expected text in the encoding {encoding}, found other data", path) from None

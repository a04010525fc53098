"""The bytes of a CSV file, and the places in them that errors name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.data.errors import DataError, shortened

AT_ONCE = 1 << 20  # bytes that are looked at in one piece: passing copies of the whole file would cost more


class Text(NamedTuple):
    """The bytes of a file, as an object and as an array of the same memory, and its name."""

    data: bytes
    view: np.ndarray
    path: str

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

    def check_encoding(self) -> None:
        """Refuse what is not UTF-8, a part at a time: a line feed is never part of a longer character."""
        start = len(self.data) if self.data.isascii() else 0
        while start < len(self.data):
            stop = self.data.find(b"\n", start + AT_ONCE) + 1 or len(self.data)
            try:
                self.data[start:stop].decode()
            except UnicodeDecodeError as error:
                p = start + error.start
                message = f"expected text in UTF-8, found the byte 0x{self.data[p]:02x}"
                raise self.error(message, p, self.byte_column(p)) from None
            start = stop

"""Blocks of a stream of text: bytes of whole lines, which a compiled pass turns into arrays.

A block fits the processor's cache, so that the text is never fetched from memory twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from empirisk.data.errors import LONGEST_QUOTE, DataError, shortened

BLOCK = 1 << 19
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Bytes of whole lines, and where they stand in the file; `text` holds `stop` bytes of use."""

    text: bytearray
    stop: int
    path: str
    lines_before: int

    def view(self) -> np.ndarray:
        """The bytes as a read-only array: the only kind that the kernels are compiled for."""
        array = np.frombuffer(self.text, np.uint8)
        array.flags.writeable = False
        return array

    def error(self, message: str, p: int) -> DataError:
        """The error of this message at byte p."""
        line = self.lines_before + self.text.count(b"\n", 0, p) + 1
        return DataError(message, self.path, line, int(p) - self.text.rfind(b"\n", 0, p))

    def token(self, p: int) -> str:
        """What stands at byte p, up to the next blank, fit to be quoted."""
        # A character takes up to four bytes; one more byte shows that there is more.
        token = re.split(rb"[ \t\r\n#]", self.text[p : min(p + 4 * LONGEST_QUOTE + 1, self.stop)], maxsplit=1)[0]
        return shortened(token.decode("utf-8", "backslashreplace"))

    def below(self, end: int) -> Block:
        """What stands from byte `end` on, where a line starts."""
        lines = self.lines_before + self.text.count(b"\n", 0, end)
        return Block(self.text[end : self.stop], self.stop - end, self.path, lines)

    def line_ends(self) -> np.ndarray:
        """The bytes behind its line feeds."""
        return np.flatnonzero(self.view()[: self.stop] == 10) + 1


def blocks(stream: BinaryIO, path: str, size: int = BLOCK, waits: bool = True, n_buffers: int = 1) -> Iterator[Block]:
    """Cut a stream into blocks, reusing so many buffers in turn; they grow where a single line is longer.

    Unless it `waits` for a block to be full, lines are passed on as soon as a read has ended one.
    """
    text = bytearray(size + 1)  # one byte to spare for the line feed that a file may lack at its end
    ring = deque([text], maxlen=n_buffers)
    filled = lines = 0
    at_start = True
    while True:
        at_end = False
        while filled < size and not at_end:
            chunk = stream.read(size - filled)
            text[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
            at_end = not chunk
            if not waits and b"\n" in chunk:
                break
        if at_start and text.startswith(BYTE_ORDER_MARK):
            text[: filled - 3] = text[3:filled]
            filled -= 3
        at_start = False
        if at_end and filled and text[filled - 1] != 10:
            text[filled] = 10
            filled += 1
        stop = text.rfind(b"\n", 0, filled) + 1
        if stop:
            block = Block(text, stop, path, lines)
            yield block
            lines += int(np.count_nonzero(block.view()[:stop] == 10))
            rest = text[stop:filled]
            text = ring[0] if len(ring) == n_buffers and len(ring[0]) == size + 1 else bytearray(size + 1)
            ring.append(text)
            text[: len(rest)] = rest
            filled = len(rest)
        elif not at_end:
            size *= 2
            text = text[:filled] + bytearray(size + 1 - filled)
            ring[-1] = text
        if at_end:
            return

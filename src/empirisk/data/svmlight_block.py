"""One block of a svmlight file: bytes that end with a line feed, and the labels and entries they hold.

One compiled pass turns a block into arrays; a bad byte comes back as a code and a position, and the sentence is built
here. A block fits the processor's cache, so that the text is never fetched from memory twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from empirisk.arithmetic.exact_floats import WAYS_OUT, is_exact_text
from empirisk.compiled import kernel
from empirisk.data.errors import LONGEST_QUOTE, DataError, shortened
from empirisk.data.numbers import NUMBER, parse_exactly, parse_number

BLOCK = 1 << 19
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
INDEX_FULL = 10**17  # an index below it takes one more digit without overflow

DONE, BAD_LABEL, LABEL_LIST, BAD_INDEX, LONG_INDEX, BAD_VALUE, BAD_QUERY = range(7)


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
        return DataError(message, self.path, line, p - self.text.rfind(b"\n", 0, p))

    def token(self, p: int) -> str:
        """What stands at byte p, up to the next blank, fit to be quoted."""
        # A character takes up to four bytes; one more byte shows that there is more.
        token = re.split(rb"[ \t\r\n#]", self.text[p : min(p + 4 * LONGEST_QUOTE + 1, self.stop)], maxsplit=1)[0]
        return shortened(token.decode("utf-8", "backslashreplace"))

    def line_ends(self) -> np.ndarray:
        """The bytes behind its line feeds."""
        return np.flatnonzero(self.view()[: self.stop] == 10) + 1

    def index_start(self, p: int) -> int:
        """The first byte of the index whose value starts at byte p."""
        p = int(p) - 1
        while self.text[p - 1] in b"0123456789":
            p -= 1
        return p


class Entries(NamedTuple):
    """The rows of a block; row i is entries row_ends[i - 1] to row_ends[i], their values found at `value_starts`."""

    labels: np.ndarray
    label_starts: np.ndarray
    row_ends: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    value_starts: np.ndarray


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


def scratch_for(block: Block) -> Entries:
    """Room for the rows of any block of this length: a row takes at least two bytes, an entry four."""
    size = len(block.text)
    per_row = [np.empty(size // 2 + 1, kind) for kind in (np.float64, np.int64, np.int64)]
    per_entry = [np.empty(size // 4 + 1, kind) for kind in (np.int64, np.float64, np.int64)]
    return Entries(*per_row, *per_entry)


def parse_block(block: Block, scratch: Entries, dtype: np.dtype[Any]) -> Entries:
    """The rows of a block, as views of `scratch`: indices sorted and unique, values finite as `dtype`."""
    view = block.view()
    code, p, n_rows, n_entries, n_undecided, n_descents = _parse_rows(view, block.stop, *scratch)
    if code != DONE:
        raise _syntax_error(block, code, p)
    entries = Entries(*(array[:n_rows] for array in scratch[:3]), *(array[:n_entries] for array in scratch[3:]))
    parts = (
        (entries.labels, entries.label_starts, np.dtype(np.float64)),
        (entries.values, entries.value_starts, dtype),
    )
    for numbers, starts, kind in parts:
        if n_undecided:
            undecided = np.flatnonzero(np.isnan(numbers))
            numbers[undecided] = parse_exactly(view, starts[undecided])
            _refuse_inexact(block, starts[undecided])
        if n_undecided or kind != np.float64:  # a decided float64 is finite
            too_large = starts[np.abs(numbers) > np.finfo(kind).max]
            if len(too_large):
                p = int(too_large.min())
                raise block.error(f"expected a number within the range of {kind}, found {block.token(p)!r}", p)
    if n_descents:
        _sort_rows(block, entries)
    return entries


def _refuse_inexact(block: Block, starts: np.ndarray) -> None:
    """Raise for the first of these numbers that float64 does not hold."""
    for p in np.sort(starts).tolist():
        found = block.token(p)
        if not is_exact_text(found):
            raise block.error(f"expected a number that float64 holds exactly, found {found!r}: {WAYS_OUT}", p)


def _sort_rows(block: Block, entries: Entries) -> None:
    """Sort the indices of each row in place, and refuse one that occurs twice."""
    indices, starts = entries.indices, entries.value_starts
    row_of = np.repeat(np.arange(len(entries.row_ends)), np.diff(entries.row_ends, prepend=0))
    order = np.lexsort((indices, row_of))  # stable: of two equal indices the later in the file stays the later
    for array in (indices, entries.values, starts):
        array[:] = array[order]
    again = 1 + np.flatnonzero((np.diff(indices) == 0) & (np.diff(row_of) == 0))
    if len(again):
        k = again[np.argmin(starts[again])]
        message = f"expected each feature index once in a row, found {indices[k]} again"
        raise block.error(message, block.index_start(starts[k]))


def _syntax_error(block: Block, code: int, p: int) -> DataError:
    found = block.token(p)
    if code in (BAD_LABEL, BAD_VALUE):
        is_not_finite = found.lstrip("+-").lower() in ("nan", "inf", "infinity")
        wanted = "a finite number" if is_not_finite else "a decimal number"
        place = "as the label" if code == BAD_LABEL else "after ':'"
        return block.error(f"expected {wanted} {place}, found {found!r}", p)
    if code == LABEL_LIST:
        return block.error(f"expected one label, found the list {found!r}: multi-label data is not supported", p)
    if code == BAD_QUERY:
        return block.error(f"expected a whole number after 'qid:', found {found!r}", p)
    if code == LONG_INDEX:
        return block.error(f"expected a feature index below 10^18, found {found!r}", p)
    name, colon, _ = found.partition(":")
    if colon:
        return block.error(f"expected a feature index before ':', found {name!r}", p)
    return block.error(f"expected index:value, found {found!r}", p)


@kernel(exact=True)
def _skip_blanks(buffer, p):
    """The first byte from p on that is not a space, a tab or a carriage return."""
    while buffer[p] == 32 or buffer[p] == 9 or buffer[p] == 13:
        p += 1
    return p


@kernel(exact=True)
def _ends_token(byte):
    """A blank, a line feed or the start of a comment."""
    return byte == 32 or byte == 10 or byte == 9 or byte == 13 or byte == 35


@kernel(exact=True)
def _parse_rows(buffer, stop, labels, label_starts, row_ends, indices, values, value_starts):
    """Parse buffer[:stop], which ends with a line feed: (code, byte, rows, entries, undecided, descents).

    The line feed bounds every inner loop. A row takes at least two bytes and an entry four: the arrays are that long.
    """
    p = n_rows = n_entries = n_undecided = n_descents = 0
    while p < stop:
        p = _skip_blanks(buffer, p)
        if buffer[p] != 10 and buffer[p] != 35:
            value, end, kind = parse_number(buffer, p)
            if kind != NUMBER or not _ends_token(buffer[end]):
                return (LABEL_LIST if buffer[end] == 44 else BAD_LABEL), p, n_rows, n_entries, 0, 0
            if value != value:
                n_undecided += 1
            labels[n_rows] = value
            label_starts[n_rows] = p
            p = _skip_blanks(buffer, end)
            if buffer[p] == 113:  # q
                end = p + 1
                for letter in (105, 100, 58):  # id:
                    if buffer[end] != letter:
                        return BAD_INDEX, p, n_rows, n_entries, 0, 0
                    end += 1
                p = end
                while 48 <= buffer[end] <= 57:
                    end += 1
                if end == p or not _ends_token(buffer[end]):
                    return BAD_QUERY, p, n_rows, n_entries, 0, 0
                p = _skip_blanks(buffer, end)
            previous = np.int64(-1)
            while buffer[p] != 10 and buffer[p] != 35:
                index, end = np.int64(0), p
                while True:
                    digit = np.int64(buffer[end]) - 48
                    if digit < 0 or digit > 9:
                        break
                    if index >= INDEX_FULL:
                        return LONG_INDEX, p, n_rows, n_entries, 0, 0
                    index = 10 * index + digit
                    end += 1
                if digit != 10 or end == p:  # a colon
                    return BAD_INDEX, p, n_rows, n_entries, 0, 0
                p = end + 1
                value, end, kind = parse_number(buffer, p)
                if kind != NUMBER or not _ends_token(buffer[end]):
                    return BAD_VALUE, p, n_rows, n_entries, 0, 0
                if value != value:
                    n_undecided += 1
                if index <= previous:
                    n_descents += 1
                previous = index
                indices[n_entries] = index
                values[n_entries] = value
                value_starts[n_entries] = p
                n_entries += 1
                p = _skip_blanks(buffer, end)
            row_ends[n_rows] = n_entries
            n_rows += 1
        while buffer[p] != 10:
            p += 1
        p += 1
    return DONE, p, n_rows, n_entries, n_undecided, n_descents

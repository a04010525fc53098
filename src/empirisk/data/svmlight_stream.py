"""Rows of svmlight data as they come, in bounded memory; lines that hold none are told apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from empirisk.data.ahead import RING
from empirisk.data.errors import DataError
from empirisk.data.svmlight_block import BLOCK, Block, Entries, blocks, parse_block, scratch_for
from empirisk.protocols import Vector

MOST_COLUMNS = 2**31 - 1  # that indices of 32 bits can tell apart
Refused = tuple[int, str] | None  # the first label that cannot be, and what was expected in its place


class StreamRows(NamedTuple):
    """Neighbouring rows of a stream; feature j is column j, whether features count from 0 or from 1."""

    labels: Vector
    matrix: csr_array[Any]
    label_starts: NDArray[np.int64]  # bytes of the block
    block: Block
    bytes_before: int  # of the stream, above the block

    @property
    def n_rows(self) -> int:
        """As many as there are labels."""
        return int(self.labels.size)

    def error(self, message: str, row: int) -> DataError:
        """The error of this message about a row."""
        return self.block.error(message, int(self.label_starts[row]))

    def bytes_until(self, row: int) -> int:
        """How much of the stream is above this row; the last one is followed by the end of the block."""
        inside = self.label_starts[row] if row < self.n_rows else self.block.stop
        return self.bytes_before + int(inside)


def stream_rows(
    stream: Any,
    path: str,
    refused: Callable[[Vector], Refused],
    most_columns: int = MOST_COLUMNS,
    block_size: int = BLOCK,
) -> Iterator[StreamRows | DataError]:
    """The rows of a stream, some at a time, and an error in the place of each line that holds none.

    `refused` is shown the labels in their order. What is given is valid while RING - 1 others are asked for.
    """
    reader = _Reader(refused, most_columns)
    for block in blocks(stream, path, block_size, waits=False, n_buffers=RING):
        yield from reader.rows_of(block, reader.bytes_before)
        reader.bytes_before += block.stop


class _Reader:
    """What is kept from block to block."""

    def __init__(self, refused: Callable[[Vector], Refused], most_columns: int) -> None:
        self.refused, self.most_columns = refused, most_columns
        self.ring: deque[Entries] = deque(maxlen=RING)
        self.bytes_before = 0

    def rows_of(self, block: Block, before: int) -> Iterator[StreamRows | DataError]:
        """The rows of a block: those above a bad line, its error, and those below."""
        while block.stop:
            try:
                rows = self.parsed(block, before)
            except DataError as error:
                line = error.line or 0  # every error of a block has one
                ends, at = block.line_ends(), line - block.lines_before - 1
                if at:  # an error that was found later may stand above this one
                    yield from self.rows_of(block._replace(stop=int(ends[at - 1])), before)
                yield error
                end = int(ends[at])
                before += end
                block = Block(block.text[end : block.stop], block.stop - end, block.path, line)
            else:
                if rows.n_rows:
                    yield rows
                return

    def parsed(self, block: Block, before: int) -> StreamRows:
        """All rows of a block, or the error of one."""
        is_full = len(self.ring) == RING and len(self.ring[0].values) > len(block.text) // 4
        self.ring.append(self.ring[0] if is_full else scratch_for(block))
        entries = parse_block(block, self.ring[-1], np.dtype(np.float64))
        beyond = np.flatnonzero(entries.indices >= self.most_columns)
        if beyond.size:
            k = beyond[np.argmin(entries.value_starts[beyond])]
            said = f"expected a feature index below {self.most_columns}, found {entries.indices[k]}"
            raise block.error(said, block.index_start(entries.value_starts[k]))
        stranger = self.refused(entries.labels)
        if stranger is not None:
            raise block.error(stranger[1], int(entries.label_starts[stranger[0]]))
        n_columns = int(entries.indices.max()) + 1 if entries.indices.size else 0
        starts = np.concatenate((np.zeros(1, np.int32), entries.row_ends.astype(np.int32)))
        content = entries.values, entries.indices.astype(np.int32), starts
        matrix = csr_array(content, shape=(entries.labels.size, n_columns))
        matrix.has_canonical_format = True  # known, so that nothing checks it again
        return StreamRows(entries.labels, matrix, entries.label_starts, block, before)

"""Rows of a stream as they come, in bounded memory; lines that hold none are told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from empirisk.data.ahead import RING
from empirisk.data.blocks import BLOCK, Block, blocks
from empirisk.data.errors import DataError
from empirisk.data.streams.names import ExactNames
from empirisk.data.streams.parsed import Parsed, Reader
from empirisk.data.streams.tidy import tidy
from empirisk.protocols import Vector

Refused = tuple[int, str] | None  # the first label that cannot be, and what was expected in its place


class StreamRows(NamedTuple):
    """Neighbouring rows of a stream; the weights are empty where all are one."""

    labels: Vector
    weights: Vector
    matrix: csr_array[Any]
    row_starts: NDArray[np.int64]  # bytes of the block
    block: Block
    bytes_before: int  # of the stream, above the block

    @property
    def n_rows(self) -> int:
        """As many as there are labels."""
        return int(self.labels.size)

    def error(self, message: str, row: int) -> DataError:
        """The error of this message about a row."""
        return self.block.error(message, int(self.row_starts[row]))

    def bytes_until(self, row: int) -> int:
        """How much of the stream is above this row; the last one is followed by the end of the block."""
        inside = self.row_starts[row] if row < self.n_rows else self.block.stop
        return self.bytes_before + int(inside)


def stream_rows(
    stream: Any,
    path: str,
    reader: Reader,
    refused: Callable[[Vector], Refused],
    names: ExactNames | None = None,
    block_size: int = BLOCK,
    waits: bool = False,
) -> Iterator[StreamRows | DataError]:
    """The rows of a stream, some at a time, and an error in the place of each line that holds none.

    `refused` is shown the labels in their order. Unless it `waits` for a block to be full, lines are read as they
    come. Blocks, which errors quote, stay while RING - 1 others are asked for.
    """
    rows = _Rows(reader, refused, names)
    for block in blocks(stream, path, block_size, waits=waits, n_buffers=RING):
        yield from rows.of(block)


class _Rows:
    """What is kept from block to block."""

    def __init__(self, reader: Reader, refused: Callable[[Vector], Refused], names: ExactNames | None) -> None:
        self.reader, self.refused, self.names = reader, refused, names
        self.bytes_before = 0

    def of(self, block: Block) -> Iterator[StreamRows | DataError]:
        """The rows of the next block."""
        size = block.stop
        if not self.reader.is_begun:
            block = self.reader.begin(block)
        yield from self.parts_of(block, self.bytes_before + size - block.stop)
        self.bytes_before += size

    def parts_of(self, block: Block, before: int) -> Iterator[StreamRows | DataError]:
        """The rows of a block: those above a bad line, its error, and those below."""
        while block.stop:
            try:
                rows = self.parsed(block, before)
            except DataError as error:
                line = error.line or 0  # every error of a block has one
                ends, at = block.line_ends(), line - block.lines_before - 1
                if at:  # an error that was found later may stand above this one
                    yield from self.parts_of(block._replace(stop=int(ends[at - 1])), before)
                yield error
                end = int(ends[at])
                before += end
                block = block.below(end)
            else:
                if rows.n_rows:
                    yield rows
                return

    def parsed(self, block: Block, before: int) -> StreamRows:
        """All rows of a block, or the error of one."""
        found = self.reader.parse(block)
        _check_weights(found, block)
        stranger = self.refused(found.labels)
        if stranger is not None:
            raise block.error(stranger[1], int(found.row_starts[stranger[0]]))
        if self.names is not None:
            found = found._replace(indices=self.names.columns_of(found, block))
        matrix = _matrix(found, block)
        if self.names is not None:
            self.names.commit()
        self.reader.commit(found)
        return StreamRows(found.labels.copy(), found.weights.copy(), matrix, found.row_starts.copy(), block, before)


def _matrix(found: Parsed, block: Block) -> csr_array[Any]:
    """The entries, in memory of their own."""
    ends, indices, values = found.row_ends, found.indices, found.values
    if not found.is_tidy:
        n_entries = tidy(ends, indices, values)
        indices, values = indices[:n_entries], values[:n_entries]
        beyond = np.flatnonzero(~np.isfinite(values))  # sums of two
        if beyond.size:
            row = int(np.searchsorted(ends, beyond[0], side="right"))
            said = "expected values of one column whose sum is within the range of float64"
            raise block.error(said, int(found.row_starts[row]))
    n_columns = int(indices.max()) + 1 if indices.size else 0
    starts = np.concatenate((np.zeros(1, np.int32), ends.astype(np.int32)))
    matrix = csr_array((values.copy(), indices.astype(np.int32), starts), shape=(ends.size, n_columns))
    matrix.has_canonical_format = True  # known, so that nothing checks it again
    return matrix


def _check_weights(found: Parsed, block: Block) -> None:
    negative = np.flatnonzero(found.weights < 0.0)
    if negative.size:
        row = int(negative[0])
        said = f"expected a weight >= 0, found {found.weights[row]:g}"
        raise block.error(said, int(found.weight_starts[row]))

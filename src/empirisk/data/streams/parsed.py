"""What a reader makes of a block of a stream, and what every reader must offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from empirisk.data.blocks import Block

MOST_COLUMNS = 2**31 - 1  # that indices of 32 bits can tell apart
EMPTY = np.empty(0)
LABEL_NAMES = ("label", "target", "class", "y")  # what the label is called where nobody says
ABSENT_LABEL = 0.0  # where no label is asked for


class Parsed(NamedTuple):
    """The rows of a block; row i is entries row_ends[i - 1] to row_ends[i].

    With `names`, the indices are places among these, which are in the order of their first appearance.
    """

    labels: np.ndarray
    row_starts: np.ndarray  # bytes of the block: what errors about the row or its label name
    row_ends: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    weights: np.ndarray = EMPTY  # empty where all are one
    weight_starts: np.ndarray = EMPTY
    names: list[str] | None = None
    is_tidy: bool = False  # whether the columns of each row are in order, each of them once
    settling: tuple[tuple[int, int, str], ...] = ()  # what these rows settle: row, column of the table, kind

    def row_of(self, entry: int) -> int:
        """The row that an entry is in."""
        return int(np.searchsorted(self.row_ends, entry, side="right"))


class Reader(Protocol):
    """Reads one stream; what it knows grows with `commit` alone."""

    @property
    def is_begun(self) -> bool:
        """Whether rows follow."""

    def begin(self, block: Block) -> Block:
        """The block below what stands above the first row, such as a header; DataError where that cannot be."""

    def parse(self, block: Block) -> Parsed:
        """All rows of a block, or the DataError of a line."""

    def commit(self, parsed: Parsed) -> None:
        """These rows are read, and nothing in them was refused."""

    def settled(self, n_rows: int) -> Mapping[str, Any]:
        """What the first rows of the stream have settled, as JSON."""

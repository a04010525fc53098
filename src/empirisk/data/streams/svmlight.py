"""svmlight as a stream: feature j is column j, whether features count from 0 or from 1, and every row weighs 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from empirisk.data.block_numbers import FLOAT64
from empirisk.data.blocks import Block
from empirisk.data.streams.parsed import Parsed
from empirisk.data.svmlight_block import Entries, index_start, parse_block, scratch_for


class SvmlightReader:
    """Reads svmlight rows whose indices are below `most_columns`."""

    is_begun = True

    def __init__(self, most_columns: int) -> None:
        self._most_columns = most_columns
        self._scratch: Entries | None = None

    def begin(self, block: Block) -> Block:
        """Nothing stands above the first row."""
        return block

    def parse(self, block: Block) -> Parsed:
        """All rows of a block, or the error of a line."""
        if self._scratch is None or len(self._scratch.values) <= len(block.text) // 4:
            self._scratch = scratch_for(block)
        entries = parse_block(block, self._scratch, FLOAT64)
        beyond = np.flatnonzero(entries.indices >= self._most_columns)
        if beyond.size:
            k = beyond[np.argmin(entries.value_starts[beyond])]
            said = f"expected a feature index below {self._most_columns}, found {entries.indices[k]}"
            raise block.error(said, index_start(block, entries.value_starts[k]))
        rows = entries.labels, entries.label_starts, entries.row_ends
        return Parsed(*rows, entries.indices, entries.values, is_tidy=True)

    def commit(self, parsed: Parsed) -> None:
        """Nothing is learned from rows."""

    def settled(self, n_rows: int) -> Mapping[str, Any]:
        """Nothing."""
        return {}

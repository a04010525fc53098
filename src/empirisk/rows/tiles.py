"""Tiles of a block: rows whose entries stay in the cache while they are read twice.

A pass goes tile by tile through kernels that each know one thing: what reads rows knows no loss, what knows the loss
runs on the scores of the tile. Tiles are large enough for the calls to cost nothing beside the rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from empirisk.designs import CSR, Dense, n_entries, rows_between

TILE_ENTRIES = 1 << 18
MOST_TILE_ROWS = 1 << 14


def tiles(design: Dense | CSR) -> Iterator[tuple[slice, Dense | CSR]]:
    """Where a tile is among the rows of the design, and its rows."""
    n = design.n_rows()
    size = tile_rows(design)
    if size >= n:
        yield slice(0, n), design
        return
    for first in range(0, n, size):
        last = min(first + size, n)
        yield slice(first, last), rows_between(design, first, last)


def tile_rows(design: Dense | CSR) -> int:
    """The number of rows of a tile, but for the last one."""
    n, entries = design.n_rows(), n_entries(design)
    if entries <= TILE_ENTRIES and n <= MOST_TILE_ROWS:
        return max(1, n)
    return max(8, min(MOST_TILE_ROWS, TILE_ENTRIES * n // max(1, entries)))

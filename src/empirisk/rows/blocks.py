"""Row blocks: a full pass is a map over them and a sum in block order.

The blocks are fixed by the data, not by the number of threads, so every sum comes out with the same bytes
whatever the number of threads.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from empirisk.designs import CSR, Dense, n_entries

ENTRIES_PER_BLOCK = 1 << 17  # smaller blocks cost more to hand out than to compute
DENSE_ENTRY, ROW = 0.25, 2.0  # what an entry of a dense row, and a row, cost in sparse entries
MOST_BLOCKS = 64
DATA_PER_SUM = 8  # the partial sums together take at most an eighth of the data
SMALL_SUMS = 1 << 19  # floats (4 MiB) that partial sums of heavy work may take in any case

TILE_ENTRIES, MOST_TILE_ROWS = 1 << 13, 512  # of a pass that reads rows twice

Block = tuple[int, int]


def row_blocks(design: Dense | CSR, width: int, work: float = 1.0) -> list[Block]:
    """Split the rows into a power of two of blocks with about equally many entries.

    `width` is the number of floats in one block's partial sum, `work` the cost of an entry in those of a plain pass.
    """
    entries = n_entries(design)
    total = int(work * entries)
    if work == 1.0:  # a plain pass: rows count too, and dense entries run on vectors
        total = int(entries * (1.0 if isinstance(design, CSR) else DENSE_ENTRY) + ROW * design.n_rows())
    memory = max(entries // DATA_PER_SUM, SMALL_SUMS if work > 1.0 else 0) // max(1, width)
    affordable = min(MOST_BLOCKS, total // ENTRIES_PER_BLOCK, int(work * entries) // (2 * max(1, width)), memory)
    count = 1 << max(0, affordable.bit_length() - 1)
    n = design.n_rows()
    if count == 1 and n:
        return [(0, n)]
    if isinstance(design, CSR):
        cuts = np.searchsorted(design.starts, np.linspace(0, entries, count + 1)[1:-1])
    else:
        cuts = np.linspace(0, n, count + 1)[1:-1].astype(np.int64)
    edges = [0, *(int(cut) for cut in cuts), n]
    return [(start, stop) for start, stop in itertools.pairwise(edges) if start < stop]


def tile_rows(design: Dense | CSR) -> int:
    """Rows whose entries stay in the cache between two reads of them."""
    return max(8, min(MOST_TILE_ROWS, TILE_ENTRIES * design.n_rows() // max(1, n_entries(design))))


def map_blocks(task: Callable[[Any], Any], blocks: list[Any], n_threads: int) -> list[Any]:
    """The results of `task` for each block, in block order, computed by `n_threads` threads.

    Threads compute under the caller's settings: what NumPy ignores here, it ignores there.
    """
    if n_threads == 1 or len(blocks) == 1:
        return [task(block) for block in blocks]
    settings = [contextvars.copy_context() for _ in blocks]  # one for each: two threads cannot enter the same one
    return list(_pool(n_threads).map(lambda own, block: own.run(task, block), settings, blocks))


def sum_parts(parts: Iterable[Any]) -> Any:
    """The sum of the blocks' arrays in block order; the first one is overwritten."""
    first, *others = parts
    for part in others:
        first += part
    return first


def available_threads() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="empirisk")


if hasattr(os, "register_at_fork"):  # a child has the pool object but not its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)

"""The tree of sums, which the data alone fix: cells of rows, leaves of cells, and the order in which leaves are added.

Rows are cut into cells by a rule that needs no totals, so that a reader can apply it while it streams: a cell ends with
the row where its cost reaches CELL. A leaf is an aligned run of 2^k cells, whose rows are added into one array one
after another: no more than is read at a time, but where the sum is too wide for so many arrays. Leaves are added in
pairs of neighbours, the pairs in pairs, and so on. Threads, memory and the place where rows live decide who adds, never
what is added to what: the bytes are the same.
"""

from __future__ import annotations

import bisect
import itertools
import math
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

CELL = 1 << 14  # the cost at which a cell ends
DENSE_ENTRY, ROW = 0.25, 2.0  # what an entry of a dense row, and a row, cost in sparse entries
BLOCK_CELLS = 1 << 8  # at most, in what is read, mapped or sent at a time: 32 to 134 MB

COST_PER_LEAF = 1 << 17  # smaller leaves cost more to hand out than to compute
MOST_LEAVES = 64  # until they are as large as what is read at a time
DATA_PER_SUM = 8  # the sums of the leaves together would take at most an eighth of the data
SMALL_SUMS = 1 << 19  # floats (4 MiB) that sums of heavy work may take in any case


class Tree(NamedTuple):
    """The cells of some rows; everything else follows from them and from the width and the work of a sum."""

    edges: Sequence[int]  # first rows of the cells, and the number of rows
    n_entries: int
    is_sparse: bool
    sum_share: float = 1.0 / DATA_PER_SUM  # of the data that the sums of the leaves together may take
    least_leaves: int = 1  # of heavy work, however wide the sum

    @property
    def n_rows(self) -> int:
        """The number of examples."""
        return self.edges[-1]

    def leaves(self, width: int, work: float = 1.0) -> list[tuple[int, int]]:
        """Ranges of rows, each added into an array of its own.

        `width` is the number of floats in a sum, `work` the cost of an entry in those of a plain pass.
        """
        return self._runs(self._cells_of_leaf(max(1, width), work))

    def roundings(self, width: int, work: float = 1.0) -> int:
        """How often a term of such a sum is rounded at most, by the additions that it goes through."""
        if len(self.edges) == 2:
            return self.n_rows + 1
        leaves = self.leaves(width, work)
        return max(last - first for first, last in leaves) + len(leaves).bit_length()

    def blocks(self, leaf: tuple[int, int]) -> list[tuple[int, int]]:
        """The ranges of rows of a leaf that are read at a time."""
        first = bisect.bisect_left(self.edges, leaf[0])
        last = bisect.bisect_left(self.edges, leaf[1])
        if last - first <= BLOCK_CELLS:
            return [leaf]
        cuts = [*range(first, last, BLOCK_CELLS), last]
        return [(self.edges[a], self.edges[b]) for a, b in itertools.pairwise(cuts)]

    def _runs(self, cells: int) -> list[tuple[int, int]]:
        cuts = [*self.edges[:-1:cells], self.edges[-1]]
        return list(itertools.pairwise(cuts))

    def _cells_of_leaf(self, width: int, work: float) -> int:
        """A power of two, or all of them where one leaf is all that the sum affords."""
        count, entries = len(self.edges) - 1, self.n_entries
        cost = int(work * entries)
        if work == 1.0:  # a plain pass: rows count too, and dense entries run on vectors
            cost = int(entries * (1.0 if self.is_sparse else DENSE_ENTRY) + ROW * self.n_rows)
        memory = max(int(entries * self.sum_share), SMALL_SUMS if work > 1.0 else 0) // width
        affordable = max(min(int(work * entries) // (2 * width), memory), self.least_leaves)
        wanted = cost // COST_PER_LEAF
        if min(wanted, affordable) <= 1:
            return max(1, count)
        cells = 1
        while cells < BLOCK_CELLS and (count + cells // 2) // cells > min(MOST_LEAVES, wanted):
            cells *= 2
        while (count + cells // 2) // cells > affordable:  # a short last leaf is no leaf too many
            cells *= 2
        return cells


def is_one_cell(n_rows: int, n_entries: int, is_sparse: bool) -> bool:
    """Whether these rows are too few for more than one cell."""
    return n_entries * (1.0 if is_sparse else DENSE_ENTRY) + ROW * n_rows <= CELL


def dense_tree(n_rows: int, n_columns: int) -> Tree:
    """The tree of dense rows."""
    rows = max(1, math.ceil(CELL / (DENSE_ENTRY * n_columns + ROW)))
    return Tree([*range(0, n_rows, rows), n_rows] if n_rows else [0, 0], n_rows * n_columns, False)


def sparse_tree(starts: Any) -> Tree:
    """The tree of sparse rows, which start at these entries."""
    n = starts.size - 1
    edges = [0]
    costs = starts + ROW * np.arange(n + 1)
    while edges[-1] < n:
        end = int(np.searchsorted(costs, costs[edges[-1]] + CELL))
        edges.append(min(end, n))
    return Tree(edges if n else [0, 0], int(starts[-1] - starts[0]), True)


class Sums:
    """Sums of leaves, added up the binary tree over their numbers as they arrive: in any order, from any thread.

    Where leaves arrive about in their order, one array for each level waits for its neighbour, and one for each thread.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._waiting: dict[tuple[int, int], Any] = {}  # (level, number) -> sum
        self._root: Any = None

    def add(self, number: int, total: Any) -> list[Any]:
        """Take over the sum of a leaf; the arrays that are free now."""
        level, free = 0, list[Any]()
        while (self._count - 1) >> level:
            if number % 2 or number != (self._count - 1) >> level:  # the last one without a neighbour goes up alone
                with self._lock:
                    neighbour = self._waiting.pop((level, number ^ 1), None)
                    if neighbour is None:
                        self._waiting[level, number] = total
                        return free
                left, right = (neighbour, total) if number % 2 else (total, neighbour)
                left += right
                total = left
                free.append(right)
            level, number = level + 1, number // 2
        self._root = total
        return free

    def total(self) -> Any:
        """The sum of all, once they have been added."""
        return self._root

"""Rows in the memory of this process: blocks are views, and threads run over them."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense, n_entries, row_sizes, rows_between, rows_of
from empirisk.designs.transposed import column_sizes, columns_of
from empirisk.parameters import check_count
from empirisk.rows.protocol import RowBlock, Task
from empirisk.rows.summed import summed
from empirisk.rows.threads import in_threads
from empirisk.rows.tree import Tree, dense_tree, is_one_cell, sparse_tree

_Leaf: TypeAlias = list[tuple[RowBlock, slice]]


class InMemory:
    """All rows in one design; a row vector is an array of n."""

    is_in_memory = True

    def __init__(self, design: Dense | CSR, n_threads: int = 1, columns: Dense | CSR | None = None) -> None:
        self._design, self.n_threads = design, n_threads
        self.n_rows, self.n_columns, self.n_entries = design.n_rows(), design.n_columns(), n_entries(design)
        self.is_sparse, self.dtype = isinstance(design, CSR), design.values.dtype
        # All rows, where they are one cell of the tree: then every sum is one leaf, and nothing is looked up.
        self._only = RowBlock(design, 0) if is_one_cell(self.n_rows, self.n_entries, self.is_sparse) else None
        self._columns = columns  # the design of X^T, where X is stored by columns
        # Cells that copies with other threads share: the tree, the leaves of each kind of sum, sizes of columns, X in
        # other units.
        self._tree: list[Tree | None] = [None]
        self._leaves: dict[tuple[int, float], list[_Leaf]] = {}
        self._sizes: list[NDArray[np.int64] | None] = [None]
        self._scaled: dict[int, InMemory] = {}

    @property
    def tree(self) -> Tree:
        """How rows are added up."""
        known = self._tree[0]
        if known is None:
            starts = self._design.starts if isinstance(self._design, CSR) else None
            known = dense_tree(self.n_rows, self.n_columns) if starts is None else sparse_tree(starts)
            self._tree[0] = known
        return known

    def column_sizes(self) -> NDArray[np.int64]:
        """Stored values, counted when first asked for."""
        known = self._sizes[0]
        if known is None:
            by_columns = self._columns
            known = column_sizes(self._design) if by_columns is None else row_sizes(by_columns)
            self._sizes[0] = known
        return known

    def with_threads(self, n_threads: int) -> Self:
        """The same rows, on so many threads."""
        other = copy.copy(self)
        other.n_threads = check_count("n_threads", n_threads)
        return other

    def each(
        self, task: Task, *args: Any, rows: Sequence[Any] = (), writes: Sequence[Any] = (), work: float = 1.0
    ) -> list[Any]:
        """What the task returns for every block, in the order of the rows."""
        if self._only is not None:
            return [task(self._only, *args, *rows, *writes)]
        leaves = self._leaves_of(1, work)
        if len(leaves) == 1 and len(leaves[0]) == 1:
            return [task(leaves[0][0][0], *args, *rows, *writes)]

        def run(leaf: _Leaf) -> list[Any]:
            return [task(block, *args, *_parts(rows, at), *_parts(writes, at)) for block, at in leaf]

        return [said for some in in_threads(run, leaves, self.n_threads) for said in some]

    def total(
        self,
        task: Task,
        *args: Any,
        shape: tuple[int, ...],
        rows: Sequence[Any] = (),
        writes: Sequence[Any] = (),
        work: float = 1.0,
        split: int | None = None,
    ) -> tuple[NDArray[np.float64], list[Any]]:
        """The sum of what tasks add into arrays of this shape, and what they return."""
        if self._only is not None and split is None:
            total = np.zeros(shape)
            return total, [task(self._only, *args, *rows, total, *writes)]
        leaves = self._leaves_of(math.prod(shape), work)
        if split is not None:
            if 0 < split < shape[-1] and len(leaves) == 1:
                return self._total_in_parts(leaves[0], task, args, rows, shape, split)
            args = (*args, slice(None))
        if len(leaves) == 1 and len(leaves[0]) == 1:
            total = np.zeros(shape)
            return total, [task(leaves[0][0][0], *args, *rows, total, *writes)]

        def add(leaf: _Leaf, total: NDArray[np.float64]) -> list[Any]:
            return [task(block, *args, *_parts(rows, at), total, *_parts(writes, at)) for block, at in leaf]

        total, said = summed(add, leaves, shape, self.n_threads)
        return total, [one for some in said for one in some]

    def _total_in_parts(
        self, leaf: _Leaf, task: Task, args: Sequence[Any], rows: Sequence[Any], shape: tuple[int, ...], split: int
    ) -> tuple[NDArray[np.float64], list[Any]]:
        """Threads take ranges of the last axis, where rows are too few to be parted."""
        total = np.zeros(shape)

        def run(first: int) -> None:
            part = slice(first, min(first + split, shape[-1]))
            for block, at in leaf:
                task(block, *args, part, *_parts(rows, at), total[..., part])

        in_threads(run, range(0, shape[-1], split), self.n_threads)
        return total, []

    def vector(
        self, task: Task, *args: Any, rows: Sequence[Any] = (), shape: tuple[int, ...] = (), work: float = 1.0
    ) -> NDArray[np.float64]:
        """A row vector that the task writes."""
        made = self.blank(shape)
        self.each(task, *args, rows=rows, writes=(made,), work=work)
        return made

    def blank(self, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """A row vector to be written."""
        return np.empty((self.n_rows, *shape))

    def filled(self, value: float) -> NDArray[np.float64]:
        """A row vector of one number."""
        return np.full(self.n_rows, value)

    def gather(self, vector: Any) -> NDArray[Any]:
        """The array itself."""
        return np.asarray(vector)

    def place(self, array: NDArray[Any]) -> NDArray[Any]:
        """The array itself."""
        return array

    def pick(self, vector: Any, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """A row vector at these rows."""
        return np.asarray(vector[numbers])

    def take(self, numbers: NDArray[np.int64]) -> Dense | CSR:
        """A copy of these rows."""
        return rows_of(self._design, numbers)

    def take_columns(self, numbers: NDArray[np.int64]) -> Dense | CSR:
        """A copy of these columns."""
        if self._columns is not None:
            return rows_of(self._columns, numbers)
        return columns_of(self._design, numbers, self.column_sizes())

    def scaled(self, power: int) -> InMemory:
        """The same rows with every value times 2^power: a copy, made once."""
        known = self._scaled.get(power)
        if known is None:
            values = self._design.values * self._design.values.dtype.type(2.0**power)
            values.flags.writeable = False
            known = self._scaled[power] = InMemory(self._design._replace(values=values), self.n_threads)
            known._tree = self._tree  # of the same rows
        return known if known.n_threads == self.n_threads else known.with_threads(self.n_threads)

    def whole(self) -> Dense | CSR:
        """The design."""
        return self._design

    def _leaves_of(self, width: int, work: float) -> list[_Leaf]:
        known = self._leaves.get((width, work))
        if known is None:
            tree = self.tree
            known = [
                [(self._block(*rows), slice(*rows)) for rows in tree.blocks(leaf)] for leaf in tree.leaves(width, work)
            ]
            self._leaves[width, work] = known
        return known

    def _block(self, first: int, last: int) -> RowBlock:
        whole = first == 0 and last == self.n_rows
        return RowBlock(self._design if whole else rows_between(self._design, first, last), first)


def _parts(vectors: Sequence[Any], at: slice) -> list[Any]:
    return [vector[at] for vector in vectors]

"""Where rows live, behind one protocol: passes, certificates and solvers see nothing else of them.

A task is a function of a module, sent by name: task(block, *args, *parts, *written) for every block of rows, where
`args` are numbers, arrays as long as the weights and named tuples such as the loss, `parts` are what belongs to the
block of row vectors, and `written` what it has to write: its part of the row vectors that are made, and for `total`,
before them, an array to add to. A task keeps nothing and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense
from empirisk.rows.tree import Tree

RowVector: TypeAlias = Any
"""A number for each row, or some: of the residence's own type, kept beside the rows. In memory it is an array of n."""

Task: TypeAlias = Callable[..., Any]


class RowBlock(NamedTuple):
    """Some neighbouring rows."""

    design: Dense | CSR  # its rows counted from 0
    first: int  # the number of its first row


class Rows(Protocol):
    """The rows of X, wherever they live. What it tells of their size is known without a read."""

    @property
    def n_rows(self) -> int:
        """The number of examples."""

    @property
    def n_columns(self) -> int:
        """The number of features."""

    @property
    def n_entries(self) -> int:
        """The number of stored values."""

    @property
    def is_sparse(self) -> bool:
        """Whether blocks are compressed sparse rows."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the stored values."""

    @property
    def tree(self) -> Tree:
        """How rows are added up."""

    @property
    def n_threads(self) -> int:
        """How many threads passes may use."""

    @property
    def is_in_memory(self) -> bool:
        """Whether `whole` gives all rows at hand."""

    def with_threads(self, n_threads: int) -> Self:
        """The same rows, on so many threads."""

    def each(
        self,
        task: Task,
        *args: Any,
        rows: Sequence[RowVector] = (),
        writes: Sequence[RowVector] = (),
        work: float = 1.0,
    ) -> list[Any]:
        """What the task returns for every block: small things, in the order of the rows."""

    def total(
        self,
        task: Task,
        *args: Any,
        shape: tuple[int, ...],
        rows: Sequence[RowVector] = (),
        writes: Sequence[RowVector] = (),
        work: float = 1.0,
        split: int | None = None,
    ) -> tuple[NDArray[np.float64], list[Any]]:
        """The sum of what tasks add into arrays of this shape, and what they return, in the order of the rows.

        `work` is the cost of an entry in those of a plain pass. With `split` the task gets, as its last argument, the
        range of the last axis that it is to add: so many at a time (0 for all) where the sum is too wide for more than
        one leaf. Such a task says nothing and writes no row vector.
        """

    def vector(
        self, task: Task, *args: Any, rows: Sequence[RowVector] = (), shape: tuple[int, ...] = (), work: float = 1.0
    ) -> RowVector:
        """A row vector that the task writes; of so many numbers a row."""

    def blank(self, shape: tuple[int, ...] = ()) -> RowVector:
        """A row vector to be written."""

    def filled(self, value: float) -> RowVector:
        """A row vector of one number."""

    def gather(self, vector: RowVector) -> NDArray[Any]:
        """A row vector as an array."""

    def place(self, array: NDArray[Any]) -> RowVector:
        """An array as a row vector; an empty one stands for a vector that is not there."""

    def pick(self, vector: RowVector, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """A row vector at these rows."""

    def take(self, numbers: NDArray[np.int64]) -> Dense | CSR:
        """A copy of these rows, in memory; residences beyond it refuse more than they can hold."""

    def take_columns(self, numbers: NDArray[np.int64]) -> Dense | CSR:
        """A copy of these columns, all different, each a row of the design, in memory; as for `take`."""

    def column_sizes(self) -> NDArray[np.int64]:
        """The number of stored values of each column."""

    def scaled(self, power: int) -> Self:
        """The same rows with every value times 2^power."""

    def whole(self) -> Dense | CSR:
        """All rows, where they are in memory; Unsupported elsewhere."""

"""Rows in many pieces, none of them all: a residence for tests, which finds code that goes round `Rows`.

What a task gets has been through pickle, lies at another alignment, and may be gone before the next block; what it
writes, and memory that is used again, is nan before; blocks come in a random order. A row vector is in pieces too, and
has no array to look into.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from empirisk.designs import CSR, Dense, as_design, n_entries, rows_between, rows_of
from empirisk.designs.transposed import column_sizes, columns_of
from empirisk.protocols import Unsupported
from empirisk.rows.protocol import RowBlock, Task
from empirisk.rows.scratch import scratch
from empirisk.rows.tree import Sums, dense_tree, sparse_tree

FORGETS = 0.3  # the share of blocks before which what was assembled is forgotten
MOST_CELLS = 3  # in a piece


class GoesRound(TypeError):
    """Code that needs a row vector as one array: it would fail wherever rows are not in memory."""


class Pieces(NDArrayOperatorsMixin):
    """A row vector in pieces: elementwise functions, and nothing that looks at single rows or at all of them."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts
        self.shape = (sum(len(part) for part in parts), *parts[0].shape[1:])
        self.size, self.ndim, self.dtype = int(np.prod(self.shape)), len(self.shape), parts[0].dtype

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method != "__call__" or ufunc.signature is not None:  # of matmul, which is no elementwise function
            raise GoesRound(f"numpy.{ufunc.__name__} over a row vector ({method}): use a task")
        if any(not isinstance(given, Pieces) and np.ndim(given) for given in (*inputs, *(out or ()))):
            raise GoesRound(f"numpy.{ufunc.__name__} of a row vector and an array: place the array beside the rows")
        made = []
        for k in range(len(self.parts)):
            given = [one.parts[k] if isinstance(one, Pieces) else one for one in inputs]
            into = {} if out is None else {"out": tuple(one.parts[k] for one in out)}
            made.append(ufunc(*given, **into, **options))
        return Pieces(made) if out is None else out[0]

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise GoesRound("a row vector was made an array: use rows.gather, or a task")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise GoesRound(f"numpy.{function.__name__} of a row vector: use a task")

    def _refuse(self, *_: Any) -> Any:
        raise GoesRound("rows of a row vector were asked for one by one: use rows.pick, or a task")

    __getitem__ = __setitem__ = __len__ = __iter__ = __bool__ = __float__ = _refuse

    def copy(self) -> Pieces:
        """With parts of its own."""
        return Pieces([part.copy() for part in self.parts])


class Scattered:
    """Rows as copies of runs of a few cells."""

    is_in_memory = False

    def __init__(self, X: Any, seed: int = 0, n_threads: int = 1) -> None:
        design = as_design(X)
        self.n_rows, self.n_columns, self.n_entries = design.n_rows(), design.n_columns(), n_entries(design)
        self.is_sparse, self.dtype, self.n_threads = isinstance(design, CSR), design.values.dtype, n_threads
        sparse = isinstance(design, CSR)
        self.tree = sparse_tree(design.starts) if sparse else dense_tree(self.n_rows, self.n_columns)
        self.seen: set[str] = set()  # names of the tasks that ran
        self._draw = np.random.default_rng(seed)
        self._cuts = [0]
        while self._cuts[-1] < self.n_rows:
            at = self.tree.edges.index(self._cuts[-1]) + int(self._draw.integers(1, MOST_CELLS + 1))
            self._cuts.append(self.tree.edges[min(at, len(self.tree.edges) - 1)])
        self._pieces = [rows_of(design, np.arange(*ends)) for ends in self._ends()]
        self._assembled: dict[tuple[int, int], RowBlock] = {}

    def with_threads(self, n_threads: int) -> Scattered:
        """The same rows: threads change nothing here."""
        other = copy.copy(self)
        other.n_threads = n_threads
        return other

    def each(
        self, task: Task, *args: Any, rows: Sequence[Any] = (), writes: Sequence[Any] = (), work: float = 1.0
    ) -> list[Any]:
        """What the task returns for every block, in the order of the rows."""
        blocks = [ends for leaf in self.tree.leaves(1, work) for ends in self.tree.blocks(leaf)]
        return self._in_any_order(lambda ends: self._run(ends, task, args, rows, (), writes), blocks)

    def total(
        self,
        task: Task,
        *args: Any,
        shape: tuple[int, ...],
        rows: Sequence[Any] = (),
        writes: Sequence[Any] = (),
        work: float = 1.0,
        split: int | None = None,
    ) -> tuple[Any, list[Any]]:
        """The sum of what tasks add into arrays of this shape, and what they return."""
        leaves = self.tree.leaves(int(np.prod(shape)), work)
        sums = Sums(len(leaves))

        def run(number: int) -> list[Any]:
            total = self._elsewhere(np.zeros(shape))
            said = []
            for ends in self.tree.blocks(leaves[number]):
                if split is None:
                    said.append(self._run(ends, task, args, rows, (total,), writes))
                    continue
                assert not writes, "a task that is split writes no row vector"
                for part in self._ranges(shape[-1], split if len(leaves) == 1 else 0):
                    some = self._elsewhere(total[..., part])
                    assert self._run(ends, task, (*args, part), rows, (some,), ()) is None
                    total[..., part] = some
            sums.add(number, total)
            return said

        said = self._in_any_order(run, range(len(leaves)))
        return sums.total(), [one for some in said for one in some]

    def vector(
        self, task: Task, *args: Any, rows: Sequence[Any] = (), shape: tuple[int, ...] = (), work: float = 1.0
    ) -> Pieces:
        """A row vector that the task writes."""
        made = self.blank(shape)
        self.each(task, *args, rows=rows, writes=(made,), work=work)
        return made

    def blank(self, shape: tuple[int, ...] = ()) -> Pieces:
        """Of nan, which nobody should read."""
        return Pieces([np.full((last - first, *shape), np.nan) for first, last in self._ends()])

    def filled(self, value: float) -> Pieces:
        """A row vector of one number."""
        return Pieces([np.full(last - first, value) for first, last in self._ends()])

    def gather(self, vector: Any) -> Any:
        """All of it, in one array."""
        return np.concatenate(self._checked(vector).parts) if vector.size else vector

    def place(self, array: Any) -> Any:
        """A copy in pieces, read-only where the array is; an empty one stays what it is."""
        assert isinstance(array, np.ndarray), "only an array has to be placed"
        if not array.size:
            return array
        assert len(array) == self.n_rows, f"{len(array)} numbers for {self.n_rows} rows"
        return Pieces([_like(array[first:last].copy(), array) for first, last in self._ends()])

    def pick(self, vector: Any, numbers: Any) -> Any:
        """A row vector at these rows."""
        return self.gather(vector)[numbers]

    def take(self, numbers: Any) -> Dense | CSR:
        """A copy of these rows."""
        return rows_of(self._block((0, self.n_rows)).design, numbers)

    def take_columns(self, numbers: Any) -> Dense | CSR:
        """A copy of these columns."""
        return columns_of(self._block((0, self.n_rows)).design, numbers, self.column_sizes())

    def column_sizes(self) -> Any:
        """The number of stored values of each column."""
        return sum(column_sizes(piece) for piece in self._pieces)

    def scaled(self, power: int) -> Scattered:
        """The same rows with every value times 2^power."""
        other, factor = copy.copy(self), self.dtype.type(2.0**power)
        other._pieces = [piece._replace(values=_frozen(piece.values * factor)) for piece in self._pieces]
        other._assembled = {}
        return other

    def whole(self) -> Dense | CSR:
        """Refused."""
        raise Unsupported("scattered rows are never in one place: what needs all of them at hand cannot have them")

    def _run(self, ends: tuple[int, int], task: Task, args: Any, rows: Any, sums: tuple[Any, ...], writes: Any) -> Any:
        """The task on copies of what it is given; what it wrote is put where it belongs."""
        self.seen.add(f"{task.__module__}.{task.__qualname__}")
        given = [_like(self._part(vector, ends), vector) for vector in rows]
        sent = pickle.loads(pickle.dumps((task, args, given)))
        own = [self._elsewhere(arg) if isinstance(arg, np.ndarray) else arg for arg in sent[1]]
        parts = [_like(self._elsewhere(part), was) for part, was in zip(sent[2], given, strict=True)]
        empty = [self._elsewhere(np.full_like(self._part(vector, ends), np.nan)) for vector in writes]
        scratch(1, 1 << 12).fill(np.nan)
        said = sent[0](self._block(ends), *own, *parts, *sums, *empty)
        for now, was in zip((*own, *parts), (*args, *given), strict=True):
            kept = not isinstance(was, np.ndarray) or now.tobytes() == was.tobytes()
            assert kept, f"{task.__qualname__} changed what it was given to read"
        for vector, part in zip(writes, empty, strict=True):
            self._store(vector, ends, part)
        return pickle.loads(pickle.dumps(said))

    def _in_any_order(self, run: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """In the order of the items; of several errors, that of the first of them is raised."""
        said: dict[int, Any] = {}
        for k in self._draw.permutation(len(items)).tolist():
            try:
                said[k] = run(items[k])
            except ValueError as error:
                said[k] = error
        for k in range(len(items)):
            if isinstance(said[k], ValueError):
                raise said[k]
        return [said[k] for k in range(len(items))]

    def _block(self, ends: tuple[int, int]) -> RowBlock:
        """Assembled from pieces, unless it is still there."""
        if self._draw.random() < FORGETS:
            self._assembled.clear()
        if ends not in self._assembled:
            parts = [rows_between(self._pieces[k], *some) for k, some in self._overlaps(ends)]
            self._assembled[ends] = RowBlock(self._joined(parts), ends[0])
        return self._assembled[ends]

    def _joined(self, parts: list[Any]) -> Dense | CSR:
        if not self.is_sparse:
            return Dense(_frozen(self._elsewhere(np.concatenate([part.values for part in parts]))))
        places = [slice(int(part.starts[0]), int(part.starts[-1])) for part in parts]
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        values = np.concatenate([part.values[at] for part, at in zip(parts, places, strict=True)])
        indices = np.concatenate([part.indices[at] for part, at in zip(parts, places, strict=True)])
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        return CSR(*(_frozen(self._elsewhere(array)) for array in (values, indices, starts)), self.n_columns)

    def _part(self, vector: Any, ends: tuple[int, int]) -> Any:
        if isinstance(vector, np.ndarray) and not vector.size:
            return vector
        return np.concatenate([self._checked(vector).parts[k][slice(*some)] for k, some in self._overlaps(ends)])

    def _store(self, vector: Any, ends: tuple[int, int], part: Any) -> None:
        at = 0
        for k, some in self._overlaps(ends) if part.size else ():
            self._checked(vector).parts[k][slice(*some)] = part[at : at + some[1] - some[0]]
            at += some[1] - some[0]

    def _checked(self, vector: Any) -> Pieces:
        if not isinstance(vector, Pieces):
            raise GoesRound(f"a {type(vector).__name__} was given for a row vector: use rows.place")
        assert [len(part) for part in vector.parts] == [last - first for first, last in self._ends()]
        return vector

    def _overlaps(self, ends: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
        """Pieces with rows in this range, and which of their rows these are."""
        found = []
        for k, (first, last) in enumerate(self._ends()):
            low, high = max(first, ends[0]), min(last, ends[1])
            if low < high:
                found.append((k, (low - first, high - first)))
        return found

    def _ends(self) -> list[tuple[int, int]]:
        return list(zip(self._cuts[:-1], self._cuts[1:], strict=True))

    def _ranges(self, width: int, split: int) -> list[slice]:
        """Of the last axis, in any order; one where it is not split."""
        if not 0 < split < width:
            return [slice(None)]
        found = [slice(first, min(first + split, width)) for first in range(0, width, split)]
        return [found[k] for k in self._draw.permutation(len(found)).tolist()]

    def _elsewhere(self, array: Any) -> Any:
        """A copy that begins anywhere in a cache line."""
        at = int(self._draw.integers(0, 8))
        moved = np.empty(array.size + 8, array.dtype)[at : at + array.size].reshape(array.shape)
        moved[...] = array
        return moved


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _like(array: Any, model: Any) -> Any:
    """Read-only where the model is, so that kernels are the same."""
    first = model.parts[0] if isinstance(model, Pieces) else model
    if array is not first:
        array.flags.writeable = first.flags.writeable
    return array

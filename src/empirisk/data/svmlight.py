"""The svmlight (libsvm) format: `label [qid:N] index:value ... [# comment]`, one example a line."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_array

from empirisk.data.blocks import Block, blocks
from empirisk.data.errors import DataError
from empirisk.data.svmlight_block import Entries, index_start, parse_block, scratch_for

LARGEST_INT32 = 2**31 - 1


class SvmlightData(NamedTuple):
    """What a svmlight file says: row i of `matrix` belongs to `labels[i]`.

    Column j of the matrix is feature `j + first_index` of the file.
    """

    labels: np.ndarray
    matrix: csr_array[Any]
    first_index: int


def read_svmlight(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    dtype: DTypeLike = np.float64,
    n_features: int | None = None,
    first_index: int | None = None,
    ignore_new: bool = False,
) -> SvmlightData:
    """Read a path or a binary stream, exactly: every number is the float64 that Python's `float` gives.

    Features count from 1, unless index 0 occurs anywhere; give `first_index` where another file has settled that.
    With `n_features` the matrix has so many columns: a feature beyond is an error, or left out with `ignore_new`.
    Indices may come in any order and are sorted; one that occurs twice in a row is an error. Zeros that the file
    spells out are kept. `qid:N` is checked and left out. Blank lines and comments are skipped. `dtype` is that of the
    values: labels are always float64. Bad data raises `DataError`.
    """
    if first_index not in (None, 0, 1):
        raise ValueError(f"first_index must be 0, 1 or None, not {first_index!r}")
    rows = _Rows(np.dtype(dtype), n_features, first_index, ignore_new)
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb", buffering=0) as stream:
            rows.read(stream, os.fspath(source), os.fstat(stream.fileno()).st_size)
    else:
        rows.read(source, str(getattr(source, "name", "<stream>")), 0)
    return rows.finish()


class _Column:
    """An array that grows at its end."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.array, self.count = np.empty(0, dtype), 0

    def extend(self, items: np.ndarray, growth: float) -> None:
        """Append; where room is lacking, make `growth` times what is needed (memory not written to is not taken)."""
        needed = self.count + len(items)
        if needed > len(self.array):
            larger = np.empty(int(needed * growth) + 1, self.array.dtype)
            larger[: self.count] = self.array[: self.count]
            self.array = larger
        self.array[self.count : needed] = items
        self.count = needed

    def finish(self) -> np.ndarray:
        """The array without the room to grow."""
        self.array.resize(self.count, refcheck=False)
        return self.array


class _Rows:
    """The rows read so far."""

    def __init__(self, dtype: np.dtype[Any], n_features: int | None, first_index: int | None, ignore_new: bool) -> None:
        self.path = ""
        self.n_features, self.first_index, self.ignore_new = n_features, first_index, ignore_new
        self.labels, self.row_ends = _Column(np.float64), _Column(np.int64)
        self.indices, self.values = _Column(np.int32), _Column(dtype)
        self.smallest, self.largest = 1, -1
        self.edge: DataError | None = None  # a feature that is one too many if, as it may turn out, they count from 0

    def read(self, stream: BinaryIO, path: str, size: int) -> None:
        """Take in a stream of `size` bytes, 0 if not known: what one block holds tells how much room to make."""
        self.path = path
        scratch, bytes_read = None, 0
        for block in blocks(stream, path):
            if scratch is None or len(scratch.values) <= len(block.text) // 4:
                scratch = scratch_for(block)
            entries = parse_block(block, scratch, self.values.array.dtype)
            if len(entries.indices):
                self.check_range(block, entries)
            bytes_read += block.stop
            growth = max(1.02 * size / bytes_read, 1.5)
            self.row_ends.extend(entries.row_ends + self.values.count, growth)
            self.labels.extend(entries.labels, growth)
            self.indices.extend(entries.indices, growth)
            self.values.extend(entries.values, growth)

    def check_range(self, block: Block, entries: Entries) -> None:
        """Note the range of the indices, widen their type if need be, and refuse what lies outside."""
        indices = entries.indices
        self.smallest = min(self.smallest, int(indices.min()))
        self.largest = max(self.largest, int(indices.max()))
        if self.largest > LARGEST_INT32 and self.indices.array.dtype == np.int32:
            self.indices.array = self.indices.array.astype(np.int64)
        if self.smallest == 0 and self.first_index == 1:
            raise _out_of_range(block, entries, indices == 0, "expected feature indices from 1 on")
        if self.n_features is None or self.ignore_new or self.largest < self.n_features:
            return
        first = 1 if self.first_index is None else self.first_index
        expected = f"expected at most {self.n_features} features"
        if self.largest >= self.n_features + first:
            raise _out_of_range(block, entries, indices >= self.n_features + first, expected)
        if self.first_index is None and self.edge is None:
            expected += " counted from 0, because index 0 occurs in this file"
            self.edge = _out_of_range(block, entries, indices == self.n_features, expected)

    def finish(self) -> SvmlightData:
        if not self.labels.count:
            raise DataError("expected at least one example, found none", self.path)
        first = self.smallest if self.first_index is None else self.first_index
        if first == 0 and self.edge is not None:
            raise self.edge
        labels, values, indices = self.labels.finish(), self.values.finish(), self.indices.finish()
        bounds = np.concatenate(([0], self.row_ends.finish()))
        indices -= first
        n_columns = max(0, self.largest + 1 - first) if self.n_features is None else self.n_features
        if self.largest - first >= n_columns:
            is_known = indices < n_columns
            bounds = np.concatenate(([0], np.cumsum(is_known)))[bounds]
            values, indices = values[is_known], indices[is_known]
        # One type for both, as SciPy wants it; the names of an unused wide range cost nothing.
        is_narrow = max(n_columns, len(values)) <= LARGEST_INT32
        index_type = np.int32 if is_narrow else np.int64
        bounds, indices = bounds.astype(index_type, copy=False), indices.astype(index_type, copy=False)
        matrix = csr_array((values, indices, bounds), shape=(len(labels), n_columns))
        matrix.has_canonical_format = True  # known, so that nothing checks it again
        return SvmlightData(labels, matrix, first)


def _out_of_range(block: Block, entries: Entries, is_outside: np.ndarray, expected: str) -> DataError:
    """The error of the entry outside that comes first in the file."""
    outside = np.flatnonzero(is_outside)
    k = outside[np.argmin(entries.value_starts[outside])]
    return block.error(f"{expected}, found index {entries.indices[k]}", index_start(block, entries.value_starts[k]))

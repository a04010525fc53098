"""What is asked of row vectors beside arithmetic: sums, the rows that are not zero, other numbers at some rows.

Row vectors of every residence know NumPy's elementwise functions, with each other and with numbers. What looks at all
of one goes through these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import exact_sum
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowBlock, Rows, RowVector


def row_sum(rows: Rows, vector: RowVector) -> float:
    """The sum over the rows."""
    return exact_sum(rows.each(_sum, rows=(vector,)))


def row_dot(rows: Rows, vector: RowVector, other: RowVector) -> float:
    """The sum over the rows of the products."""
    return exact_sum(rows.each(_dot, rows=(vector, other)))


def row_max(rows: Rows, vector: RowVector) -> float:
    """The largest number."""
    return max(rows.each(_max, rows=(vector,)))


def nonzero_rows(rows: Rows, vector: RowVector) -> NDArray[np.int64]:
    """The rows where it is not zero, in their order."""
    return np.concatenate(rows.each(_nonzero, rows=(vector,)))


def nonzero_count(rows: Rows, vector: RowVector) -> int:
    """How many they are."""
    return sum(rows.each(_count, rows=(vector,)))


def are_equal(rows: Rows, vector: RowVector, other: RowVector) -> bool:
    """Whether every number is the same."""
    return all(rows.each(_equal, rows=(vector, other)))


def with_entries(rows: Rows, vector: RowVector, numbers: NDArray[np.int64], values: Vector) -> RowVector:
    """A copy with these values at these rows, which are in rising order."""
    return rows.vector(_put, numbers, values, rows=(vector,))


def _sum(block: RowBlock, vector: Vector) -> float:
    return float(vector.sum())


def _dot(block: RowBlock, vector: Vector, other: Vector) -> float:
    return float(vector @ other)


def _max(block: RowBlock, vector: Vector) -> float:
    return float(vector.max())


def _nonzero(block: RowBlock, vector: Vector) -> NDArray[np.int64]:
    return np.flatnonzero(vector) + block.first


def _count(block: RowBlock, vector: Vector) -> int:
    return int(np.count_nonzero(vector))


def _equal(block: RowBlock, vector: Vector, other: Vector) -> bool:
    return bool(np.array_equal(vector, other))


def _put(block: RowBlock, numbers: NDArray[np.int64], values: Vector, vector: Vector, out: Vector) -> None:
    out[:] = vector
    here = slice(*np.searchsorted(numbers, (block.first, block.first + out.size)))
    out[numbers[here] - block.first] = values[here]

"""A 128-bit fingerprint of parsed data: values, labels and weights in row order.

The same for every file format and for dense and sparse storage (zeros do not count), so that `verify` can say
whether these are the data a model was fitted on. It finds accidents, not forgeries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel, quiet
from empirisk.designs import CSR, Dense, Indicators
from empirisk.protocols import Vector
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import RowBlock, Rows, RowVector

MASK = (1 << 64) - 1
# Odd constants with well-mixed bits, from the fractional parts of square roots.
KEY_ROW, KEY_COLUMN, KEY_A, KEY_B = (
    np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1)
)
SHIFT = np.uint64(32)
ONE = np.uint64(1)
NOTHING = np.uint64(0)  # is added for what does not count: loops without a branch run on vectors
LABEL, WEIGHT = np.uint64(3), np.uint64(5)  # with other factors than entries: they cannot stand in for a column

Sums = tuple[int, int]  # of two words, not yet cut to 64 bits


def fingerprint(design: Dense | CSR, labels: Vector, weights: Vector | None, n_threads: int = 1) -> str:
    """32 hexadecimal digits, of rows at hand."""
    return fingerprint_of(InMemory(design, n_threads), labels, np.empty(0) if weights is None else weights)


def fingerprint_of(rows: Rows, labels: RowVector, weights: RowVector) -> str:
    """The same wherever they live; the weights are empty where all are one."""
    sums = rows.each(_mix_block, rows=(labels, weights))
    return digits_of((sum(part[0] for part in sums), sum(part[1] for part in sums)), rows.n_rows, rows.n_columns)


def fingerprint_sums(design: Dense | CSR | Indicators, labels: Vector, weights: Vector, first: int = 0) -> Sums:
    """What these rows bring to a fingerprint, where so many are above them: of parts of the data they add up.

    In one call of machine code, for those who ask after every row; the vectors are float64 and C-ordered.
    """
    with quiet():  # words wrap around
        words = _mix_rows(design, labels, weights, first)
    return int(words[0]), int(words[1])


def mixed_words(n: int, key: int) -> NDArray[np.uint64]:
    """A well-mixed word of 64 bits for each of the places 0, ..., n - 1: the same on every machine."""
    words = np.empty(n, np.uint64)
    with quiet():  # words wrap around
        _mix_places(key, words)
    return words


def digits_of(sums: Sums, n_rows: int, n_columns: int) -> str:
    """The fingerprint of rows with these sums."""
    first = (sums[0] + n_rows * int(KEY_A)) & MASK
    second = (sums[1] + n_columns * int(KEY_B)) & MASK
    return f"{first:016x}{second:016x}"


def _mix_block(block: RowBlock, labels: Vector, weights: Vector) -> Sums:
    """A weight of 1 is none."""
    design, first = block
    with np.errstate(over="ignore"):  # words wrap around; only the interpreter would warn
        if isinstance(design, CSR):
            sums = [_times(1, _mix_sparse(design.values, design.indices, design.starts, first))]
        else:
            sums = [_times(1, _mix_dense(design.values, first, 0.0))]
        sums.append(_times(int(LABEL), _mix_dense(_like_rows(labels), first, 0.0)))
        if weights.size:
            sums.append(_times(int(WEIGHT), _mix_dense(_like_rows(weights), first, 1.0)))
    return sum(part[0] for part in sums), sum(part[1] for part in sums)


def _like_rows(vector: Any) -> Any:
    """As the values of dense rows are, C-ordered and read-only: another type would compile again."""
    shape = vector.shape if vector.ndim > 1 else (vector.size, 1)
    rows = np.ascontiguousarray(vector, dtype=np.float64).reshape(shape).view()
    rows.flags.writeable = False
    return rows


def _times(factor: int, words: tuple[Any, Any]) -> tuple[int, int]:
    return factor * int(words[0]), factor * int(words[1])


@kernel
def _mix_dense(values, above, neutral):
    """Of rows that have so many above them."""
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.size):
            a, b = _mix(np.float64(row[j]), above + i, j)
            first += a if row[j] != neutral else NOTHING
            second += b if row[j] != neutral else NOTHING
    return first, second


@kernel
def _mix_sparse(values, indices, starts, above):
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(starts.size - 1):
        entries, columns = values[starts[i] : starts[i + 1]], indices[starts[i] : starts[i + 1]]
        for k in range(entries.size):
            a, b = _mix(np.float64(entries[k]), above + i, columns[k])
            first += a if entries[k] != 0.0 else NOTHING
            second += b if entries[k] != 0.0 else NOTHING
    return first, second


@kernel(borrows=True)
def _mix_rows(X, y, weights, above):
    """Of rows, labels and weights at once; the words are cut to 64 bits."""
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(X.n_rows()):
        for k in range(X.row_size(i)):
            x = np.float64(X.entry_at(i, k))
            a, b = _mix(x, above + i, X.column_at(i, k))
            first += a if x != 0.0 else NOTHING
            second += b if x != 0.0 else NOTHING
        if y[i] != 0.0:
            a, b = _mix(y[i], above + i, 0)
            first += LABEL * a
            second += LABEL * b
        if weights.size and weights[i] != 1.0:
            a, b = _mix(weights[i], above + i, 0)
            first += WEIGHT * a
            second += WEIGHT * b
    return first, second


@kernel
def _mix_places(key, words):
    for i in range(words.size):
        words[i] = _mix(0.0, i, key)[0]


@kernel(inlined=True)
def _mix(value, i, j):
    """Two well-mixed words of one entry and its place; their sums over entries do not depend on storage."""
    x = np.float64(value).view(np.uint64) ^ (np.uint64(i + 1) * KEY_ROW + (np.uint64(j) + ONE) * KEY_COLUMN)
    x = (x ^ (x >> SHIFT)) * KEY_A
    x = (x ^ (x >> SHIFT)) * KEY_B
    x ^= x >> SHIFT
    return x, (x * KEY_A) ^ (x >> SHIFT)

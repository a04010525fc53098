"""A 128-bit fingerprint of parsed data: values, labels and weights in row order.

The same for every file format and for dense and sparse storage (zeros do not count), so that `verify` can say
whether these are the data a model was fitted on. It finds accidents, not forgeries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense
from empirisk.protocols import Vector
from empirisk.rows.blocks import Block, map_blocks, row_blocks

MASK = (1 << 64) - 1
# Odd constants with well-mixed bits, from the fractional parts of square roots.
KEY_ROW, KEY_COLUMN, KEY_A, KEY_B = (
    np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1)
)
SHIFT = np.uint64(32)
ONE = np.uint64(1)


def fingerprint(design: Dense | CSR, labels: Vector, weights: Vector | None, n_threads: int = 1) -> str:
    """32 hexadecimal digits."""
    n, d = design.n_rows(), design.n_columns()

    def task(block: Block) -> tuple[int, int]:
        with np.errstate(over="ignore"):  # words wrap around; only the interpreter would warn
            if isinstance(design, CSR):
                parts = _mix_sparse(design.values, design.indices, design.starts, block[0], block[1])
            else:
                parts = _mix_dense(design.values, block[0], block[1], 0.0)
        return int(parts[0]), int(parts[1])

    sums = map_blocks(task, row_blocks(design, 1), n_threads)
    # Labels and weights enter with other factors, so that they cannot stand in for a column; a weight of 1 is none.
    with np.errstate(over="ignore"):
        sums.append(_times(3, _mix_dense(np.ascontiguousarray(labels).reshape(n, -1), 0, n, 0.0)))
        if weights is not None:
            sums.append(_times(5, _mix_dense(weights.reshape(-1, 1), 0, n, 1.0)))
    first = (sum(part[0] for part in sums) + n * int(KEY_A)) & MASK
    second = (sum(part[1] for part in sums) + d * int(KEY_B)) & MASK
    return f"{first:016x}{second:016x}"


def _times(factor: int, words: tuple[Any, Any]) -> tuple[int, int]:
    return factor * int(words[0]), factor * int(words[1])


@kernel
def _mix_dense(values, start, stop, neutral):
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(start, stop):
        row = values[i]
        for j in range(row.size):
            if row[j] != neutral:
                a, b = _mix(np.float64(row[j]), i, j)
                first += a
                second += b
    return first, second


@kernel
def _mix_sparse(values, indices, starts, start, stop):
    first = np.uint64(0)
    second = np.uint64(0)
    for i in range(start, stop):
        for k in range(starts[i], starts[i + 1]):
            if values[k] != 0.0:
                a, b = _mix(np.float64(values[k]), i, indices[k])
                first += a
                second += b
    return first, second


@kernel
def _mix(value, i, j):
    """Two well-mixed words of one entry and its place; their sums over entries do not depend on storage."""
    x = np.float64(value).view(np.uint64) ^ (np.uint64(i + 1) * KEY_ROW + (np.uint64(j) + ONE) * KEY_COLUMN)
    x = (x ^ (x >> SHIFT)) * KEY_A
    x = (x ^ (x >> SHIFT)) * KEY_B
    x ^= x >> SHIFT
    return x, (x * KEY_A) ^ (x >> SHIFT)

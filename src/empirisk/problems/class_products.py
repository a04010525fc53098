"""Rows times the weights of many classes, and sums of rows with a coefficient for each class: a tile at a time.

The classes of a point x, (d + 1) x K, are contiguous, so that each stored entry of a sparse row does K adjacent
multiply-adds; dense rows go through BLAS.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from empirisk.arithmetic.copying import copy_to
from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, rows_between
from empirisk.protocols import Matrix
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import RowBlock, Rows, RowVector

TILE_ENTRIES = 1 << 16  # of dense rows, and of their scores: they stay in the second-level cache


def work_of(rows: Rows, n_classes: int) -> float:
    """What an entry costs: K multiply-adds, of which BLAS does about eight in the time of one."""
    return float(n_classes) if rows.is_sparse else n_classes / 8.0


def class_scores(design: Dense | CSR, x: Matrix, n_threads: int = 1) -> Matrix:
    """W x_i + b for each row at hand, n x K."""
    found: Matrix = class_scored(InMemory(design, n_threads), x)
    return found


def class_scored(rows: Rows, x: Matrix) -> RowVector:
    """W x_i + b for each row."""
    return rows.vector(_class_scores, x, shape=x.shape[1:], work=work_of(rows, x.shape[1]))


def _class_scores(block: RowBlock, x: Matrix, out: Matrix) -> None:
    for at, tile in class_tiles(block.design, x.shape[1]):
        write_scores(tile, x, out[at])


def class_tiles(design: Dense | CSR, n_classes: int) -> Iterator[tuple[slice, Dense | CSR]]:
    """Where a tile is among the rows of the design, and its rows."""
    width = max(design.n_columns(), n_classes) if isinstance(design, Dense) else n_classes
    size, n = max(64, TILE_ENTRIES // width), design.n_rows()
    for first in range(0, n, size):
        last = min(first + size, n)
        yield slice(first, last), rows_between(design, first, last)


def write_scores(tile: Dense | CSR, x: Matrix, out: Matrix) -> Any:
    """Write the scores of these rows, and return them as float64 where they are dense."""
    if isinstance(tile, CSR):
        _sparse_scores(tile.values, tile.indices, tile.starts, x, out)
        return None
    rows = tile.values.astype(np.float64, copy=False)
    np.matmul(rows, x[:-1], out=out)
    if np.any(x[-1]):
        out += x[-1]
    return rows


def add_products(tile: Dense | CSR, rows: Any, a: Matrix, out: Matrix) -> None:
    """Add the sum of a_i (x_i, 1)^T, transposed, over the tile; `rows` are what `write_scores` returned, or None.

    Of sparse rows, a and out may hold a range of the classes.
    """
    if isinstance(tile, CSR):
        _add_sparse_rows(tile.values, tile.indices, tile.starts, a, out)
        return
    rows = tile.values.astype(np.float64, copy=False) if rows is None else rows
    out[:-1] += rows.T @ a
    out[-1] += np.ones(a.shape[0]) @ a  # a product runs on vectors, a sum along the rows does not


@kernel
def _sparse_scores(values, indices, starts, x, out):
    d = x.shape[0] - 1
    for i in range(out.shape[0]):
        z = out[i]
        copy_to(x[d], z)
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = x[indices[e]]
            for j in range(z.size):
                z[j] += value * w[j]


@kernel
def _add_sparse_rows(values, indices, starts, a, out):
    d = out.shape[0] - 1
    for i in range(a.shape[0]):
        row = a[i]
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = out[indices[e]]
            for j in range(row.size):
                w[j] += value * row[j]
        w = out[d]
        for j in range(row.size):
            w[j] += row[j]

"""Rows times the weights of many classes, and sums of rows with a coefficient for each class: a tile at a time.

The classes of a point x, (d + 1) x K, are contiguous, so that each stored entry of a sparse row does K adjacent
multiply-adds; dense rows go through BLAS.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense
from empirisk.protocols import Matrix
from empirisk.rows.blocks import Block, map_blocks, row_blocks

TILE_ENTRIES = 1 << 16  # of dense rows, and of their scores: they stay in the second-level cache


def work_of(design: Dense | CSR, n_classes: int) -> float:
    """What an entry costs: K multiply-adds, of which BLAS does about eight in the time of one."""
    return n_classes / 8.0 if isinstance(design, Dense) else float(n_classes)


def class_scores(design: Dense | CSR, x: Matrix, n_threads: int = 1) -> Matrix:
    """W x_i + b for each row, n x K."""
    out = np.empty((design.n_rows(), x.shape[1]))

    def task(block: Block) -> None:
        for start, stop in tiles(design, x.shape[1], *block):
            write_scores(design, start, stop, x, out[start:stop])

    map_blocks(task, row_blocks(design, 1, work_of(design, x.shape[1])), n_threads)
    return out


def tiles(design: Dense | CSR, n_classes: int, first: int, last: int) -> Iterator[Block]:
    """Ranges of rows that are worked on at a time."""
    width = max(design.n_columns(), n_classes) if isinstance(design, Dense) else n_classes
    size = max(64, TILE_ENTRIES // width)
    for start in range(first, last, size):
        yield start, min(start + size, last)


def tile_of(design: Dense | CSR, first: int, last: int) -> Any:
    """A tile of dense rows as float64; None for sparse ones."""
    return design.values[first:last].astype(np.float64, copy=False) if isinstance(design, Dense) else None


def write_scores(design: Dense | CSR, first: int, last: int, x: Matrix, out: Matrix) -> Any:
    """Write the scores of these rows, and return the tile."""
    rows = tile_of(design, first, last)
    if isinstance(design, CSR):
        _sparse_scores(design.values, design.indices, design.starts, first, last, x, out)
    else:
        np.matmul(rows, x[:-1], out=out)
        if np.any(x[-1]):
            out += x[-1]
    return rows


def add_products(design: Dense | CSR, first: int, last: int, rows: Any, a: Matrix, out: Matrix) -> None:
    """Add the sum of a_i (x_i, 1)^T, transposed, over these rows."""
    if isinstance(design, CSR):
        add_sparse_products(design, first, last, a, out)
    else:
        out[:-1] += rows.T @ a
        out[-1] += np.ones(a.shape[0]) @ a  # a product runs on vectors, a sum along the rows does not


def add_sparse_products(design: CSR, first: int, last: int, a: Matrix, out: Matrix) -> None:
    """The same for sparse rows, of which a and out may hold a range of the classes."""
    _add_sparse_rows(design.values, design.indices, design.starts, first, last, a, out)


@kernel
def _sparse_scores(values, indices, starts, first, last, x, out):
    d = x.shape[0] - 1
    for i in range(first, last):
        z = out[i - first]
        z[:] = x[d]
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = x[indices[e]]
            for j in range(z.size):
                z[j] += value * w[j]


@kernel
def _add_sparse_rows(values, indices, starts, first, last, a, out):
    d = out.shape[0] - 1
    for i in range(first, last):
        row = a[i - first]
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = out[indices[e]]
            for j in range(row.size):
                w[j] += value * row[j]
        w = out[d]
        for j in range(row.size):
            w[j] += row[j]

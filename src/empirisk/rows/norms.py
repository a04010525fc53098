"""Norms of rows, whose squares may overflow or vanish."""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, row_norm, row_sizes
from empirisk.designs.row_norm import LEAST, MOST
from empirisk.protocols import Vector
from empirisk.rows.row_kernels import squared_norms


def row_norms(design: Dense | CSR, out: Vector) -> None:
    """Write ||x_i|| for each row."""
    squared_norms(design, out)
    to_norms(design, out)


def to_norms(design: Dense | CSR, squares: Vector) -> None:
    """Replace each ||x_i||^2 by its root; those that are very large or small are summed up anew."""
    if not squares.size or (squares.min() >= LEAST and squares.max() <= MOST):
        np.sqrt(squares, out=squares)
        return
    is_lost = ~((squares >= LEAST) & (squares <= MOST)) & (row_sizes(design) > 0)
    lost = np.flatnonzero(is_lost)
    norms = squares[lost]
    if lost.size:
        _lost_norms(design, lost, norms)
    np.sqrt(squares, out=squares, where=~is_lost)
    squares[lost] = norms


@kernel
def _lost_norms(X, rows, squares):
    for k in range(rows.size):
        squares[k] = row_norm(X, rows[k], squares[k])

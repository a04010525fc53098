"""The columns of a matrix, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Block = Any  # an array, or a CSR matrix whose columns rise in each row


def dense(blocks: Sequence[Block]) -> NDArray[np.float64]:
    """One array in C order."""
    matrix = np.empty((blocks[0].shape[0], sum(block.shape[1] for block in blocks)))
    offset = 0
    for block in blocks:
        width = block.shape[1]
        matrix[:, offset : offset + width] = block.toarray() if scipy.sparse.issparse(block) else block
        offset += width
    return matrix


def sparse(blocks: Sequence[Block]) -> Any:
    """One CSR matrix without zeros, its columns rising in each row."""
    n, parts = blocks[0].shape[0], [_without_zeros(block) for block in blocks]
    counts = sum((np.diff(starts) for _, _, starts in parts), np.zeros(n, np.int64))
    starts = np.concatenate([[0], np.cumsum(counts)])
    # Half the memory, and the machine code that readers of sparse files use too.
    is_small = max(int(starts[-1]), sum(block.shape[1] for block in blocks)) <= np.iinfo(np.int32).max
    kind = np.int32 if is_small else np.int64
    values, places = np.empty(int(starts[-1])), np.empty(int(starts[-1]), kind)
    following, offset = starts[:-1].copy(), 0
    for block, (own_values, own_places, own_starts) in zip(blocks, parts, strict=True):
        sizes = np.diff(own_starts)
        slots = np.repeat(following - own_starts[:-1], sizes) + np.arange(own_values.size)
        values[slots], places[slots] = own_values, own_places + offset
        following += sizes
        offset += block.shape[1]
    matrix = scipy.sparse.csr_array((values, places, starts.astype(kind)), shape=(n, offset))
    matrix.has_canonical_format = True
    return matrix


def _without_zeros(block: Block) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Values, columns and the start of each row."""
    matrix = scipy.sparse.csr_array(block)
    if not matrix.data.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)

"""Tiles: they cover the rows of a block once, and fit into the cache."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import as_design, matrix_of, n_entries, rows_between
from empirisk.rows import tiles as module
from empirisk.rows.tiles import MOST_TILE_ROWS, TILE_ENTRIES, tile_rows, tiles

pytestmark = pytest.mark.interpreted


@given(st.integers(1, 90), st.integers(1, 30), st.integers(1, 300), st.integers(8, 40), st.booleans(), st.data())
def test_tiles_cover_the_rows_once(n, d, entries, rows, is_sparse, data):
    X = np.random.default_rng(n).normal(size=(n, d)) * (np.random.default_rng(d).random((n, d)) < 0.5)
    first = data.draw(st.integers(0, n - 1))
    design = rows_between(as_design(scipy.sparse.csr_array(X) if is_sparse else X), first, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TILE_ENTRIES", entries)
        patch.setattr(module, "MOST_TILE_ROWS", rows)
        found, size = list(tiles(design)), tile_rows(design)
    assert [i for at, _ in found for i in range(at.start, at.stop)] == list(range(n - first))
    for at, tile in found:
        values = matrix_of(tile)
        np.testing.assert_array_equal(values.toarray() if is_sparse else values, X[first:][at])
        assert tile.n_rows() <= size <= max(rows, 8)
        assert is_sparse or n_entries(tile) <= max(entries, 8 * d)
    assert all(at.stop - at.start == size for at, _ in found[:-1])


def test_small_blocks_are_one_tile_and_no_copy():
    design = as_design(np.ones((5, 3)))
    [(at, tile)] = tiles(design)
    assert at == slice(0, 5)
    assert tile is design


def test_large_ones_are_several():
    narrow, wide = as_design(np.ones((3 * MOST_TILE_ROWS, 1))), as_design(np.ones((300, TILE_ENTRIES // 100)))
    assert [tile.n_rows() for _, tile in tiles(narrow)] == [MOST_TILE_ROWS] * 3
    assert max(n_entries(tile) for _, tile in tiles(wide)) <= TILE_ENTRIES

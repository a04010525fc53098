"""Rows in memory: what tasks are given, what comes of it, and what is kept between passes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import CSR, as_design, matrix_of
from empirisk.rows import tree
from empirisk.rows.in_memory import InMemory
from empirisk.rows.row_kernels import add_rows

pytestmark = pytest.mark.interpreted
N, D = 90, 4
rng = np.random.default_rng(0)
X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.7)
V = rng.normal(size=N)
stored = pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
some_threads = pytest.mark.parametrize("threads", [1, 2, 4])


@pytest.fixture
def small(monkeypatch):
    """Several leaves, and several blocks in a leaf, on tiny data."""
    monkeypatch.setattr(tree, "CELL", 8)
    monkeypatch.setattr(tree, "COST_PER_LEAF", 8)
    monkeypatch.setattr(tree, "BLOCK_CELLS", 2)


def as_array(design):
    matrix = matrix_of(design)
    return matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix)


def place(block):
    return block.first, block.design.n_rows()


def add(block, factor, vector, out):
    return add_rows(block.design, factor * vector, out[None])


def add_and_write(block, vector, out, written):
    written[:] = vector + np.arange(block.first, block.first + vector.size)
    out[0] += vector.size
    return block.first


def add_range(block, part, vector, out):
    assert out.shape == as_array(block.design)[:, part].shape[1:]
    for row, a in zip(as_array(block.design)[:, part], vector, strict=True):
        out += a * row


def fail_late(block, limit):
    if block.first >= limit:
        raise ValueError(f"row {block.first}")


@stored
@some_threads
@pytest.mark.usefixtures("small")
def test_blocks_come_in_order_and_are_the_rows(wrap, threads):
    rows = InMemory(as_design(wrap(X)), threads)
    places = rows.each(place)
    assert len(places) > 2
    assert [first for first, _ in places] == np.cumsum([0, *(count for _, count in places[:-1])]).tolist()
    assert sum(count for _, count in places) == N
    total, said = rows.total(add, 2.0, rows=(V,), shape=(D,))
    np.testing.assert_allclose(total, 2.0 * V @ X, rtol=1e-12)
    np.testing.assert_allclose(sum(said), 2.0 * V.sum(), rtol=1e-12)


@some_threads
@pytest.mark.usefixtures("small")
def test_what_is_written_is_where_it_belongs(threads):
    rows = InMemory(as_design(X), threads)
    written = rows.blank()
    total, said = rows.total(add_and_write, rows=(V,), writes=(written,), shape=(1,))
    assert total.tolist() == [N]
    assert said == sorted(said)
    np.testing.assert_array_equal(written, V + np.arange(N))


@stored
@pytest.mark.usefixtures("small")
def test_arrays_that_are_used_again_are_zero_again(wrap):
    """Pass after pass, and from threads that end in any order."""
    rows = InMemory(as_design(wrap(X)), 2)
    assert len(rows.tree.leaves(D)) > 3
    sums = {rows.total(add, 1.0, rows=(V,), shape=(D,))[0].tobytes() for _ in range(20)}
    sums |= {rows.with_threads(k).total(add, 1.0, rows=(V,), shape=(D,))[0].tobytes() for k in (1, 4)}
    assert len(sums) == 1


@some_threads
@pytest.mark.parametrize("split", [0, 1, 3, D, 9])
def test_ranges_of_a_wide_sum_give_what_the_whole_gives(split, threads):
    """One leaf, as on all tiny data: threads take ranges of the sum instead."""
    rows = InMemory(as_design(X), threads)
    assert len(rows.tree.leaves(D)) == 1
    whole = InMemory(as_design(X)).total(add_range, rows=(V,), shape=(D,), split=0)[0]
    np.testing.assert_allclose(whole, V @ X, rtol=1e-12)
    assert rows.total(add_range, rows=(V,), shape=(D,), split=split)[0].tobytes() == whole.tobytes()


@pytest.mark.usefixtures("small")
def test_several_leaves_are_never_split_into_ranges():
    rows = InMemory(as_design(X), 2)
    total, said = rows.total(add_range, rows=(V,), shape=(D,), split=1)
    np.testing.assert_allclose(total, V @ X, rtol=1e-12)
    assert len(said) > len(rows.tree.leaves(D)) > 1


@some_threads
@pytest.mark.usefixtures("small")
def test_the_error_of_the_first_block_that_has_one_reaches_the_caller(threads):
    rows = InMemory(as_design(X), threads)
    first = min(at for at, _ in rows.each(place) if at >= 30)
    with pytest.raises(ValueError, match=rf"row {first}$"):
        rows.each(fail_late, 30)
    assert rows.total(add, 1.0, rows=(V,), shape=(D,))[0].size == D  # and the next pass runs


@given(st.lists(st.integers(0, N - 1), max_size=8), st.lists(st.integers(0, D - 1), unique=True), st.booleans())
def test_rows_and_columns_by_number(numbers, columns, is_sparse):
    rows = InMemory(as_design(scipy.sparse.csr_array(X) if is_sparse else X))
    numbers, columns = np.array(numbers, dtype=np.int64), np.array(columns, dtype=np.int64)
    np.testing.assert_array_equal(as_array(rows.take(numbers)), X[numbers])
    np.testing.assert_array_equal(as_array(rows.take_columns(columns)), X.T[columns])
    np.testing.assert_array_equal(rows.pick(V, numbers), V[numbers])
    assert rows.column_sizes().sum() == rows.n_entries
    assert rows.column_sizes() is rows.column_sizes()


@stored
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_other_units_change_no_digit_and_cost_one_copy(wrap, dtype):
    rows = InMemory(as_design(wrap(X).astype(dtype)))
    other = rows.scaled(-3)
    assert other.dtype == rows.dtype == dtype
    np.testing.assert_array_equal(8.0 * as_array(other.whole()), as_array(rows.whole()))
    assert rows.scaled(-3) is other
    assert rows.with_threads(3).scaled(-3).whole() is other.whole()
    assert rows.with_threads(3).scaled(-3).n_threads == 3
    assert not other.whole().values.flags.writeable


@stored
def test_what_is_known_without_a_read(wrap):
    rows = InMemory(as_design(wrap(X)), 2)
    is_sparse = isinstance(rows.whole(), CSR)
    entries = np.count_nonzero(X) if is_sparse else X.size
    assert (rows.n_rows, rows.n_columns, rows.n_entries, rows.is_sparse) == (N, D, entries, is_sparse)
    assert (rows.n_threads, rows.with_threads(4).n_threads, rows.is_in_memory) == (2, 4, True)
    assert rows.with_threads(4).tree is rows.tree
    with pytest.raises(ValueError, match="n_threads"):
        rows.with_threads(0)


def test_row_vectors_are_arrays():
    rows = InMemory(as_design(X))
    assert rows.place(V) is V
    assert rows.gather(V) is V
    assert rows.blank((3,)).shape == (N, 3)
    assert rows.filled(2.0).tolist() == [2.0] * N

"""The tree of sums: cells by a rule that a reader can follow, leaves that the data fix, one order of additions."""

from __future__ import annotations

import itertools
import math
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.rows import tree as module
from empirisk.rows.tree import BLOCK_CELLS, CELL, DENSE_ENTRY, MOST_LEAVES, ROW, Sums, Tree, dense_tree, sparse_tree

pytestmark = pytest.mark.interpreted
sizes_of_rows = st.lists(st.integers(0, 40), min_size=1, max_size=120)
widths = st.sampled_from([1, 2, 3, 10, 100, 5000])
works = st.sampled_from([0.0, 0.25, 1.0, 3.0, 40.0])
# Trees of all sizes, by the cells alone; few of them are as even.
trees = st.builds(
    lambda count, rows, entries, sparse: Tree(range(0, count * rows + 1, rows), count * rows * entries, sparse),
    st.integers(1, 5000),
    st.integers(1, 400),
    st.integers(1, 4000),
    st.booleans(),
)


def streamed(costs: list[float], cell: float) -> list[int]:
    """As a reader finds them: row by row, without a look ahead."""
    edges, cost = [0], 0.0
    for i, own in enumerate(costs, 1):
        cost += own
        if cost >= cell or i == len(costs):
            edges.append(i)
            cost = 0.0
    return edges


@given(sizes_of_rows, st.integers(1, 200), st.integers(0, 9))
def test_cells_of_sparse_rows_are_those_of_a_reader(sizes, cell, skipped):
    starts = skipped + np.append(0, np.cumsum(sizes))  # those of a view of some rows do not begin at 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELL", cell)
        found = sparse_tree(starts)
    assert list(found.edges) == streamed([size + ROW for size in sizes], cell)
    assert (found.n_rows, found.n_entries, found.is_sparse) == (len(sizes), sum(sizes), True)


@given(st.integers(1, 300), st.integers(1, 60), st.integers(1, 200))
def test_cells_of_dense_rows_are_those_of_a_reader(n, d, cell):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELL", cell)
        found = dense_tree(n, d)
    assert list(found.edges) == streamed([DENSE_ENTRY * d + ROW] * n, cell)
    assert (found.n_rows, found.n_entries, found.is_sparse) == (n, n * d, False)


@given(sizes_of_rows, sizes_of_rows)
def test_more_rows_change_no_cell_that_was_full(sizes, more):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELL", 50)
        few, many = (sparse_tree(np.append(0, np.cumsum(rows))).edges for rows in (sizes, sizes + more))
    assert list(many[: len(few) - 1]) == list(few[:-1])


def test_the_numbers_of_the_rule():
    """They are part of the answer: another cell, and the last bits of every sum are others."""
    assert (CELL, DENSE_ENTRY, ROW, BLOCK_CELLS) == (2**14, 0.25, 2.0, 2**8)
    assert dense_tree(10_000, 8).edges[1] == 4096
    assert sparse_tree(np.arange(0, 60_001, 6)).edges[1] == 2048


@given(trees, widths, works)
def test_leaves_are_aligned_runs_of_cells_and_cover_the_rows_once(tree, width, work):
    leaves = tree.leaves(width, work)
    assert leaves[0][0] == 0
    assert leaves[-1][1] == tree.n_rows
    assert all(a[1] == b[0] for a, b in itertools.pairwise(leaves))
    count, step = len(tree.edges) - 1, tree.edges[1]
    if len(leaves) > 1:
        cells = {(last - first) // step for first, last in leaves[:-1]}
        assert len(cells) == 1  # so that leaf k begins with cell k 2^m
        assert cells.pop().bit_count() == 1
    else:
        assert leaves == [(0, count * step)]


@given(trees, widths, works)
def test_leaves_are_few_and_their_sums_small(tree, width, work):
    count, entries = len(tree.leaves(width, work)), tree.n_entries
    assert count <= MOST_LEAVES + 1  # the last one may be short
    if count > 1:
        memory = max(entries / module.DATA_PER_SUM, module.SMALL_SUMS if work > 1.0 else 0)
        assert (count - 1) * width <= memory
        assert (count - 1) * 2 * width <= work * entries  # adding them up costs less than they do


@given(trees, st.integers(0, 5))
def test_wider_sums_have_no_more_leaves(tree, k):
    assert len(tree.leaves(10**k)) >= len(tree.leaves(10 ** (k + 1)))


@given(trees, widths, works)
def test_blocks_are_a_few_cells_and_cover_the_leaf(tree, width, work):
    step = tree.edges[1]
    for leaf in tree.leaves(width, work):
        blocks = tree.blocks(leaf)
        assert (blocks[0][0], blocks[-1][1]) == leaf
        assert all(a[1] == b[0] for a, b in itertools.pairwise(blocks))
        assert all(0 < last - first <= BLOCK_CELLS * step for first, last in blocks)
        assert all(first % step == 0 for first, _ in blocks)


class Depth:
    """Instead of a sum: how many additions the terms in it have gone through at most."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def __iadd__(self, other: Depth) -> Depth:
        self.depth = max(self.depth, other.depth) + 1
        return self


@given(trees, widths, works)
def test_no_term_is_rounded_more_often_than_is_said(tree, width, work):
    leaves = tree.leaves(width, work)
    sums = Sums(len(leaves))
    for k, (first, last) in enumerate(leaves):
        sums.add(k, Depth(last - first))  # its first row goes through so many
    assert sums.total().depth <= tree.roundings(width, work)


def in_pairs(parts: list[Any]) -> Any:
    """The sum that is meant: neighbours, then pairs of them, the last one alone where it has no neighbour."""
    while len(parts) > 1:
        parts = [sum(parts[k + 1 : k + 2], parts[k]) for k in range(0, len(parts), 2)]
    return parts[0]


@given(st.data(), st.integers(1, 40))
def test_the_same_bytes_in_any_order_of_arrival(data, count):
    parts = [np.random.default_rng(k).normal(size=3) * 10.0**k for k in range(count)]
    sums, back = Sums(count), 0
    for k in data.draw(st.permutations(range(count))):
        back += len(sums.add(k, parts[k].copy()))
    assert sums.total().tobytes() == in_pairs(parts).tobytes()
    assert back == count - 1  # all arrays but the sum are free again


@given(st.integers(1, 200), st.integers(1, 6), st.randoms(use_true_random=False))
def test_few_sums_wait(count, threads, random):
    """Of leaves that are begun in their order, with so many at a time, whichever of them ends first."""
    sums, running, rest, most = Sums(count), [], list(range(count)), 0
    while running or rest:
        while rest and len(running) < threads:
            running.append(rest.pop(0))
        sums.add(running.pop(random.randrange(len(running))), np.zeros(1))
        most = max(most, len(sums._waiting))
    assert most <= threads * math.ceil(math.log2(count))
    assert not sums._waiting


def test_the_same_bytes_from_many_threads():
    parts = [np.random.default_rng(k).normal(size=1000) for k in range(64)]
    for _ in range(5):
        sums = Sums(64)
        gate = threading.Barrier(8)

        def run(first: int, sums: Sums = sums, gate: threading.Barrier = gate) -> None:
            gate.wait()
            for k in range(first, 64, 8):
                sums.add(k, parts[k].copy())

        workers = [threading.Thread(target=run, args=(first,)) for first in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sums.total().tobytes() == in_pairs(parts).tobytes()


class _Sizes(NamedTuple):
    n: int
    d: int


@pytest.mark.parametrize("sizes", [_Sizes(1, 1), _Sizes(10, 3), _Sizes(200_000, 4), _Sizes(3000, 400)], ids=str)
def test_dense_and_sparse_rows_of_real_sizes(sizes):
    dense, sparse = dense_tree(*sizes), sparse_tree(np.arange(0, sizes.n * sizes.d + 1, sizes.d))
    for tree in (dense, sparse):
        leaves = tree.leaves(sizes.d)
        assert leaves[0][0] == 0
        assert leaves[-1][1] == sizes.n
        assert (len(leaves) > 1) == (sizes.n * sizes.d >= 800_000)

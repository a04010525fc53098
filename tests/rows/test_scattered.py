"""The residence of the law of tasks finds what it is there to find."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse

from empirisk.protocols import Unsupported
from empirisk.rows import tree
from tests.rows.scattered import GoesRound, Scattered

pytestmark = pytest.mark.interpreted
N, D = 40, 3
X = np.random.default_rng(0).normal(size=(N, D))
V = np.linspace(-1.0, 1.0, N)


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(tree, "CELL", 8)
    monkeypatch.setattr(tree, "COST_PER_LEAF", 8)
    return Scattered(X)


def reads_what_it_writes(block, out):
    out += 1.0


def changes_what_it_reads(block, vector, out):
    vector += 1.0
    out[:] = vector


def changes_its_argument(block, w):
    w[0] = 2.0


def keeps_state(block, kept=[]):  # noqa: B006
    kept.append(block.first)
    return len(kept)


def doubles(block, vector, out):
    out[:] = 2.0 * vector


def add_first(block, out):
    out += block.first
    return block.first


def test_tasks_are_sent_by_name(rows):
    with pytest.raises((pickle.PicklingError, AttributeError)):
        rows.each(lambda block: None)


def test_what_a_task_must_not_do_is_found(rows):
    assert np.isnan(rows.gather(rows.vector(reads_what_it_writes))).all()
    with pytest.raises(AssertionError, match="changes_what_it_reads changed what it was given"):
        rows.vector(changes_what_it_reads, rows=(rows.place(V),))
    with pytest.raises(AssertionError, match="changes_its_argument changed what it was given"):
        rows.each(changes_its_argument, np.zeros(3))
    assert rows.each(keeps_state) != sorted(rows.each(keeps_state))  # in another order than that of the rows


def test_a_row_vector_may_be_read_and_written_in_one_call(rows):
    vector = rows.place(V)
    rows.each(doubles, rows=(vector,), writes=(vector,))
    np.testing.assert_array_equal(rows.gather(vector), 2.0 * V)
    assert rows.seen == {"tests.rows.test_scattered.doubles"}


def test_what_is_said_and_added_does_not_depend_on_the_order(rows):
    total, said = rows.total(add_first, shape=(1,))
    assert said == sorted(said)
    assert len(said) > 1
    assert total.tolist() == [float(sum(said))]


def test_row_vectors_know_elementwise_functions(rows):
    vector = rows.place(V)
    np.testing.assert_array_equal(rows.gather(np.abs(2.0 * vector) + 1.0 - vector), np.abs(2.0 * V) + 1.0 - V)
    np.testing.assert_array_equal(rows.gather(vector > 0.0), V > 0.0)
    own = vector.copy()
    own += vector
    np.multiply(own, 0.5, out=own)
    np.testing.assert_array_equal(rows.gather(own), V)
    many = rows.place(np.column_stack([V, V]))
    assert (many.shape, many.size, rows.gather(many * many).shape) == ((N, 2), 2 * N, (N, 2))


@pytest.mark.parametrize(
    "use",
    [
        np.sum,
        np.asarray,
        np.add.reduce,
        len,
        float,
        bool,
        list,
        lambda v: v[0],
        lambda v: v[:, None],
        lambda v: v @ v,
        lambda v: v.sum(),
        lambda v: np.dot(v, v),
        lambda v: np.where(v > 0.0, 1.0, 0.0),
        lambda v: v + V,
        lambda v: np.add(V, V, out=v),
    ],
)
def test_row_vectors_know_nothing_else(rows, use):
    with pytest.raises((GoesRound, AttributeError)):
        use(rows.place(V))


def test_an_array_is_no_row_vector(rows):
    with pytest.raises(GoesRound, match=r"use rows\.place"):
        rows.vector(doubles, rows=(V,))
    empty = rows.place(np.empty(0))
    assert empty.size == 0
    assert rows.gather(empty).size == 0


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_there_is_no_whole(wrap):
    rows = Scattered(wrap(X))
    with pytest.raises(Unsupported, match="never in one place"):
        rows.whole()
    assert rows.take(np.array([3, 1])).n_rows() == 2
    assert rows.take_columns(np.array([2])).n_columns() == N
    assert rows.column_sizes().sum() == rows.n_entries
    assert rows.scaled(2).with_threads(3).n_threads == 3

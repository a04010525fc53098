"""Rows of ones are the CSR rows whose values are all 1."""

import inspect

import numpy as np
import pytest
import scipy.sparse

from empirisk.compiled import kernel
from empirisk.designs import (
    CSR,
    Indicators,
    as_design,
    indicators,
    largest_entry,
    matrix_of,
    n_entries,
    row_sizes,
    rows_between,
)
from empirisk.regularizers import ElasticNet


def pair(seed=0, n=7, d=5):
    ones = scipy.sparse.csr_array((np.random.default_rng(seed).random((n, d)) < 0.5).astype(float))
    return indicators(ones.indices, ones.indptr, d), as_design(ones)


METHODS = {
    "n_rows": lambda X: X.n_rows(),
    "n_columns": lambda X: X.n_columns(),
    "row_size": lambda X: [X.row_size(i) for i in range(7)],
    "column_at": lambda X: [X.column_at(i, k) for i in range(7) for k in range(X.row_size(i))],
    "entry_at": lambda X: [X.entry_at(i, k) for i in range(7) for k in range(X.row_size(i))],
    "stored_value": lambda X: [X.stored_value(k) for k in range(n_entries(X))],
    "dot_row": lambda X: [X.dot_row(i, np.arange(5.0) - 2.0) for i in range(7)],
    "dot_row_sizes": lambda X: [X.dot_row_sizes(i, np.arange(5.0) - 2.0) for i in range(7)],
    "measure_row": lambda X: [X.measure_row(i, np.arange(5.0) - 2.0) for i in range(7)],
    "add_row": lambda X: written(lambda i, out: X.add_row(i, 2.0, out)),
    "add_row_to_both": lambda X: written(lambda i, out: X.add_row_to_both(i, 2.0, out[:5], 3.0, out[5:]), 10),
    "add_weighted_row": lambda X: written(lambda i, out: X.add_weighted_row(i, 2.0, np.arange(5.0), out)),
    "add_row_squares": lambda X: written(lambda i, out: X.add_row_squares(i, 2.0, out)),
    "squared_row_norm": lambda X: [X.squared_row_norm(i) for i in range(7)],
    "weighted_square": lambda X: [X.weighted_square(i, np.arange(5.0)) for i in range(7)],
    "map_row": lambda X: written(lambda i, out: X.map_row(i, np.arange(5.0) - 2.0, ElasticNet(1.5, 0.5), out)),
    "add_gram": lambda X: gram(X),
}


def written(method, size=5):
    """What seven rows write, one below the other."""
    out = np.full((7, size), 0.5)
    for i in range(7):
        method(i, out[i])
    return out


def gram(X):
    out = np.zeros((5, 5))
    X.add_gram(np.linspace(0.0, 1.0, 7), out)
    return out


def test_every_method_is_tested():
    assert {name for name, _ in inspect.getmembers_static(Indicators, inspect.isfunction) if name[0] != "_"} == set(
        METHODS
    )
    assert {name for name, _ in inspect.getmembers_static(CSR, inspect.isfunction) if name[0] != "_"} == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_those_of_rows_with_ones(name):
    ones, sparse = pair()
    np.testing.assert_allclose(METHODS[name](ones), METHODS[name](sparse))


def test_columns_come_in_any_order():
    ones, _ = pair()
    backwards = np.concatenate([ones.indices[ones.starts[i] : ones.starts[i + 1]][::-1] for i in range(7)])
    np.testing.assert_allclose(gram(indicators(backwards, ones.starts, 5)), gram(ones))


@kernel
def _scores(X, w, out):
    for i in range(X.n_rows()):
        out[i] = X.dot_row(i, w)
        X.add_row(i, -1.0, w)


def test_kernels_take_them():
    ones, sparse = pair()
    found = [np.empty(7), np.empty(7)]
    for X, out in zip((ones, sparse), found, strict=True):
        _scores(X, np.arange(5.0), out)
    np.testing.assert_array_equal(*found)


def test_views_and_sizes():
    ones, sparse = pair()
    some = rows_between(ones, 2, 6)
    assert np.shares_memory(some.indices, ones.indices)
    assert some.n_rows() == 4
    assert n_entries(some) == n_entries(rows_between(sparse, 2, 6))
    np.testing.assert_array_equal(row_sizes(some), row_sizes(sparse)[2:6])
    np.testing.assert_array_equal(matrix_of(some).toarray(), matrix_of(sparse).toarray()[2:6])
    assert largest_entry(some) == 1.0
    assert largest_entry(rows_between(ones, 3, 3)) == 0.0
    assert not ones.indices.flags.writeable
    assert not ones.starts.flags.writeable


def test_arrays_that_fit_are_not_copied():
    indices, starts = np.array([2, 0], np.int32), np.array([0, 1, 2])
    ones = indicators(indices, starts, 3)
    assert np.shares_memory(ones.indices, indices)
    assert np.shares_memory(ones.starts, starts)
    assert indices.flags.writeable


@pytest.mark.parametrize(
    ("indices", "starts", "said"),
    [([3], [0, 1], "column 3"), ([0], [0, 2], "does not increase"), ([0, 1], [1, 2], "does not increase")],
)
def test_arrays_that_are_no_rows_are_refused(indices, starts, said):
    with pytest.raises(ValueError, match=said):
        indicators(np.array(indices, np.uint32), np.array(starts), 3)

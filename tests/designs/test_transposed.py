"""Columns of X as rows of another design, taken as they are needed."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.designs import as_design, matrix_of, rows_between
from empirisk.designs.transposed import column_sizes, columns_given, columns_of, scaled_rows

X = np.where(np.random.default_rng(0).random((7, 5)) < 0.6, np.random.default_rng(1).normal(size=(7, 5)), 0.0)
KINDS = [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array]


def dense(design):
    matrix = matrix_of(design)
    return matrix.toarray() if scipy.sparse.issparse(matrix) else matrix


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_a_problem_are_its_transpose(kind):
    problem = er.EmpiricalRisk(kind(X), np.ones(7), "squared")
    np.testing.assert_array_equal(dense(problem.rows.take_columns(np.arange(5))), X.T)
    np.testing.assert_array_equal(dense(problem.rows.whole()), X)
    is_dense = kind in (np.asarray, np.asfortranarray)
    np.testing.assert_array_equal(problem.rows.column_sizes(), 7 if is_dense else np.count_nonzero(X, axis=0))


@pytest.mark.parametrize("kind", [np.asfortranarray, scipy.sparse.csc_array])
def test_data_stored_by_columns_are_not_copied(kind):
    stored = kind(X)
    values = stored.data if scipy.sparse.issparse(stored) else stored
    assert np.shares_memory(columns_given(stored).values, values)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("numbers", [[], [3], [4, 0, 2], [0, 1, 2, 3, 4]])
def test_some_columns_of_a_part_of_the_rows(kind, numbers):
    part = rows_between(as_design(kind(X)), 2, 6)
    taken = columns_of(part, np.array(numbers, dtype=np.int64), column_sizes(part))
    np.testing.assert_array_equal(dense(taken), X[2:6].T[numbers])


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_sizes_are_counted_once_for_all_copies_of_a_problem(kind):
    problem = er.EmpiricalRisk(kind(X), np.ones(7), "squared")
    other = problem.with_loss(problem.loss, problem.labels).with_threads(2)
    assert other.rows.column_sizes() is problem.rows.column_sizes()


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scaled_rows(kind, dtype):
    design = as_design(kind(X.astype(dtype).T))
    factors = np.linspace(0.5, 2.0, 7)
    scaled = scaled_rows(design, np.array([0, 3]), factors)
    assert scaled.values.dtype == np.float64
    np.testing.assert_array_equal(dense(scaled), X.astype(dtype).T[[0, 3]].astype(np.float64) * factors)


@pytest.mark.parametrize("weights", [None, np.arange(7.0)])
def test_rows_of_a_problem(weights):
    problem = er.EmpiricalRisk(X, np.arange(7.0), "squared", sample_weight=weights)
    rows = np.array([1, 4])
    smaller = problem.with_rows(rows)
    np.testing.assert_array_equal(dense(smaller.rows.whole()), X[rows])
    np.testing.assert_array_equal(dense(smaller.rows.take_columns(np.arange(5))), X[rows].T)
    np.testing.assert_array_equal(smaller.labels, [1.0, 4.0])
    assert smaller.total_weight == (2.0 if weights is None else problem.weights[rows].sum())

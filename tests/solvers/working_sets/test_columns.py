"""Working sets: the columns in use, then those nearest to their constraint, and the last ones where these will do."""

import numpy as np

from empirisk.solvers.working_sets.columns import _nearest, working_set

D = 40
NONE = np.arange(0)


def posed():
    """Weights and gradients of 40 columns, of which two are in use and four violate |g_j| <= 1."""
    w, g = np.zeros(D), np.full(D, 0.5)
    w[[2, 30]] = 1.0, -1.0
    g[[2, 30]] = -1.0, 1.0
    g[[5, 6, 7, 8]] = 1.1, -1.2, 1.3, -1.4
    return w, g


def test_the_first_set_has_the_columns_in_use_and_the_furthest_beyond_their_constraint():
    w, g = posed()
    np.testing.assert_array_equal(working_set(np.arange(D), NONE, w, g, np.ones(D), 1.0, 1, 8.0), [2, 8, 30])
    np.testing.assert_array_equal(working_set(np.arange(D), NONE, w, g, np.ones(D), 1.0, 4, 8.0), [2, 7, 8, 30])
    norms = np.ones(D)
    norms[5] = 0.1  # the same distance of g is a longer way there
    np.testing.assert_array_equal(working_set(np.arange(D), NONE, w, g, norms, 1.0, 4, 8.0), [2, 5, 8, 30])


def test_more_violators_join_where_more_of_the_last_set_was_used():
    w, g = posed()
    half, all_used = np.array([1, 2, 3, 30]), np.array([2, 30])
    np.testing.assert_array_equal(working_set(np.arange(D), half, w, g, np.ones(D), 1.0, 1, 8.0), [2, 8, 30])
    np.testing.assert_array_equal(
        working_set(np.arange(D), all_used, w, g, np.ones(D), 1.0, 1, 8.0), [2, 5, 6, 7, 8, 30]
    )


def test_the_set_grows_no_faster_than_it_may():
    w, g = posed()
    np.testing.assert_array_equal(
        working_set(np.arange(D), np.array([2, 30]), w, g, np.ones(D), 1.0, 1, 1.0), [2, 7, 8, 30]
    )


def test_where_the_last_set_has_all_that_matters_none_joins():
    w, g = posed()
    last = np.array([2, 5, 6, 7, 8, 30, 33])
    assert set(working_set(np.arange(D), last, w, g, np.ones(D), 1.0, 2, 8.0)) <= set(last)
    left = np.setdiff1d(np.arange(D), [33])  # that one was screened off
    assert set(working_set(left, last, w, g[left], np.ones(D), 1.0, 20, 8.0)) == set(last) - {33}


def test_all_columns_join_where_there_are_few_more():
    w, g = posed()
    np.testing.assert_array_equal(working_set(np.arange(D), NONE, w, g, np.ones(D), 1.0, 32, 8.0), np.arange(D))


def test_ties_do_not_exceed_the_size():
    columns = np.array([1, 3, 5, 7, 9])
    np.testing.assert_array_equal(_nearest(columns, np.array([0.5, 0.5, 0.1, 0.5, 0.5]), 2), [1, 5])


def test_columns_without_entries_come_last():
    w, g, norms = np.zeros(6), np.zeros(6), np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(working_set(np.arange(6), NONE, w, g, norms, 1.0, 2, 8.0), [1, 3])

"""Working sets: the columns in use, then those nearest to their constraint, never more than asked for."""

import numpy as np

from empirisk.solvers.working_sets.columns import closest


def test_columns_in_use_come_first_then_the_nearest():
    w = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    g = np.array([0.9, -0.95, 0.0, 0.5, 0.9])
    norms = np.array([1.0, 1.0, 1.0, 1.0, 10.0])
    columns = np.arange(5)
    np.testing.assert_array_equal(closest(columns, w, g, norms, 1.0, 1), [2])
    np.testing.assert_array_equal(closest(columns, w, g, norms, 1.0, 2), [2, 4])
    np.testing.assert_array_equal(closest(columns, w, g, norms, 1.0, 3), [1, 2, 4])
    np.testing.assert_array_equal(closest(columns, w, g, norms, 1.0, 9), columns)


def test_ties_do_not_exceed_the_size():
    columns = np.array([1, 3, 5, 7])
    chosen = closest(columns, np.zeros(8), np.array([0.5, 0.5, 0.9, 0.5]), np.ones(8), 1.0, 2)
    np.testing.assert_array_equal(chosen, [1, 5])

"""What `points_of` accepts, how it maps labels, and the sentences with which it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from empirisk.separation.points import points_of

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, -1, 1], [-1, 1]),
        ([5.5, 2.0, 5.5], [2.0, 5.5]),
        ([True, False, True], [False, True]),
        (["yes", "no", "yes"], ["no", "yes"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (np.array([1, 0, 1], dtype=np.uint8), [0, 1]),
        (pd.Series([1, 0, 1], index=[7, 8, 9]), [0, 1]),
    ],
)
def test_the_last_label_in_sorted_order_is_plus_one(labels, classes):
    points = points_of(X, labels)
    assert points.y.tolist() == [1.0, -1.0, 1.0]
    assert points.classes.tolist() == classes
    assert points.fit_intercept is True
    assert (points.n_rows, points.n_columns) == (3, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_dense_and_sparse_of_every_number(make, dtype):
    points = points_of(make(X.astype(dtype)), [1, 0, 1], fit_intercept=False)
    assert points.n_columns == 2
    assert not points.fit_intercept


@pytest.mark.parametrize(
    ("data", "labels", "error", "words"),
    [
        (X, [1, 1, 1], ValueError, "only one class, 1"),
        (X, ["a", "a", "a"], ValueError, "only one class, a"),
        (X, [1, 2, 3], ValueError, "3 classes (1, 2, 3)"),
        (X, [0.5, 0.25, 0.75], ValueError, "3 classes"),
        (X, ["a", "b", "c"], ValueError, "3 classes"),
        (X, [1, -1], ValueError, "3 rows, y has 2 labels"),
        (X, [[1], [-1], [1]], ValueError, "one-dimensional"),
        (X, [1.0, np.nan, 2.0], ValueError, "NaN or infinity (row 1"),
        (X, [1j, 2j, 1j], TypeError, "numbers or text"),
        (X, np.array([1, "a", 1], dtype=object), TypeError, "cannot be sorted"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), [0, 1], ValueError, "NaN (row 0, column 1"),
        (scipy.sparse.csr_array(np.array([[1.0, 0.0], [0.0, np.inf]])), [0, 1], ValueError, "infinity (row 1"),
        (np.empty((0, 2)), [], ValueError, "rows and columns"),
        (np.empty((2, 0)), [0, 1], ValueError, "rows and columns"),
        (np.zeros(3), [0, 1, 0], ValueError, "two-dimensional"),
        (np.array([["a", "b"]]), [0], TypeError, "real numbers"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(data, labels, error, words):
    with pytest.raises(error) as caught:
        points_of(data, labels)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)

"""Rows with some of their columns: what slicing gives, of a part of the rows too."""

import numpy as np
import pytest
import scipy.sparse

from empirisk.designs import as_design, matrix_of, rows_between
from empirisk.designs.narrowed import narrowed

X = np.where(np.random.default_rng(0).random((7, 5)) < 0.6, np.random.default_rng(1).normal(size=(7, 5)), 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("numbers", [[0], [1, 4], [0, 1, 2, 3, 4]])
def test_columns_are_cut_out(kind, numbers, dtype):
    part, expected = rows_between(as_design(kind(X.astype(dtype))), 1, 6), X.astype(dtype)[1:6][:, numbers]
    cut = narrowed(part, np.array(numbers), int(np.count_nonzero(expected)))
    assert cut.values.dtype == dtype
    found = matrix_of(cut)
    np.testing.assert_array_equal(found.toarray() if scipy.sparse.issparse(found) else found, expected)

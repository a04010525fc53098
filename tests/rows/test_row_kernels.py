"""The kernels that read rows, against NumPy."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from empirisk.designs import as_design
from empirisk.rows.norms import row_norms
from empirisk.rows.row_kernels import (
    add_curved_rows,
    add_row_squares,
    add_rows,
    measure_rows,
    row_scores,
    squared_norms,
)

pytestmark = pytest.mark.interpreted


@st.composite
def designs(draw):
    """Rows as they are, and the same as a design."""
    n, d, rng = draw(st.integers(1, 12)), draw(st.integers(1, 6)), np.random.default_rng(draw(st.integers(0, 99)))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    X = X.astype(draw(st.sampled_from([np.float32, np.float64])))
    stored = scipy.sparse.csr_array(X) if draw(st.booleans()) else X
    coefficients = rng.normal(size=n) * (rng.random(n) < 0.7)
    return X.astype(np.float64), as_design(stored), rng.normal(size=d), coefficients, isinstance(stored, np.ndarray)


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(designs())
def test_scores_and_sums_of_rows(case):
    X, design, w, a, _ = case
    scores = np.full(a.size, np.nan)
    row_scores(design, w, 0.5, scores)
    near(scores, X @ w + 0.5)
    sums = np.ones((1, w.size))
    near(add_rows(design, a, sums), a.sum())
    near(sums[0], 1.0 + a @ X)
    parts = np.zeros((2, w.size))
    near(add_rows(design, a, parts), a.sum())
    near(parts, [np.maximum(a, 0.0) @ X, np.minimum(a, 0.0) @ X])


@given(designs())
def test_curved_rows_and_squares(case):
    X, design, w, a, _ = case
    out, coefficients = np.ones(w.size), a * (X @ w - 0.25)
    near(add_curved_rows(design, a, -0.25, w, out), coefficients.sum())
    near(out, 1.0 + coefficients @ X)
    out = np.ones(w.size)
    add_row_squares(design, a, out)
    near(out, 1.0 + a @ X**2)


@given(designs())
def test_sizes(case):
    X, design, w, a, is_dense = case
    measured = np.full((4, a.size), np.nan)
    measure_rows(design, w, measured)
    norms = np.linalg.norm(X, axis=1)
    sizes = np.full(a.size, w.size) if is_dense else np.count_nonzero(X, axis=1)
    near(measured, [X @ w, np.abs(X) @ np.abs(w), norms**2, sizes])
    squares, lengths = np.full((2, a.size), np.nan)
    squared_norms(design, squares)
    near(squares, norms**2)
    row_norms(design, lengths)
    near(lengths, norms)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_rows_without_a_coefficient_are_not_read(wrap):
    """Zero times what overflows would be nan; here it would warn, too, and that is an error."""
    design, a = as_design(wrap([[1e308, 1e308], [1.0, 2.0]])), np.array([0.0, 3.0])
    out = np.zeros(2)
    assert add_rows(design, a, out[None]) == 3.0
    assert out.tolist() == [3.0, 6.0]
    out[:] = 0.0
    assert add_curved_rows(design, a, 0.0, np.ones(2), out) == 9.0
    add_row_squares(design, a, out)
    assert out.tolist() == [9.0 + 3.0, 18.0 + 12.0]


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_lengths_whose_squares_are_no_numbers(wrap):
    design, lengths = as_design(wrap([[3e200, 4e200], [3e-200, 4e-200]])), np.empty(2)
    with np.errstate(all="ignore"):
        row_norms(design, lengths)
    np.testing.assert_allclose(lengths, [5e200, 5e-200], rtol=1e-15)

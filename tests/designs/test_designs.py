"""Dense and sparse designs: the same numbers, no copies, one compiled version."""

import numpy as np
import pytest
import scipy.sparse

from empirisk.designs import CSR, Dense, as_design, check_finite, matrix_of, rows_between
from empirisk.regularizers import ElasticNet


def matrix(seed=0, n=7, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)


KINDS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "integers": lambda X: (10 * X).astype(int),
    "lists": lambda X: X.tolist(),
    "csr": scipy.sparse.csr_matrix,
    "csr64": lambda X: _with_indices(scipy.sparse.csr_array(X), np.int64),
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "lil": scipy.sparse.lil_matrix,
}


def _with_indices(X, dtype):
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_methods_against_numpy(kind, dtype):
    given = KINDS[kind](matrix().astype(dtype))
    X = np.asarray(given.toarray() if scipy.sparse.issparse(given) else given, dtype=float)
    design, w = as_design(given), np.arange(1.0, 6.0)
    assert (design.n_rows(), design.n_columns()) == X.shape
    for i in range(7):
        assert design.dot_row(i, w) == pytest.approx(X[i] @ w, rel=1e-6)
        assert design.dot_row_sizes(i, w) == pytest.approx(np.abs(X[i]) @ w, rel=1e-6)
        assert design.squared_row_norm(i) == pytest.approx(X[i] @ X[i], rel=1e-6)
        out = np.zeros(5)
        design.add_row(i, 2.0, out)
        np.testing.assert_allclose(out, 2.0 * X[i], rtol=1e-6)
        other = np.ones(5)
        design.add_row_to_both(i, -1.0, out, 3.0, other)
        np.testing.assert_allclose(out, X[i], rtol=1e-6)
        np.testing.assert_allclose(other, 1.0 + 3.0 * X[i], rtol=1e-6)
        out = np.zeros(5)
        design.add_row_squares(i, 2.0, out)
        np.testing.assert_allclose(out, 2.0 * X[i] ** 2, rtol=1e-6)
        shrunk = np.full(5, np.nan)
        design.map_row(i, w - 3.0, ElasticNet(1.5, 0.5), shrunk)
        touched = ~np.isnan(shrunk)
        np.testing.assert_allclose(shrunk[touched], np.array([-1.0, 0.0, 0.0, 0.0, 1.0])[touched])
        assert np.all(touched[X[i] != 0])
    out = np.zeros((5, 5))
    h = np.linspace(0.0, 1.0, 7)
    rows_between(design, 1, 6).add_gram(h[1:6], out)
    np.testing.assert_allclose(np.tril(out), np.tril((X[1:6] * h[1:6, None]).T @ X[1:6]), rtol=1e-5, atol=1e-6)


def test_what_fits_is_not_copied():
    X = matrix()
    assert np.shares_memory(as_design(X).values, X)
    assert not as_design(X).values.flags.writeable
    assert X.flags.writeable
    S = scipy.sparse.csr_matrix(X)
    assert np.shares_memory(as_design(S).values, S.data)
    assert np.shares_memory(as_design(S).indices, S.indices)
    assert np.shares_memory(matrix_of(as_design(X)), X)
    assert (matrix_of(as_design(S)) != S).nnz == 0
    assert np.shares_memory(matrix_of(as_design(S)).indices, S.indices)


def test_memory_maps_are_read_in_place(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, matrix())
    mapped = np.load(path, mmap_mode="r")
    design = as_design(mapped)
    assert type(design.values) is np.ndarray
    assert np.shares_memory(design.values, mapped)
    np.testing.assert_array_equal(design.values, matrix())


def test_duplicates_are_summed_and_unsorted_rows_sorted_on_a_copy():
    S = scipy.sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    design = as_design(S)
    np.testing.assert_array_equal(matrix_of(design).toarray(), [[2.0, 0.0, 4.0]])
    assert S.nnz == 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_the_first_bad_value_is_named(bad, wrap):
    X = matrix(n=3000)
    X[2000, 3] = bad
    X[2500, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 2000, column 3"):
        check_finite(as_design(wrap(X)))
    check_finite(as_design(wrap(matrix())))


@pytest.mark.parametrize(
    ("X", "kind"),
    [(np.zeros(3), ValueError), (np.zeros((2, 2), complex), TypeError), (np.array([["a"]]), TypeError)],
)
def test_what_is_no_matrix_is_refused(X, kind):
    with pytest.raises(kind):
        as_design(X)


def test_kinds():
    assert isinstance(as_design(matrix()), Dense)
    assert isinstance(as_design(scipy.sparse.coo_array(matrix())), CSR)
    design = as_design(matrix())
    assert as_design(design) is design


def test_malformed_sparse_matrices_are_refused():
    S = scipy.sparse.csr_array(matrix())
    S.indices = S.indices.copy()
    S.indices[0] = -1
    S.has_canonical_format = True
    with pytest.raises(ValueError, match="outside the matrix"):
        as_design(S)

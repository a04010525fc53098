"""Dense rows and sparse matrices, alone and beside attributes."""

import numpy as np
import pytest
import scipy.sparse

from empirisk.chains.features import Features, learn_features
from empirisk.designs import CSR, matrix_of
from tests.chains.features.reading import named

A, B = np.arange(6.0).reshape(3, 2), np.array([[7, 8]])
S = [scipy.sparse.csr_array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]), scipy.sparse.coo_array([[0.0, 0.0, 5.0]])]


def test_dense_rows():
    sequences, features = learn_features([A, B])
    np.testing.assert_array_equal(sequences.dense, np.vstack([A, B]))
    assert sequences.starts.tolist() == [0, 3, 4]
    assert (sequences.attributes.n_rows(), sequences.attributes.n_columns()) == (4, 0)
    assert (features.n_attributes, features.n_dense) == (0, 2)
    again = Features.from_arrays(features.to_json(), features.to_arrays())
    np.testing.assert_array_equal(again.encode([B]).dense, B)
    with pytest.raises(ValueError, match="expected 2 dense features, got 3"):
        again.encode([np.ones((1, 3))])
    with pytest.raises(ValueError, match="expected sequences of a two-dimensional array, got attributes"):
        again.encode([[["a"]]])


def test_sparse_matrices():
    sequences, features = learn_features(S)
    assert isinstance(sequences.attributes, CSR)
    np.testing.assert_array_equal(matrix_of(sequences.attributes).toarray(), [[0, 2, 0], [1, 0, 3], [0, 0, 5]])
    assert (features.n_attributes, features.name_of(2)) == (3, "column 2")
    again = Features.from_arrays(features.to_json(), features.to_arrays())
    assert again.encode(S[1:]).attributes.n_rows() == 1
    same, more = again.grown(S)
    assert more.n_attributes == same.attributes.n_columns() == 3
    with pytest.raises(ValueError, match="expected matrices of 3 columns, got 2"):
        again.encode([scipy.sparse.csr_array(np.ones((1, 2)))])


def test_attributes_and_dense_rows():
    whole, features = learn_features([([["a"], ["b"], ["a"]], A), ([{"c": 2.0}], B)])
    np.testing.assert_array_equal(whole.dense, np.vstack([A, B]))
    assert named(whole, features) == [[{"a": 1.0}, {"b": 1.0}, {"a": 1.0}], [{"c": 2.0}]]
    by_token, _ = learn_features([[(["a"], A[0]), (["b"], A[1]), (["a"], A[2])], [({"c": 2.0}, B[0])]])
    np.testing.assert_array_equal(by_token.dense, whole.dense)
    np.testing.assert_array_equal(by_token.attributes.indices, whole.attributes.indices)
    sparse, features = learn_features([(S[0], A[:2]), (S[1], B)])
    assert (features.n_attributes, features.n_dense, sparse.n_tokens) == (3, 2, 3)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([A, np.ones((1, 3))], "sequence 1 has 3 features, and sequence 0 has 2"),
        ([S[0], scipy.sparse.csr_array(np.ones((1, 2)))], "sequence 1 has 2 features, and sequence 0 has 3"),
        ([A, np.array([[1.0, np.nan]])], "sequence 1: X contains NaN .token 0, column 1"),
        ([S[0] * np.inf], "sequence 0: X contains infinity .token 0, column 1"),
        ([A, np.empty((0, 2))], "sequence 1, counted from 0, is empty"),
        ([np.ones(3, dtype=float)], "token 0 of sequence 0"),
        ([np.ones((2, 2, 2))], "sequence 0, counted from 0, is of type ndarray"),
        ([([["a"]], A)], "sequence 0 has 1 tokens, and 3 dense rows"),
        ([([["a"]], B), [["a"]]], "sequence 1 is given as attributes, and sequence 0 as attributes and an array"),
        ([[(["a"], A[0]), ["b"]]], "sequence 0 has tokens with a dense row, and others without or of another size"),
        ([S[0], A], "sequence 1 is given as a two-dimensional array, and sequence 0 as a sparse matrix"),
    ],
)
def test_what_is_refused(X, said):
    with pytest.raises(ValueError, match=said):
        learn_features(X)

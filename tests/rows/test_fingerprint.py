"""The fingerprint of data: the same for every storage, another for every change."""

import numpy as np
import pytest
import scipy.sparse

from empirisk.designs import as_design
from empirisk.designs.as_design import rows_between
from empirisk.rows.fingerprint import digits_of, fingerprint, fingerprint_sums

X = np.array([[1.0, 0.0, 2.5], [0.0, -3.0, 0.0], [4.0, 5.0, 1e-310]])
Y = np.array([1.0, -1.0, 1.0])


def of(X, y=Y, weights=None, threads=1):
    return fingerprint(as_design(X), y, weights, threads)


def test_does_not_depend_on_storage_or_threads():
    stored_zero = scipy.sparse.csr_array(X.copy())
    stored_zero.data[0] = 0.0
    dense_zero = X.copy()
    dense_zero[0, 0] = 0.0
    assert of(X) == of(scipy.sparse.csr_array(X)) == of(np.asfortranarray(X)) == of(X, weights=np.ones(3))
    assert of(stored_zero) == of(dense_zero)
    assert len(of(X)) == 32
    big = np.random.default_rng(0).normal(size=(60_000, 5))
    assert len({of(big, np.ones(60_000), None, threads) for threads in (1, 2, 4)}) == 1


@pytest.mark.parametrize("weights", [np.empty(0), np.array([1.0, 0.5, 0.0])], ids=["none", "some"])
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array])
def test_sums_of_parts_add_up(storage, weights):
    design = as_design(storage(X))
    parts = [fingerprint_sums(rows_between(design, a, b), Y[a:b], weights[a:b], a) for a, b in ((0, 1), (1, 1), (1, 3))]
    total = sum(first for first, _ in parts), sum(second for _, second in parts)
    assert digits_of(total, 3, 3) == of(storage(X), weights=weights if weights.size else None)


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("j", range(3))
def test_changes_with_every_value(i, j):
    other = X.copy()
    other[i, j] = np.nextafter(other[i, j], 9.0)
    assert of(other) != of(X)


def test_changes_with_order_labels_weights_and_shape():
    assert of(X[[1, 0, 2]], Y[[1, 0, 2]]) != of(X)
    assert of(X[:, [1, 0, 2]]) != of(X)
    assert of(X, -Y) != of(X)
    assert of(X, Y, np.array([1.0, 2.0, 1.0])) != of(X)
    assert of(np.hstack([X, np.zeros((3, 1))])) != of(X)
    assert of(X[:2], Y[:2]) != of(X)

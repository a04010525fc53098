"""Standardised columns, and weights folded back."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from empirisk.designs import as_design
from empirisk.models import scaling as module
from empirisk.models.scaling import Scaling
from empirisk.rows.in_memory import InMemory

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((30, 4)) * [1.0, 100.0, 1e-3, 5.0] + [0.0, 1e3, 0.0, -5.0]
WEIGHTS = RANDOM.uniform(0.0, 2.0, 30)
moderate = st.floats(-1e3, 1e3)


def scaling_of(X, weights, center):
    """That of rows at hand."""
    return module.scaling_of(InMemory(as_design(X)), np.empty(0) if weights is None else weights, center)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_scaled_columns_have_mean_zero_and_deviation_one(weights):
    scaled = scaling_of(X, weights, center=True).apply(X)
    np.testing.assert_allclose(np.average(scaled, axis=0, weights=weights), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.average(scaled**2, axis=0, weights=weights), 1.0, rtol=1e-12)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_sparse_columns_are_scaled_but_not_shifted(weights):
    rows = X * (RANDOM.uniform(size=X.shape) < 0.5)
    scaling = scaling_of(scipy.sparse.csr_array(rows), weights, center=True)
    assert not scaling.shift.any()
    np.testing.assert_allclose(scaling.scale, scaling_of(rows, weights, center=True).scale, rtol=1e-9)
    scaled = scaling.apply(scipy.sparse.csr_array(rows))
    np.testing.assert_allclose(scaled.toarray(), rows / scaling.scale, rtol=1e-12)


def test_integer_weights_are_repeated_rows():
    counts = RANDOM.integers(0, 4, 30)
    weighted, repeated = scaling_of(X, counts.astype(float), True), scaling_of(np.repeat(X, counts, axis=0), None, True)
    np.testing.assert_allclose(weighted.shift, repeated.shift, rtol=1e-12)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)


def test_without_an_intercept_nothing_is_shifted():
    assert not scaling_of(X, None, center=False).shift.any()


@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 + 0.1])
def test_a_constant_column_keeps_its_scale(container, value):
    rows = np.column_stack([X[:, 0], np.full(30, value)])
    scaling = scaling_of(container(rows), None, center=True)
    assert scaling.scale[1] == 1.0


@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_squares_neither_overflow_nor_vanish(container, factor):
    ordinary, extreme = (scaling_of(container(rows), WEIGHTS, center=True) for rows in (X, X * factor))
    np.testing.assert_allclose(extreme.scale, ordinary.scale * factor, rtol=1e-9)
    np.testing.assert_allclose(extreme.shift, ordinary.shift * factor, rtol=1e-9)


def test_a_vanishing_column_keeps_its_scale():
    scaling = scaling_of(X * 1e-310, None, center=True)
    assert scaling.scale.tolist() == [1.0] * 4
    assert np.all(np.isfinite(scaling.fold(np.full(4, 1e6), 0.0)[0]))


def test_rows_of_weight_zero_are_as_if_absent():
    weights = np.where(np.arange(30) < 10, 0.0, WEIGHTS)
    for container in (np.asarray, scipy.sparse.csr_array):
        weighted = scaling_of(container(X), weights, center=True)
        absent = scaling_of(container(X[10:]), weights[10:], center=True)
        np.testing.assert_allclose(weighted.scale, absent.scale, rtol=1e-9)


def test_the_data_are_left_as_they_were():
    dense, sparse = X.copy(), scipy.sparse.csr_array(X)
    for rows in (dense, sparse):
        scaling_of(rows, WEIGHTS, center=True).apply(rows)
    assert np.array_equal(dense, X)
    assert np.array_equal(sparse.toarray(), X)


@given(
    arrays(float, 3, elements=moderate),
    moderate,
    arrays(float, 3, elements=moderate),
    arrays(float, 3, elements=st.floats(1e-3, 1e3)),
)
def test_folding_and_unfolding_are_inverse(w, b, shift, scale):
    scaling = Scaling(shift, scale)
    size = 1e-12 * (1.0 + np.abs(w) @ np.abs(shift) + np.abs(w / scale) @ np.abs(shift))
    for there, back in ((scaling.fold, scaling.unfold), (scaling.unfold, scaling.fold)):
        again, intercept = back(*there(w, b))
        np.testing.assert_allclose(again, w, rtol=1e-14, atol=1e-300)
        assert intercept == pytest.approx(b, rel=1e-12, abs=size)


@given(arrays(float, 4, elements=moderate), moderate)
def test_folded_weights_give_the_scores_of_the_scaled_columns(w, b):
    scaling = scaling_of(X, None, center=True)
    folded, intercept = scaling.fold(w, b)
    size = 1e-12 * (1.0 + np.abs(folded) @ (np.abs(X).max(axis=0) + np.abs(scaling.shift)) + abs(b))
    np.testing.assert_allclose(X @ folded + intercept, scaling.apply(X) @ w + b, rtol=1e-9, atol=size)


def test_many_classes_fold_row_by_row():
    random = np.random.default_rng(3)
    scaling = Scaling(random.normal(size=40), random.uniform(0.5, 2.0, 40))
    w, b = random.normal(size=(7, 40)), random.normal(size=7)
    folded, intercepts = scaling.fold(w, b)
    back = scaling.unfold(folded, intercepts)
    np.testing.assert_allclose(back[0], w, rtol=1e-14)
    np.testing.assert_allclose(back[1], b, rtol=1e-12, atol=1e-12)
    # A certificate speaks of the bytes: they must not depend on how the weights lie in memory.
    other = scaling.unfold(np.asfortranarray(folded), intercepts)
    assert other[1].tobytes() == back[1].tobytes()
    for k in range(7):
        assert scaling.unfold(folded[k], float(intercepts[k]))[1] == back[1][k]


@pytest.mark.parametrize("value", [0.1, 1.0 / 3.0, 1e8 + 0.1])
def test_a_constant_sparse_column_of_many_rows_keeps_its_scale(value):
    """The deviation of 100,000 equal numbers came out of rounding as 4e-9."""
    n = 150_000
    rows = scipy.sparse.csr_array(np.column_stack([np.full(n, value), np.arange(n) % 2]))
    weights = np.random.default_rng(1).uniform(0.5, 2.0, n)
    for shares in (None, weights, np.where(np.arange(n) % 3 > 0, weights, 0.0)):
        assert scaling_of(rows, shares, center=True).scale[0] == 1.0


def test_a_column_is_constant_where_rows_of_weight_have_one_value():
    column = np.array([3.0, 0.1, 0.1, 0.1])[:, None]
    for container in (np.asarray, scipy.sparse.csr_array):
        assert scaling_of(container(column), np.array([0.0, 1.0, 2.0, 3.0]), center=True).scale[0] == 1.0
        assert scaling_of(container(column), np.ones(4), center=True).scale[0] != 1.0
    stored = scipy.sparse.csr_array(np.array([[2.0], [0.0], [2.0]]))  # the zero is not stored, and counts
    assert scaling_of(stored, None, center=True).scale[0] == pytest.approx(np.std([2.0, 0.0, 2.0]))


def test_a_small_deviation_beside_a_large_mean_is_measured():
    column = 1.0 + 1e-9 * (np.arange(200_000) % 2)
    for container in (np.asarray, scipy.sparse.csr_array):
        found = scaling_of(container(column[:, None]), None, center=True).scale[0]
        assert found == pytest.approx(np.std([column[0], column[1]]), rel=1e-6)

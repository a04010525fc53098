"""The condition number against the eigenvalues that NumPy finds."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.problems.conditioning import condition_number
from empirisk.problems.one_score_passes import HessianProducts


def eigenvalues(X, weights=None):
    s = np.ones(len(X)) if weights is None else weights
    return np.linalg.eigvalsh((X * (s / s.sum())[:, None]).T @ X)


@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 10**6), st.booleans())
def test_brackets_the_largest_eigenvalue(n, d, seed, sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(1.0, rng.choice([1.0, 1e-3]), d)
    weights = rng.choice([0.0, 1.0, 2.0], n)
    weights[0] = 1.0
    p = er.EmpiricalRisk(
        scipy.sparse.csr_array(X) if sparse else X, np.ones(n), "squared", l2=0.1, sample_weight=weights, n_threads=1
    )
    got = condition_number(p)
    true = p.loss.smoothness() * eigenvalues(X, weights)[-1]
    assert 0.7 * true <= got.smoothness <= true * (1.0 + 1e-12)
    assert true <= got.smoothness_bound
    assert got.smoothness_bound <= p.loss.smoothness() * eigenvalues(X, weights).sum() * (1.0 + 1e-9)
    assert got.condition == got.smoothness / 0.1


def test_is_exact_on_few_columns_and_near_on_many():
    rng = np.random.default_rng(0)
    few = rng.normal(size=(200, 5))
    got = condition_number(er.EmpiricalRisk(few, np.ones(200), l2=1e-3))
    assert got.smoothness == pytest.approx(0.25 * eigenvalues(few)[-1], rel=1e-10)
    assert got.smoothness_bound == pytest.approx(got.smoothness, rel=1e-10)
    many = rng.normal(size=(500, 80)) + 1.0
    got = condition_number(er.EmpiricalRisk(many, np.ones(500), l2=1e-3))
    assert got.smoothness == pytest.approx(0.25 * eigenvalues(many)[-1], rel=1e-6)


def test_sparse_and_float32_rows_agree_with_dense_float64():
    X = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    dense = condition_number(er.EmpiricalRisk(X.astype(np.float64), np.ones(300), l2=1e-3))
    for other in (X, scipy.sparse.csr_array(X.astype(np.float64))):
        got = condition_number(er.EmpiricalRisk(other, np.ones(300), l2=1e-3))
        assert got == pytest.approx(dense, rel=1e-10)


def test_infinite_where_squares_overflow():
    got = condition_number(er.EmpiricalRisk(np.full((3, 2), 1e200), np.ones(3), l2=0.1))
    assert got.smoothness == got.condition == math.inf


def test_the_intercept_and_other_penalties_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    y = np.ones(50)
    plain = condition_number(er.EmpiricalRisk(X, y, l2=1e-3, fit_intercept=False))
    assert condition_number(er.EmpiricalRisk(X, y, l2=1e-3, l1=0.1, constraint=er.Box())) == plain
    groups = er.group_lasso([[0, 1, 2], [3, 4, 5]], 0.1)
    assert condition_number(er.EmpiricalRisk(X, y, l2=1e-3, regularizer=groups)) == plain
    assert condition_number(er.EmpiricalRisk(X, y, l2=1e-3, constraint="l2_ball")) == plain


def test_infinite_where_nothing_bounds_it():
    X = np.eye(3)
    none = condition_number(er.EmpiricalRisk(X, np.ones(3), l2=0.0))
    assert none.condition == math.inf
    assert none.smoothness == pytest.approx(0.25 / 3)
    assert condition_number(er.EmpiricalRisk(X, np.ones(3), "hinge", l2=0.1)).smoothness == math.inf
    zeros = condition_number(er.EmpiricalRisk(np.zeros((3, 2)), np.ones(3), l2=0.1))
    assert zeros == (0.0, 0.0, 0.1, 0.0)


def test_costs_at_most_nine_passes(monkeypatch):
    calls = []
    apply = HessianProducts.apply
    monkeypatch.setattr(HessianProducts, "apply", lambda self, p: calls.append(1) or apply(self, p))
    rng = np.random.default_rng(0)
    p = er.EmpiricalRisk(rng.normal(size=(100, 50)), np.ones(100))
    condition_number(p)
    assert len(calls) <= 8


def test_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    runs = [condition_number(er.EmpiricalRisk(X, np.ones(20_000), n_threads=k)) for k in (1, 2)]
    assert runs[0] == runs[1]

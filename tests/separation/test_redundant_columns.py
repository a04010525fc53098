"""Columns that depend on others, exactly or but for their rounding: decided, and as fractions decide it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from sklearn.datasets import make_classification

import empirisk as er
from benchmarks.redundant_columns import make
from empirisk.separation.separate import separate
from tests.separation.oracles import is_separable, is_separable_by_program
from tests.separation.test_separate import check, small


@given(small)
def test_the_two_oracles_agree(problem):
    X, y, fit_intercept = problem
    if len(set(y)) == 2:
        assert is_separable_by_program(X, y, fit_intercept) == is_separable(X, y, fit_intercept)


@pytest.mark.parametrize(("n", "d"), [(200, 20), (100, 15), (600, 40), (3000, 20)])
def test_informative_columns_and_combinations_of_them(n, d):
    X, y = make_classification(n, d, random_state=0)
    assert check(separate(X, y), X, y).is_separable is False
    verdict = separate(scipy.sparse.csr_array(X), y)
    assert er.verify(verdict, X, y).holds


def combined(rng, n, n_drawn, n_made, made):
    """Columns that are drawn, and some that are made of them."""
    X = rng.standard_normal((n, n_drawn)).round(2)
    return np.column_stack([X, *(made(rng, X) for _ in range(n_made))])


KINDS = {
    "rounded combination": lambda rng, X: X @ rng.uniform(-1.0, 1.0, X.shape[1]),
    "copy": lambda rng, X: X[:, 0],
    "third": lambda rng, X: X[:, 0] / 3.0,
    "combination in thirds, exact": lambda rng, X: (300.0 * X @ rng.integers(-2, 3, X.shape[1])).round(),
    "a unit in the last place": lambda rng, X: np.nextafter(
        X[:, 0], np.where(rng.random(len(X)) < 0.2, np.inf, X[:, 0])
    ),
    "noise of 1e-13": lambda rng, X: X @ np.ones(X.shape[1]) + 1e-13 * rng.standard_normal(len(X)),
    "constant but for rounding": lambda rng, X: 1.0 + 1e-16 * np.rint(3.0 * rng.random(len(X))),
}


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_is_that_of_fractions(kind, fit_intercept):
    seen = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 13))
        X = combined(rng, n, 2, int(rng.integers(1, 4)), KINDS[kind])
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        verdict = check(separate(X, y, fit_intercept=fit_intercept), X, y, fit_intercept)
        assert verdict.is_separable is is_separable_by_program(X, y, fit_intercept)
        seen.add(verdict.is_separable)
    assert seen == {True, False}


def test_random_sets_of_the_benchmark():
    for number in range(20_000, 20_010):
        X, _, y, _ = make(number)
        assert check(separate(X, y), X, y) is not None


def fine_data():
    """An exclusive or, beside 0.1 a + 0.2 b: only the rounding of 0.1 + 0.2 separates it."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return np.column_stack([X, 0.1 * X[:, 0] + 0.2 * X[:, 1]]), np.array([1, -1, -1, 1])


def test_a_plane_that_floats_cannot_hold():
    X, y = fine_data()
    verdict = check(separate(X, y), X, y)
    assert isinstance(verdict, er.FineSeparation)
    assert len(verdict.parts) == 2
    assert 0.0 < verdict.margin < 1e-15
    assert "Separable by a hair" in verdict.sentence()
    assert not er.verify(verdict, X, -y).holds
    assert not er.verify(verdict._replace(margin=2.0 * verdict.margin), X, y).holds
    assert not er.verify(verdict._replace(parts=verdict.parts[:1]), X, y).holds
    assert not er.verify(verdict._replace(parts=-verdict.parts), X, y).holds
    assert not er.verify(verdict._replace(parts=verdict.parts[:, 1:]), X, y).holds
    assert not er.verify(verdict._replace(parts=np.full_like(verdict.parts, np.inf)), X, y).holds


def test_who_else_asks():
    X, y = fine_data()
    with pytest.raises(er.NotSeparated, match="Separable by a hair"):
        er.MaxMarginClassifier().fit(X, y)
    run = er.perceptron(X, y, max_passes=20)
    assert isinstance(run.verdict, er.FineSeparation)
    assert run.plane is None
    X, y = make_classification(200, 20, random_state=0)
    with pytest.raises(er.NotSeparated) as raised:
        er.MaxMarginClassifier().fit(X, y)
    assert er.verify(raised.value.verdict, X, y).holds


def test_the_fewest_errors_have_a_bound():
    X, y = make_classification(120, 14, flip_y=0.3, random_state=0)
    answer = er.fewest_errors(X, y, time_limit=None)
    assert answer.bound >= 3.0
    assert er.verify(answer.certificate, X, y).holds

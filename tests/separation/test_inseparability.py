"""Conflicting sets: exact weights, none that can be left out, from exact, noisy and many multipliers."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.separation.conflicts import minimal_conflict
from empirisk.separation.conflicts.minimal_conflict import Conflict, conflict_from
from empirisk.separation.inseparability import inseparability_from
from empirisk.separation.points import points_of
from tests.certificates.sealed import assert_alterations_are_refused, is_refused, through_text
from tests.separation.lies import ABOUT_OTHER_DATA, assert_found
from tests.separation.oracles import exact_points, is_minimal_conflict, is_separable, program_multipliers

MAKERS = pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])


def conflicting(k, fit_intercept=True, seed=0, scale=0, dtype=np.float64):
    """k points in general position that are in conflict as a whole, and about their weights."""
    rng = np.random.default_rng(seed)
    d = k - 1 - fit_intercept
    X = (rng.normal(size=(k, d)) * 10.0 ** rng.integers(-scale, scale + 1, size=d)).astype(dtype)
    points = np.column_stack([X, np.ones(k)]) if fit_intercept else X.astype(np.float64)
    kernel = np.linalg.svd((points / np.abs(points).max(axis=0)).T)[2][-1]
    return X, np.where(kernel > 0.0, 1, -1), np.abs(kernel)


@MAKERS
@pytest.mark.parametrize("is_scaled", [False, True])
@given(seed=st.integers(0, 2**32))
def test_multipliers_of_the_program_on_small_sets(make, is_scaled, seed):
    rng = np.random.default_rng(seed)
    n, d, fit_intercept = rng.integers(3, 8), rng.integers(1, 4), bool(rng.integers(2))
    X = rng.integers(-3, 4, size=(n, d)).astype(float) if rng.integers(2) else rng.normal(size=(n, d))
    X = X * 10.0 ** rng.integers(-12, 13, size=d) if is_scaled else X
    y = np.append([-1, 1], rng.choice([-1, 1], size=n - 2))
    certificate = inseparability_from(
        points_of(make(X), y, fit_intercept), range(n), program_multipliers(X, y, fit_intercept)
    )
    assert (certificate is None) == is_separable(X, y, fit_intercept)
    if certificate is not None:
        assert certificate.is_separable is False
        assert len(certificate.rows) <= d + 1 + fit_intercept
        assert is_minimal_conflict([exact_points(X, y, fit_intercept)[i] for i in certificate.rows])
        assert er.verify(certificate, make(X), y).holds


@MAKERS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [0, 12])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_points_in_general_position(make, fit_intercept, scale, dtype):
    X, y, weights = conflicting(25, fit_intercept, scale=scale, dtype=dtype)
    noise = 1.0 + 1e-7 * np.random.default_rng(1).normal(size=25)
    certificate = inseparability_from(points_of(make(X), y, fit_intercept), range(25), weights * noise)
    assert certificate.rows == tuple(range(25))
    assert certificate.delta == certificate.relative_delta == 0.0
    assert er.verify(certificate, make(X), y).holds
    assert er.verify(certificate, X, y).holds
    assert "Without any one of them" in certificate.sentence()


@pytest.mark.parametrize("fit_intercept", [True, False])
@given(seed=st.integers(0, 2**32))
def test_many_noisy_multipliers_are_reduced(fit_intercept, seed):
    """A dual point in the middle: the sum of several conflicts, all points with positive weights."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    sets = [conflicting(d + 1 + fit_intercept, fit_intercept, seed=int(rng.integers(2**32))) for _ in range(6)]
    X, y = np.vstack([s[0] for s in sets]), np.concatenate([s[1] for s in sets])
    weights = np.concatenate([rng.random() * s[2] for s in sets])
    certificate = inseparability_from(points_of(X, y, fit_intercept), range(len(y)), weights)
    assert certificate is not None
    assert len(certificate.rows) <= d + 1 + fit_intercept
    assert er.verify(certificate, X, y).holds


@MAKERS
@given(seed=st.integers(0, 2**32))
def test_points_of_low_rank(make, seed):
    """Integers of rank 3 in 12 columns: dependence that floating point sees only up to rounding."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(30, 3)).astype(float) @ rng.integers(-3, 4, size=(3, 12)).astype(float)
    y = np.append([-1, 1], rng.choice([-1, 1], size=28))
    weights = program_multipliers(X, y, True)
    certificate = inseparability_from(points_of(make(X), y), range(30), weights)
    if certificate is not None:
        assert len(certificate.rows) <= 5
        assert er.verify(certificate, X, y).holds
        assert is_minimal_conflict([exact_points(X, y, True)[i] for i in certificate.rows])


@MAKERS
def test_duplicates_with_opposite_labels(make):
    X = np.array([[0.1, 0.7], [1.0, 1.0], [0.1, 0.7]])
    for fit_intercept in (True, False):
        certificate = inseparability_from(points_of(make(X), [1, 1, -1], fit_intercept), [2, 0], [1.0, 1.0])
        assert (certificate.rows, certificate.weights) == ((0, 2), (1, 1))
        assert er.verify(certificate, make(X), [1, 1, -1]).holds


def test_multiples_on_opposite_sides_of_the_origin():
    X = np.array([[0.5, 0.75], [1.5, 2.25], [1.0, 0.0]])
    points = points_of(X, [1, -1, 1], False)
    assert conflict_from(points, [0, 1, 2], [0.7, 0.2, 0.0]) == Conflict((0, 1), (3, 1))
    assert conflict_from(points_of(X, [1, -1, 1]), [0, 1, 2], [0.7, 0.2, 0.0]) is None


@MAKERS
def test_zero_rows(make):
    X = np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 1.0]])
    y = [1, 1, -1]
    certificate = inseparability_from(points_of(make(X), y, False), [0, 1, 2], [0.5, 1e-30, 0.5])
    assert (certificate.rows, certificate.weights) == ((1,), (1,))
    assert er.verify(certificate, make(X), y).holds
    assert "row 1 is zero" in certificate.sentence()
    assert inseparability_from(points_of(make(X), y), [1], [1.0]) is None
    zeros = make(np.zeros((3, 2)))
    certificate = inseparability_from(points_of(zeros, y), [0, 1, 2], [0.3, 0.3, 0.6])
    assert len(certificate.rows) == 2
    assert 2 in certificate.rows
    assert er.verify(certificate, zeros, y).holds


def test_rows_of_weight_zero_help_where_rounding_lost_them():
    """The third point is needed by 1e-15 of the others: its multiplier was rounded to zero."""
    X = np.array([[1.0, 1e-15], [-1.0, 1e-15], [0.0, -1.0]])
    points = points_of(X, [1, 1, -1], False)
    assert conflict_from(points, [0, 1, 2], [1.0, 1.0, 0.0]) is None
    points = points_of(X * [[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]], [1, 1, -1], False)
    conflict = conflict_from(points, [0, 1, 2], [1.0, 1.0, 0.0])
    assert conflict.rows == (0, 1, 2)
    assert is_minimal_conflict(exact_points(X * [[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]], [1, 1, -1], False))


def test_multipliers_that_prove_nothing():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    points = points_of(X, [1, 1, -1])
    assert conflict_from(points, [0, 1, 2], [1.0, 1.0, 1.0]) is None
    assert conflict_from(points, [0, 1, 2], [0.0, 0.0, 0.0]) is None
    assert conflict_from(points, [], []) is None
    assert conflict_from(points, [0, 1, 2], [np.nan, -1.0, np.inf]) is None
    with pytest.raises(ValueError, match="2 rows and 1 multipliers"):
        conflict_from(points, [0, 1], [1.0])
    with pytest.raises(ValueError, match="rows must be from 0 to 2"):
        conflict_from(points, [0, 3], [1.0, 1.0])


def test_no_point_can_be_left_out():
    X, y, weights = conflicting(6)
    certificate = inseparability_from(points_of(X, y), range(6), weights)
    for subset in itertools.combinations(certificate.rows, 5):
        chosen = list(subset)
        assert len(set(y[chosen])) < 2 or is_separable(X[chosen], y[chosen], True)


@MAKERS
@pytest.mark.parametrize("scale", [0, 12])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_beyond_the_exact_size_weights_are_rounded(make, scale, fit_intercept, monkeypatch):
    monkeypatch.setattr(minimal_conflict, "MOST_EXACT", 10)
    X, y, weights = conflicting(20, fit_intercept, scale=scale)
    certificate = inseparability_from(points_of(make(X), y, fit_intercept), range(20), weights)
    assert 0.0 < certificate.relative_delta < 1e-13
    assert certificate.is_enclosed
    assert certificate.is_separable is False
    assert er.verify(certificate, X, y).holds
    assert "proven to be near" in certificate.sentence()
    weaker = certificate._replace(is_enclosed=False)
    assert weaker.is_separable is None
    assert er.verify(weaker, X, y).holds
    assert "after moving no coordinate by more than" in weaker.sentence()
    again = through_text(certificate)
    assert again == certificate
    for name in ("delta", "relative_delta"):
        for value in (0.0, getattr(certificate, name) * 0.99):
            lie = certificate._replace(**{name: value})
            assert not er.verify(lie, X, y).holds
            assert is_refused(lie, X, y)
    noise = np.random.default_rng(0).random(20)
    assert inseparability_from(points_of(X, noise > 0.5, fit_intercept), range(20), noise) is None


def test_rounded_weights_of_dependent_coordinates_leave_the_data_undecided(monkeypatch):
    """A column that is the sum of two others, up to rounding: whether the points depend exactly, floats do not tell."""
    monkeypatch.setattr(minimal_conflict, "MOST_EXACT", 10)
    X, y, weights = conflicting(20)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    certificate = inseparability_from(points_of(X, y), range(20), weights)
    assert not certificate.is_enclosed
    assert certificate.is_separable is None
    assert er.verify(certificate, X, y).holds
    assert not er.verify(certificate._replace(is_enclosed=True), X, y).holds


@pytest.mark.parametrize("labels", [(-1, 1), ("no", "yes"), (0.5, 2.5), (False, True)])
def test_json_both_ways(labels):
    X, y, weights = conflicting(40)
    named = np.array(labels, dtype=object)[(y + 1) // 2]
    certificate = inseparability_from(points_of(X, named), range(40), weights)
    assert max(certificate.weights) > 10**300
    again = through_text(certificate)
    assert again == certificate
    assert er.verify(again, X, named).holds


def test_json_that_was_altered_is_refused():
    X, y, weights = conflicting(5)
    assert_alterations_are_refused(inseparability_from(points_of(X, y), range(5), weights))


LIES = {
    "rows": lambda c: (*c.rows[:-1], 7),
    "weights": lambda c: (*c.weights[:-1], c.weights[-1] + 1),
    "delta": lambda c: 1e-3,
    "relative_delta": lambda c: 1e-3,
    "is_enclosed": lambda c: True,
    **ABOUT_OTHER_DATA,
}


@pytest.mark.parametrize("name", LIES)
def test_every_lie_is_found_even_with_a_new_seal(name):
    X, y, weights = conflicting(5)
    X, y = np.vstack([X, X[:3] + 1.0]), np.append(y, [1, -1, 1])
    assert_found(inseparability_from(points_of(X, y), range(5), weights), name, LIES, X, y)


def test_sets_that_are_not_what_they_must_be():
    """Two conflicts at once, whose points sum to zero, are not one; nor are weights negative, floats, or doubled."""
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([1, -1, 1, -1])
    certificate = inseparability_from(points_of(X, y), [0, 1], [1.0, 1.0])
    for rows, weights in [
        ((0, 1, 2, 3), (1, 1, 1, 1)),
        ((0, 1), (2, 2)),
        ((0, 1), (-1, -1)),
        ((0, 1), (1.0, 1.0)),
        ((0, 1), (True, True)),
        ((1, 0), (1, 1)),
        ((0, 0), (1, 1)),
        ((), ()),
        ((0,), (1,)),
        ((0, 1), (1,)),
        ((0, -1), (1, 1)),
    ]:
        lie = certificate._replace(rows=rows, weights=weights)
        assert not er.verify(lie, X, y).holds, (rows, weights)
    verdict = er.verify(certificate._replace(rows=(0, 1, 2, 3), weights=(1, 1, 1, 1)), X, y)
    assert "can be left out" in verdict.sentence


def test_other_data_are_told_apart():
    X, y, weights = conflicting(5)
    certificate = inseparability_from(points_of(X, y), range(5), weights)
    moved = X.copy()
    moved[3, 1] = math.nextafter(moved[3, 1], 9.0)
    for data, labels in [(moved, y), (X, -y), (X[:, :2], y)]:
        assert "other data" in er.verify(certificate, data, labels).sentence
    assert "cannot be those" in er.verify(certificate, X, np.ones(5)).sentence


def test_rows_whose_squares_vanish_beside_others_are_no_error():
    given = np.array([[-1.0], [-1e-170], [1e26], [1e-50], [-1e-20]])
    points = points_of(1e-50 * given, [1, 0, 0, 0, 0], False)
    for wrapped in (points, points_of(scipy.sparse.csr_array(1e-50 * given), [1, 0, 0, 0, 0], False)):
        assert inseparability_from(wrapped, np.arange(5), np.ones(5)) is None  # these multiples do not sum to zero

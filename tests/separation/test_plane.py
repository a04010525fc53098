"""A plane that separates: claims that hold in exact arithmetic, and lies that `verify` finds."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.separation.plane import separation_from
from empirisk.separation.points import points_of
from empirisk.separation.points_as_integers import exact_margins
from tests.certificates.sealed import (
    as_text,
    assert_alterations_are_refused,
    sealed_again,
    through_text,
)
from tests.separation.lies import ABOUT_OTHER_DATA, assert_found

MAKERS = pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
NEARLY = 1 - Fraction(1, 10**8)


def separable(seed=0, n=40, d=3, fit_intercept=True, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X, w, b = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=d), 0.3 * fit_intercept
    X[0] *= 3.0
    y = np.where(X.astype(float) @ w + b > 0.0, 1, -1)
    y[:2] = np.where(X[:2].astype(float) @ w + b > 0.0, 1, -1)
    return X, y, w, b


def squared_norm(values):
    return sum((Fraction(float(x)) ** 2 for x in values), Fraction(0))


def check_claims(certificate, points, X):
    """Every number of the certificate, in fractions."""
    rows = range(points.n_rows)
    margins = exact_margins(points, rows, certificate.weights, certificate.intercept)
    assert min(margins) >= 1
    plane = squared_norm([*certificate.weights, certificate.intercept])
    normal = squared_norm(certificate.weights)
    assert Fraction(certificate.margin) ** 2 * plane <= min(margins) ** 2
    assert Fraction(certificate.affine_margin) ** 2 * normal <= min(margins) ** 2
    assert Fraction(certificate.margin) ** 2 * plane >= NEARLY * min(margins) ** 2
    one = [1.0] * points.fit_intercept
    dense = np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=float)
    norms = [squared_norm([*row, *one]) for row in dense]
    assert Fraction(certificate.radius) ** 2 >= max(norms)
    assert NEARLY * Fraction(certificate.radius) ** 2 <= max(norms)
    assert Fraction(certificate.b_high) ** 2 * min(margins) ** 2 >= plane
    total = [Fraction(0)] * len([*dense[0], *one])
    for i, share in zip(certificate.support_rows, certificate.support_weights, strict=True):
        for j, x in enumerate([*dense[i], *one]):
            total[j] += Fraction(share) * int(points.y[i]) * Fraction(float(x))
    shares = sum(map(Fraction, certificate.support_weights))
    assert Fraction(certificate.b_low) ** 2 * sum(x * x for x in total) <= shares**2
    assert 0.0 < certificate.b_low <= certificate.b_high


@MAKERS
@pytest.mark.parametrize("fit_intercept", [True, False])
@given(seed=st.integers(0, 2**32))
def test_claims_hold_in_fractions(make, fit_intercept, seed):
    rng = np.random.default_rng(seed)
    X, y, w, b = separable(seed, rng.integers(4, 20), rng.integers(1, 5), fit_intercept)
    scales = 10.0 ** rng.integers(-12, 13, size=w.size)
    if len(set(y.tolist())) < 2:
        return
    data, plane = make(X * scales), w / scales * 10.0 ** rng.integers(-20, 20)
    points = points_of(data, y, fit_intercept)
    certificate = separation_from(points, plane, b * plane[0] * scales[0] / w[0])
    if certificate is None:  # scaling rounded a margin away
        assert min(exact_margins(points, range(len(y)), plane, b * plane[0] * scales[0] / w[0])) <= 0
        return
    check_claims(certificate, points, data)
    assert certificate.is_separable is True
    assert er.verify(certificate, data, y).holds


def test_the_plane_is_scaled_to_a_least_margin_of_one():
    X, y, w, b = separable()
    points = points_of(X, y)
    for factor in (1e-200, 1e-3, 1.0, 1e200):
        certificate = separation_from(points, factor * w, factor * b)
        assert min(exact_margins(points, range(40), certificate.weights, certificate.intercept)) < 1 + 1e-6


def test_a_plane_with_a_least_margin_of_one_stays_as_it_is():
    points = points_of(np.array([[1.0], [-3.0]]), [1, -1], False)
    assert separation_from(points, [1.0 + 2.0**-30], 0.0).weights.tolist() == [1.0 + 2.0**-30]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_point_on_the_plane_or_behind_it_is_not_separated(fit_intercept):
    X = np.array([[1.0, 1.0], [2.0, 2.0], [-1.0, 0.0]])
    points = points_of(X, [1, 1, -1], fit_intercept)
    assert separation_from(points, [1.0, -1.0], 0.0) is None
    assert separation_from(points, [-1.0, 0.0], 0.0) is None
    assert separation_from(points, [0.0, 0.0], 0.0) is None
    assert separation_from(points, [1.0, 0.5], 0.0) is not None


def test_sides_that_rounding_hides():
    """Sums whose terms cancel: exactly zero, one unit too small, one unit large enough."""
    a = 1.0 + 2.0**-52
    for third, is_right in [(0.0, False), (-(2.0**-80), False), (2.0**-80, True)]:
        X = np.array([[a, -1.0, third], [-3.0, 1.0, 0.0]])
        points = points_of(X, [1, -1], False)
        certificate = separation_from(points, [1.0, a, 1.0], 0.0)
        assert (certificate is not None) == is_right
        if certificate is not None:
            check_claims(certificate, points, X)
            assert er.verify(certificate, X, [1, -1]).holds


def test_numbers_that_overflow_and_vanish():
    X = np.array([[1e300, 1e-300], [-1e300, 1e-300], [-1e-300, -1e-300]])
    y = [1, 1, -1]
    points = points_of(X, y, False)
    certificate = separation_from(points, [0.0, 1.0], 0.0)
    check_claims(certificate, points, X)
    assert er.verify(certificate, X, y).holds
    assert separation_from(points, [1e300, 1.0], 0.0) is None
    too_near = points_of(np.array([[5e-324], [-5e-324]]), [1, -1], False)
    assert separation_from(too_near, [1.0], 0.0) is None  # no double is as large as w must be


def test_float32_data_are_what_they_are():
    X, y, w, b = separable(dtype=np.float32)
    points = points_of(X, y)
    certificate = separation_from(points, w, b)
    check_claims(certificate, points, X)
    assert er.verify(certificate, X, y).holds
    assert er.verify(certificate, X.astype(np.float64), y).holds
    assert er.verify(certificate, scipy.sparse.csr_array(X), y).holds


def test_multipliers_raise_the_lower_end_of_the_interval():
    X = np.array([[1.0, 10.0], [1.0, -10.0], [-1.0, 0.0]])
    y = [1, 1, -1]
    points = points_of(X, y, False)
    plain = separation_from(points, [1.0, 0.0], 0.0)
    better = separation_from(points, [1.0, 0.0], 0.0, [0, 1], [3.0, 3.0])
    worse = separation_from(points, [1.0, 0.0], 0.0, [0], [1.0])
    assert plain.support_rows == worse.support_rows == (2,)
    assert (plain.b_low, better.b_low) == (pytest.approx(1.0), pytest.approx(1.0))
    assert plain.b_high == pytest.approx(1.0, rel=1e-6)
    points = points_of(X[:2], [1, -1], False)
    certificate = separation_from(points, [0.0, 1.0], 0.0, [0, 1], [1.0, 1.0])
    assert certificate.support_rows == (0, 1)
    assert certificate.b_low == pytest.approx(0.1)
    assert er.verify(certificate, X[:2], [1, -1]).holds


def test_the_lower_end_is_sharp_where_points_nearly_cancel():
    """R B is 1e12: the sum of the points is 1e-12 of each."""
    X = np.array([[1e6, 1e-6], [-1e6, 1e-6], [1e6 + 0.125, 3e-6]])
    y = [1, 1, 1]
    X, y = np.vstack([X, -X]), [1, 1, 1, -1, -1, -1]
    certificate = separation_from(points_of(X, y, False), [0.0, 1.0], 0.0, [0, 1], [1.0, 1.0])
    assert certificate.b_low == pytest.approx(1e6)
    assert certificate.b_high == pytest.approx(1e6, rel=1e-6)
    assert er.verify(certificate, X, y).holds


def test_bad_arguments():
    points = points_of(np.eye(2), [1, -1], False)
    with pytest.raises(ValueError, match="must go through the origin"):
        separation_from(points, [1.0, -1.0], 0.5)
    with pytest.raises(ValueError, match="3 weights, X has 2 columns"):
        separation_from(points, [1.0, -1.0, 0.0], 0.0)
    assert separation_from(points, [np.nan, -1.0], 0.0) is None
    assert separation_from(points, [np.inf, -1.0], 0.0) is None


@MAKERS
@pytest.mark.parametrize("labels", [(-1, 1), ("no", "yes"), (0.5, 2.5), (False, True)])
def test_json_both_ways(make, labels):
    X, y, w, b = separable()
    named = np.array(labels, dtype=object)[(y + 1) // 2]
    certificate = separation_from(points_of(make(X), named), w, b)
    again = through_text(certificate)
    assert as_text(again) == as_text(certificate)
    assert again.weights.tolist() == certificate.weights.tolist()
    assert er.verify(again, make(X), named).holds


def certified():
    X, y, w, b = separable()
    return X, y, separation_from(points_of(X, y), w, b)


def test_json_that_was_altered_is_refused():
    _, _, certificate = certified()
    assert_alterations_are_refused(certificate)
    data = sealed_json(certificate)
    for other in ([], None, {**data, "more": 1}, sealed_again({**data, "more": 1})):
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json(other)


LIES = {
    "weights": lambda c: -c.weights,
    "intercept": lambda c: c.intercept + 100.0,
    "margin": lambda c: c.margin * 1.001,
    "affine_margin": lambda c: c.affine_margin * 0.9,
    "radius": lambda c: c.radius * 0.999,
    "b_low": lambda c: c.b_low * 1.001,
    "b_high": lambda c: c.b_high * 0.999,
    "support_rows": lambda c: (999,),
    "support_weights": lambda c: (-1.0,),
    **ABOUT_OTHER_DATA,
}


@pytest.mark.parametrize("name", LIES)
def test_every_lie_is_found_even_with_a_new_seal(name):
    X, y, certificate = certified()
    assert_found(certificate, name, LIES, X, y)


@pytest.mark.parametrize("name", ["intercept", "margin", "affine_margin", "radius", "b_low", "b_high"])
def test_numbers_that_are_none_are_found(name):
    X, y, certificate = certified()
    for none in (math.nan, math.inf):
        lie = certificate._replace(**{name: none})
        assert not er.verify(lie, X, y).holds
        with pytest.raises(ValueError, match=name):
            through_text(lie)


def test_other_data_are_told_apart():
    X, y, certificate = certified()
    moved = X.copy()
    moved[3, 1] += 1e-12
    for data, labels in [(moved, y), (X[:-1], y[:-1]), (X[:, :2], y), (X, -y), (X, np.where(y > 0, 2, 1))]:
        verdict = er.verify(certificate, data, labels)
        assert not verdict.holds
        assert "other data" in verdict.sentence
    assert "cannot be those" in er.verify(certificate, X, np.ones(40)).sentence
    assert "cannot be those" in er.verify(certificate, X * np.nan, y).sentence


def test_sentences():
    X, y, certificate = certified()
    assert "all 40 points strictly on their sides" in certificate.sentence()
    X, y, w, _ = separable(fit_intercept=False)
    assert "through the origin" in separation_from(points_of(X, y, False), w, 0.0).sentence()

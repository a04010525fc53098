import math

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import approx_fprime
from scipy.stats import norm

from empirisk.bounds.pac_bayes.pbgd import _value_and_slope, pbgd
from empirisk.bounds.pac_bayes.zero_prior import cosines, zero_prior_draw_bound, zero_prior_plane_bound
from empirisk.designs import as_design
from empirisk.separation.points import points_of
from tests.bounds.pac_bayes.test_plane_bound import gaussian_classes, log_xi, mean_plane, risk, upper


def test_cosines_do_not_exceed_the_exact_ones():
    rng = np.random.default_rng(0)
    X, y = gaussian_classes(rng, 40, 3, 1.0)
    w = np.array([1.0, -2.0, 0.5, 0.25])
    Z = np.column_stack([X, np.ones(40)]).astype(np.longdouble)
    exact = y * (Z @ w) / np.sqrt((Z * Z).sum(axis=1) * np.longdouble(w @ w))
    found = cosines(as_design(X), y, w, True)
    assert np.all(found <= exact)
    np.testing.assert_allclose(found, exact.astype(float), atol=1e-12)
    assert np.all(cosines(as_design(np.zeros((2, 1))), np.ones(2), np.ones(1), False) == -1.0)


def test_agrees_with_the_formula_at_its_length():
    k = np.random.default_rng(1).uniform(-0.2, 1.0, 200)
    draw = zero_prior_draw_bound(k, math.log(0.05))
    a = math.sqrt(2.0 * draw.divergence)
    room = log_xi(200) - math.log(0.05)
    assert draw.value == pytest.approx(upper(norm.cdf(-a * k).mean(), (a * a / 2.0 + room) / 200), rel=1e-9)
    plane = zero_prior_plane_bound(k, math.log(0.05))
    a, t = math.sqrt(2.0 * plane.divergence), plane.width
    spent = (a * a / 2.0 + room + math.log(5)) / 200
    expected = upper(norm.cdf(t - a * k).mean(), spent) / norm.cdf(t)
    assert plane.value == pytest.approx(expected, rel=1e-9)
    assert plane.value > draw.value


def test_slope_of_the_bound():
    rng = np.random.default_rng(2)
    rows, w = rng.standard_normal((30, 3)), rng.standard_normal(3)
    slope = _value_and_slope(w, rows, 4.0)[1]
    np.testing.assert_allclose(slope, approx_fprime(w, lambda v: _value_and_slope(v, rows, 4.0)[0], 1e-7), atol=1e-6)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_descent_beats_the_plane_between_the_means(is_sparse):
    X, y = gaussian_classes(np.random.default_rng(3), 400, 3, 1.0)
    X[:, 1] *= 5.0
    points = points_of(scipy.sparse.csr_matrix(X) if is_sparse else X, y)
    w, b = pbgd(points)
    found = zero_prior_draw_bound(cosines(points.design, points.y, np.append(w, b), True), math.log(0.05))
    other = np.append(*mean_plane(X, y))
    assert found.value < zero_prior_draw_bound(cosines(points.design, points.y, other, True), math.log(0.05)).value
    assert (
        risk(w, b, 1.0)
        < zero_prior_plane_bound(cosines(points.design, points.y, np.append(w, b), True), math.log(0.05)).value
    )

"""VC bounds against their definitions, growth functions against counting, classes against brute force."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.bounds import (
    Planes,
    Rectangles,
    Sines,
    growth,
    growth_of_classes,
    labellings,
    shatters,
    vapnik,
    vc_dimension,
    vc_tail,
    vc_tail_of_classes,
    vc_tail_sparse,
)
from tests.bounds.tails import long_tails


def sauer(h, total):
    return sum(math.comb(total, i) for i in range(min(h, total) + 1))


@given(st.integers(0, 80), st.integers(0, 80))
def test_growth_by_counting(h, total):
    exact = mpmath.log(sauer(h, total))
    assert exact - mpmath.mpf(10) ** -40 <= growth(h, total) <= exact + 1e-12 * (1 + exact)


@pytest.mark.parametrize(("h", "total"), [(124, 162_805), (5, 5 * 10**7), (1000, 10**6)])
def test_growth_of_many_points(h, total):
    exact = mpmath.log(sauer(h, total))
    assert exact <= growth(h, total) <= exact * (1 + 1e-13)


@pytest.mark.parametrize(("k", "n", "h"), [(0, 100, 2), (10, 100, 3), (4884, 32_561, 124), (0, 10**7, 5)])
def test_vapnik_in_60_digits(k, n, h):
    delta = mpmath.mpf(0.05)
    e = (h * mpmath.log(2 * mpmath.e * n / h) + mpmath.log(4 / delta)) / n
    r = mpmath.mpf(k) / n
    exact = r + 2 * e * (1 + mpmath.sqrt(1 + r / e))
    assert min(1, exact) <= vapnik(k, n, h) <= min(1, exact * (1 + mpmath.mpf(10) ** -12))


def tail_by_counting(k, n, growth_of, delta):
    """J as it is defined, in fractions."""
    ghosts = 4 * n
    level = Fraction(delta) / (4 * growth_of)
    tails = (long_tails.hypergeometric_tail(k, marked, n, n + ghosts) for marked in range(n + ghosts + 1))
    least = next((marked for marked, tail in enumerate(tails) if tail <= level), n + ghosts + 1)
    return Fraction(max(1, least - 1 - k), ghosts)


@pytest.mark.parametrize(("k", "n", "h"), [(0, 40, 1), (3, 40, 2), (0, 25, 3), (25, 25, 1), (1, 12, 6)])
def test_vc_tail_by_counting(k, n, h):
    exact = tail_by_counting(k, n, sauer(h, 5 * n), 0.05)
    assert exact <= vc_tail(k, n, h) <= exact * (1 + Fraction(1, 10**10))


def test_vc_tail_of_sparse_planes_and_classes_by_counting():
    exact = tail_by_counting(2, 40, sauer(2, 200), Fraction(0.05) / (7 * math.comb(6, 1)))
    assert exact <= vc_tail_sparse(2, 40, 6, 1) <= exact * (1 + Fraction(1, 10**10))
    exact = tail_by_counting(2, 20, sauer(4, 100 * 6), 0.05)
    assert exact <= vc_tail_of_classes(2, 20, 2, 3) <= exact * (1 + Fraction(1, 10**10))


def test_vc_tail_is_known_for_a_large_set():
    """123 columns, 15 % of 32561 rows wrong: Vapnik's 0.346 becomes 0.265."""
    assert vapnik(4884, 32_561, 124) == pytest.approx(0.3461875, abs=1e-6)
    assert vc_tail(4884, 32_561, 124) == pytest.approx(0.2645266, abs=1e-6)


def test_the_largest_of_several_scores_has_no_more_labellings_than_counted():
    """Three classes of one-dimensional scores with intercepts, tried at random."""
    x, rng = np.array([-1.0, 0.3, 2.0]), np.random.default_rng(0)
    seen = {tuple(np.argmax(np.outer(x, w) + b, axis=1)) for w, b in rng.normal(size=(2000, 2, 3))}
    assert 10 < len(seen) <= math.exp(growth_of_classes(2, 3, 3))
    assert growth_of_classes(2, 50, 2) == growth(2, 50)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_planes_by_brute_force(d):
    """Corners of a simplex and the origin: h points are shattered, h + 1 are not; never more ways than Sauer's."""
    rng = np.random.default_rng(d)
    corners = np.vstack([np.eye(d), np.zeros(d)])
    assert shatters(Planes(), corners)
    assert shatters(Planes(is_affine=False), corners[:-1])
    for m in range(1, 6):
        points = rng.normal(size=(m, d))
        assert labellings(Planes(), points) <= sauer(d + 1, m)
        assert labellings(Planes(is_affine=False), points) <= sauer(d, m)
        if m == d + 2:
            assert not shatters(Planes(), points)


def test_ties_are_why_cover_is_not_used():
    """Two points on a line through the origin, both on one side: w = 0 adds a labelling to Cover's two."""
    points = np.array([[1.0], [2.0]])
    assert labellings(Planes(is_affine=False), points) == 2
    points = np.array([[1.0], [-2.0]])
    assert labellings(Planes(is_affine=False), points) == 3
    assert sauer(1, 2) == 3


def test_intervals_and_rectangles():
    line = np.array([[0.0], [1.0], [2.0]])
    assert shatters(Rectangles(), line[:2])
    assert not shatters(Rectangles(), line)
    assert labellings(Rectangles(), line) == 7
    diamond = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    assert shatters(Rectangles(), diamond)
    assert not shatters(Rectangles(), np.vstack([diamond, [0.0, 0.0]]))


def test_one_parameter_shatters_any_number_of_points():
    points = 10.0 ** -np.arange(1.0, 9.0)[:, None]
    assert shatters(Sines(), points)


def test_dimensions():
    assert vc_dimension(columns=4) == 5
    assert vc_dimension(columns=4, is_affine=False) == 4
    assert vc_dimension(columns=2, degree=2) == 6
    assert vc_dimension(finite=1000) == 9
    assert vc_dimension(columns=100, diameter=3.0, gap=1.0) == 10
    assert vc_dimension(columns=4, diameter=30.0, gap=1.0) == 5


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: vapnik(0, 3, 5), "needs at least h = 5 rows"),
        (lambda: vc_tail(5, 3, 5), "errors must be at most n = 3"),
        (lambda: vc_tail(0, 3, 0), "h must be an integer >= 1"),
        (lambda: vc_tail(0, 3, 1, delta=0.0), "delta must be a number between 0 and 1"),
        (lambda: vc_tail(0, 3, 1, delta=1), "delta must be a number between 0 and 1"),
        (lambda: vc_tail(0, 3, 1, delta=-0.5), "delta must be a number between 0 and 1"),
        (lambda: vc_tail(0, 3, 1, delta=math.nan), "delta must be a number between 0 and 1"),
        (lambda: vc_dimension(), "give either columns"),
        (lambda: vc_dimension(columns=2, gap=1.0), "both a diameter and a gap"),
        (lambda: shatters(Planes(), np.zeros((17, 1))), "1 to 16 rows"),
    ],
)
def test_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()

"""The bounds against the formulas by SciPy, on data with known risk, and wrong variants that must be caught."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy
from scipy.stats import beta, binom, norm

from empirisk.blas_threads import one_blas_thread
from empirisk.bounds.augmented_rows import joined
from empirisk.bounds.pac_bayes.gaussian_prior import gaussian_prior
from empirisk.bounds.pac_bayes.plane_bound import DRAW_SCALES, PAIRS, draw_bound, plane_bound
from empirisk.bounds.pac_bayes.prior_rows import prior_rows
from empirisk.designs import as_design

DELTA = 0.05


def kl(q, p):
    return xlogy(q, q / p) + xlogy(1.0 - q, (1.0 - q) / (1.0 - p))


def upper(q, c):
    return brentq(lambda p: kl(q, p) - c, q, 1.0 - 1e-16, xtol=1e-14) if kl(q, 1.0 - 1e-16) > c else 1.0


def lower(q, c):
    return brentq(lambda p: kl(q, p) - c, 1e-300, q, xtol=1e-14) if q > 0.0 and kl(q, 1e-300) > c else 0.0


def log_xi(n):
    k = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, k / n) + xlogy(n - k, 1.0 - k / n)
    return math.log(np.exp(logs).sum())


def naive_plane_bound(m, divergence, is_wrong, delta):
    n, wrong = m.size, int(is_wrong.sum())
    fixed = beta.isf(0.5 * delta, wrong + 1, n - wrong)
    found = []
    for c, t in PAIRS:
        losses = norm.cdf(t - m / math.sqrt(c))
        spent = [(divergence / c + log_xi(n) + math.log(25 / (share * delta))) / n for share in (0.3, 0.1)]
        parts = np.where(is_wrong, 0.0, losses).mean(), np.where(is_wrong, 1.0 - losses, 0.0).mean()
        found.append(upper(losses.mean(), spent[0]) / norm.cdf(t))
        found.append((fixed + upper(parts[0], spent[1]) - lower(parts[1], spent[1])) / norm.cdf(t))
    return min(1.0, *found)


@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("shift", [0.5, 3.0, 12.0])
def test_agrees_with_the_formulas_and_never_undercuts(n, shift):
    rng = np.random.default_rng(n)
    m, is_wrong = rng.normal(shift, 2.0, n), rng.random(n) < 0.1
    found = plane_bound(m, 1.5, is_wrong, math.log(DELTA))
    expected = naive_plane_bound(m, 1.5, is_wrong, DELTA)
    assert found.value == pytest.approx(expected, rel=1e-9)
    assert found.value >= expected - 1e-13
    draw = draw_bound(m, 1.5, math.log(DELTA))
    room = log_xi(n) + math.log(6 / DELTA)
    expected = min(upper(norm.cdf(-m / math.sqrt(c)).mean(), (1.5 / c + room) / n) for c in DRAW_SCALES)
    assert draw.value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_plane_with_every_row_on_it_is_wrong_everywhere(wrong):
    """Without 1 / Phi(t) this would be Phi(t) and a little: the share of draws that are as wrong as the plane."""
    m = np.zeros(100_000)
    assert plane_bound(m, 0.0, np.full(m.size, wrong), math.log(DELTA)).value == 1.0
    assert draw_bound(m, 0.0, math.log(DELTA)).value < 0.6


def test_rows_of_which_nothing_is_sure_count_as_wrong():
    m = np.full(50, -math.inf)
    assert plane_bound(m, 0.0, np.zeros(50, bool), math.log(DELTA)).value == 1.0


def test_split_pays_where_the_planes_are_alike():
    rng = np.random.default_rng(0)
    m = rng.normal(20.0, 15.0, 5000)
    found = plane_bound(m, 0.5, m <= 0.0, math.log(DELTA))
    assert found.is_split
    assert (m <= 0.0).mean() < found.value < 0.2


def mean_plane(X, y):
    """The plane between the means of the classes, scaled as a fit would be; no solver."""
    w = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    return w / np.linalg.norm(w), -float(X.mean(axis=0) @ w) / np.linalg.norm(w)


def gaussian_classes(rng, n, d, shift):
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = rng.standard_normal((n, d))
    X[:, 0] += shift * y
    return X, y


def risk(w, b, shift):
    """Of a plane on `gaussian_classes`: exact."""
    size = np.linalg.norm(w)
    return 0.5 * (norm.cdf(-(shift * w[0] + b) / size) + norm.cdf((b - shift * w[0]) / size))


def interpolating_plane(X, y):
    """Least squares with a little l2, scaled as a fit that separates would be."""
    Z = np.column_stack([X, np.ones(y.size)])
    with one_blas_thread():  # for small matrices threads take longer to start than to work
        w = np.linalg.solve(Z.T @ Z + 1e-3 * np.eye(Z.shape[1]), Z.T @ y)
    return 10.0 * w[:-1], 10.0 * float(w[-1])


def bounds_of(X, y, plane, prior_plane, is_prior):
    prior = gaussian_prior(as_design(X[is_prior]), joined(*prior_plane), True, 1e-2)
    rest, w = ~is_prior, joined(*plane)
    margins = prior.margins(as_design(X[rest]), y[rest], w)
    is_wrong = y[rest] * (X[rest] @ prior_plane[0] + prior_plane[1]) <= 0.0
    return plane_bound(margins, prior.divergence(w), is_wrong, math.log(DELTA)).value


@pytest.mark.parametrize("shift", [2.5, 0.8, 0.0])  # nearly realisable, about 20 % noise, labels by a coin
def test_holds_on_fresh_draws(shift):
    rng, draws, broken = np.random.default_rng(5), 60, 0
    for _ in range(draws):
        X, y = gaussian_classes(rng, 100, 2, shift)
        is_prior = prior_rows(100)
        plane = mean_plane(X, y)
        found = bounds_of(X, y, plane, mean_plane(X[is_prior], y[is_prior]), is_prior)
        broken += found < risk(*plane, shift)
    assert broken <= binom.ppf(1.0 - 1e-6, draws, DELTA)


def test_a_prior_that_saw_all_rows_is_caught():
    rng, draws, broken, broken_by_all = np.random.default_rng(6), 10, 0, 0
    for _ in range(draws):
        X, y = gaussian_classes(rng, 200, 150, 0.0)  # labels by a coin: every plane errs half of the time
        is_prior = prior_rows(200)
        plane = interpolating_plane(X, y)
        broken += bounds_of(X, y, plane, interpolating_plane(X[is_prior], y[is_prior]), is_prior) < 0.5
        broken_by_all += bounds_of(X, y, plane, plane, is_prior) < 0.5
    limit = binom.ppf(1.0 - 1e-6, draws, DELTA)
    assert broken <= limit < broken_by_all

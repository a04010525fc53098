"""Bounds of means: against their formulas in 60 digits, and between what is known of them."""

import math

import mpmath
import numpy as np
import pytest

from empirisk.bounds.means import CUT, LAMBDAS, mean_by_betting, mean_by_kl, mean_of_risks
from empirisk.bounds.row_order import mixed_words, shuffled
from tests.bounds.tails import long_tails

LOG = math.log(0.05)


def losses(seed, n=200):
    return np.random.default_rng(seed).beta(2.0, 5.0, n)


@pytest.mark.parametrize("seed", range(3))
def test_kl_holds_in_60_digits(seed):
    x = losses(seed)
    bound = mean_by_kl(x, LOG)
    mean = mpmath.fsum(map(mpmath.mpf, x.tolist())) / x.size
    assert long_tails.kl(mean, bound) >= -LOG / x.size
    assert long_tails.kl(mean, bound - 1e-10) <= -LOG / x.size


def long_capital(x, m):
    """The largest capital of the bets, in 60 digits; the bets themselves are as they are defined."""
    total = squares = mpmath.mpf(0)
    logarithm = best = mpmath.mpf(0)
    for t, value in enumerate(map(mpmath.mpf, x.tolist()), 1):
        variance = (mpmath.mpf(0.25) + squares) / t
        bet = mpmath.sqrt(-2 * mpmath.mpf(LOG) / (x.size * variance))
        logarithm += mpmath.log1p(min(bet, CUT / (1 - m)) * (m - value))
        best = max(best, logarithm)
        total += value
        squares += (value - (mpmath.mpf(0.5) + total) / (t + 1)) ** 2
    return best


@pytest.mark.parametrize("seed", range(3))
def test_betting_holds_in_60_digits(seed):
    x = losses(seed)
    bound = mpmath.mpf(mean_by_betting(x, LOG))
    assert long_capital(x, bound + mpmath.mpf(10) ** -14) >= -LOG
    assert long_capital(x, bound - 1e-10) <= -LOG


def test_betting_uses_a_small_variance():
    """Losses near 0.9 that hardly vary: kl cannot see it, betting can; no loss at all suits kl."""
    steady = 0.9 + 0.01 * np.sin(np.arange(200.0))
    assert mean_by_betting(steady, LOG) < mean_by_kl(steady, LOG) - 0.01
    assert mean_by_kl(np.zeros(200), LOG) < mean_by_betting(np.zeros(200), LOG)
    assert mean_by_betting(np.ones(5), LOG) == 1.0


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_progressive_in_60_digits(share):
    x = np.where(np.arange(100) < 100 * share, 1.0, 0.0)
    room = mpmath.log(len(LAMBDAS)) - mpmath.mpf(LOG)
    ways = [(1 - mpmath.exp(-(lam * 100 * mpmath.mpf(share) + room) / 100)) / (1 - mpmath.exp(-lam)) for lam in LAMBDAS]
    exact = min(1, *ways)
    assert exact <= mean_of_risks(x, LOG) <= exact * (1 + mpmath.mpf(10) ** -12)


def test_an_order_is_the_same_everywhere():
    assert mixed_words(0, 3).tolist() == mixed_words(0, 5).tolist()[:3]
    assert shuffled(3, 6).tolist() == shuffled(3, 6).tolist()
    assert sorted(shuffled(1, 100).tolist()) == list(range(100))
    halves = mixed_words(5, 10_000) < np.uint64(1 << 63)
    assert abs(int(halves.sum()) - 5000) < 250
    assert not np.array_equal(shuffled(1, 100), shuffled(2, 100))

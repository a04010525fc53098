import math

import numpy as np
import pytest
from scipy.stats import binom

from empirisk.bounds.augmented_rows import distances_and_lengths
from empirisk.bounds.margins.margin_bound import margin_bound
from empirisk.designs import as_design
from tests.bounds.pac_bayes.test_plane_bound import gaussian_classes, mean_plane, risk


def naive(distances, lengths, j, delta):
    n = distances.size
    ramp = np.clip(1.0 - 2.0**j * distances, 0.0, 1.0).mean()
    price = math.log(2.0 * 3.0 * (1 + abs(j)) ** 2 / delta)
    return ramp + 2.0 * 2.0**j * math.sqrt((lengths**2).sum()) / n + 3.0 * math.sqrt(price / (2.0 * n))


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
def test_is_the_least_over_all_powers(scale):
    rng = np.random.default_rng(0)
    distances, lengths = rng.normal(3.0, 1.0, 20_000) * scale, np.full(20_000, 4.0) * scale
    found = margin_bound(distances, lengths, math.log(0.05))
    expected = min(naive(distances, lengths, j, 0.05) for j in range(-60, 60))
    assert found.value == pytest.approx(expected, rel=1e-9)
    assert found.value >= expected
    assert 0.0 < found.value < 0.5


def test_the_prices_sum_to_less_than_delta():
    assert sum(1.0 / (3.0 * (1 + abs(j)) ** 2) for j in range(-1000, 1001)) < 0.77


def test_rows_of_length_zero_say_nothing():
    assert margin_bound(np.zeros(5), np.zeros(5), math.log(0.05)).value == 1.0
    assert margin_bound(np.full(5, -np.inf), np.full(5, np.inf), math.log(0.05)).value == 1.0


def test_holds_on_fresh_draws():
    rng, draws, broken = np.random.default_rng(1), 50, 0
    for _ in range(draws):
        X, y = gaussian_classes(rng, 400, 2, 3.0)
        plane = mean_plane(X, y)
        found = margin_bound(*distances_and_lengths(as_design(X), y, np.append(*plane), True), math.log(0.05))
        broken += found.value < risk(*plane, 3.0)
    assert broken <= binom.ppf(1.0 - 1e-6, draws, 0.05)

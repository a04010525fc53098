"""The bound of integer planes: recomputed, refused where anything was changed, and valid in simulations."""

import functools
import itertools
import json
import math

import numpy as np
import pytest
from scipy.stats import binom

import empirisk as er
from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.planes import integer_bound
from empirisk.bounds.integers.score_card import score_card
from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.bounds.tails import binomial_upper
from empirisk.certificates import from_sealed_json, sealed_json
from tests.bounds.test_integer_code import plane_of

X = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, -2.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.5]] * 10)
Y = np.array(["no", "yes", "yes", "no"] * 9 + ["yes", "yes", "no", "no"])
PLANE = plane_of([2, -1, 0], [0, -1, 0], -1)


def bound_of(plane=PLANE, delta=0.05):
    return integer_bound(plane, labelled_rows(X, Y), delta)


def test_the_value_is_that_of_the_code():
    bound = bound_of()
    assert bound.errors == 2
    least = binomial_upper(2, 40, math.log(0.05) - PLANE.length())
    assert least <= bound.value <= least * (1.0 + 1e-12)
    assert er.verify(bound, X, Y).holds
    again = from_sealed_json(json.loads(json.dumps(sealed_json(bound))))
    assert er.verify(again, X, Y).holds


@pytest.mark.parametrize(
    "changed",
    [
        {"values": np.array([1, -1, 0])},
        {"exponents": np.array([0, 0, 0])},
        {"exponents": np.array([0, -1, 3])},
        {"values": np.array([0, 0, 0])},
        {"values": np.array([4096, -1, 0]), "exponents": np.array([-11, -1, 0])},
        {"intercept": np.array([-1.5])},
        {"weights": np.array([[2.0, -0.25, 0.0]])},
        {"exponents": np.array([0, 2000, 0])},
    ],
)
def test_other_integers_than_the_weights_are_refused(changed):
    bound = bound_of()
    assert not er.verify(bound._replace(evidence={**bound.evidence, **changed}), X, Y).holds


def test_cheaper_codes_of_the_same_plane_are_recomputed():
    longer = plane_of([4, -2, 0], [-1, -2, 0], -1)
    assert np.array_equal(longer.weights(), PLANE.weights())
    claim = bound_of(longer)
    assert claim.value > bound_of().value
    short = claim._replace(value=bound_of().value, ingredients=bound_of().ingredients)
    assert not er.verify(short, X, Y).holds


def test_levels_below_the_smallest_float():
    wide = np.zeros((400, 2000))
    wide[:, 0] = np.where(np.arange(400) % 2, 1.0, -1.0)
    values = np.zeros(2000, dtype=np.int64)
    values[:300] = 1
    bound = integer_bound(plane_of(values, np.zeros(2000, dtype=np.int64)), labelled_rows(wide, wide[:, 0]))
    assert bound.ingredients["log_level"] < math.log(5e-324)
    assert 0.9 < bound.value < 1.0


def test_the_card_adds_up():
    plane = plane_of([2, -1, 0], [0, -9, 0], -3)
    text = score_card(plane, ["no", "yes"], bound_of(plane), ["age", "income", "x"])
    lines = text.splitlines()
    assert lines[:4] == [
        "points  for each",
        "    +2  1 of age",
        "    -1  512 of income",
        "Predict yes from 3 points on, and no below.",
    ]
    assert lines[4] == bound_of(plane).sentence()
    nothing = IntegerPlane(3, *np.zeros((3, 0), dtype=np.int64), -1)
    assert score_card(nothing, ["no", "yes"], bound_of(nothing)).startswith("Always predict no.")


GRID = np.array([[a, b] for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0)])
TRUTH = np.where(GRID @ [1.0, -1.0] >= 0.0, 1.0, -1.0)
PLANES = [
    plane_of(v, (e, 0), c) for v in itertools.product((-2, -1, 0, 1, 2), repeat=2) for e in (0, 2) for c in (-1, 0)
]


@functools.cache
def level_of(errors, length):
    return binomial_upper(errors, 100, math.log(0.05) - length)


def draws_that_miss(noise, length_of, n_draws=2000):
    """In how many draws of 100 rows the risk, which is known, of some plane is above its bound."""
    rng = np.random.default_rng(0)
    says = np.array([GRID @ plane.weights() + plane.intercept >= 0.0 for plane in PLANES])
    is_other = says != (TRUTH > 0.0)
    risks = np.mean(np.where(is_other, 1.0 - noise, noise), axis=1)
    lengths, misses = [length_of(plane) for plane in PLANES], 0
    for _ in range(n_draws):
        at, is_flipped = rng.integers(0, 9, 100), rng.random(100) < noise
        errors = np.count_nonzero(is_other[:, at] != is_flipped, axis=1).tolist()
        misses += any(r > level_of(k, length) for r, k, length in zip(risks, errors, lengths, strict=True))
    return misses


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
def test_all_planes_at_once_hold_in_draws_with_known_risk(noise):
    assert draws_that_miss(noise, IntegerPlane.length) <= binom.ppf(1.0 - 1e-6, 2000, 0.05)


def test_a_forgotten_code_is_caught():
    assert draws_that_miss(0.2, lambda plane: 0.0, 500) > binom.ppf(1.0 - 1e-6, 500, 0.05)

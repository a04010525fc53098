"""The weights of convex combinations, in exact terms: multiples of 2^-52 that sum to 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from empirisk.protocols import Vector

GRID = 2.0**52


def shares_of(weights: Vector) -> Vector:
    """Weights divided by their sum, as multiples of 2^-52 whose exact sum is 1; small ones become zero."""
    shares = np.floor(weights / weights.max() / np.sum(weights / weights.max()) * GRID)
    largest = int(np.argmax(shares))
    shares[largest] = 0.0
    shares[largest] = float(int(GRID) - sum(map(int, shares)))  # each is an integer below 2^53
    return shares / GRID


def is_convex_combination(shares: Iterable[float]) -> bool:
    """Whether these are numbers >= 0 that sum to exactly 1."""
    return all(math.isfinite(x) and x >= 0.0 for x in shares) and sum(map(Fraction, shares)) == 1

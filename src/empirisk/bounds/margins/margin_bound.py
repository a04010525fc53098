"""The margin bound of a plane, by Rademacher complexity.

With z~ = (x, 1) (x alone without an intercept) and scores z of planes of norm ||(w, b)|| <= B, with probability
1 - delta for all of them at once

    R <= mean min(1, max(0, 1 - y_i z_i)) + 2 Rad + 3 sqrt(ln(2 / delta) / (2 n))
    Rad <= (B / n) sqrt(sum_i ||z~_i||^2)

as the ramp is above the 0-1 loss and has slope 1 at most. It holds for every B = 2^j, j any whole number, at delta_j
= delta / (3 (1 + |j|)^2), and sum_j 1 / (3 (1 + |j|)^2) = (pi^2 / 3 - 1) / 3 < 1. A plane is the same at every
length: (w, b) is taken at the length 2^j, with the best j. Reference: Bartlett and Mendelson (2002); Mohri,
Rostamizadeh and Talwalkar (2018), theorem 5.8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.protocols import Vector

TRIED = 48  # powers of two for B, from the largest that can say something


class MarginBound(NamedTuple):
    """J at the best B = 2^j."""

    value: float
    power: int  # j
    ramp: float  # the mean loss
    complexity: float  # Rad


def margin_bound(margins: Vector, lengths: Vector, log_delta: float) -> MarginBound:
    """From lower bounds of y_i <(w, b), z~_i> / ||(w, b)||, and the ||z~_i||."""
    n = margins.size
    with np.errstate(over="ignore"):
        root = float(np.linalg.norm(lengths)) * (1.0 + 2.0 * n * UNIT) / n
    if not 0.0 < root < math.inf:
        return MarginBound(1.0, 0, 1.0, root)
    first = math.floor(-math.log2(root))
    return min(_at(margins, root, j, log_delta) for j in range(first, first - TRIED, -1))


def _at(margins: Vector, root: float, j: int, log_delta: float) -> MarginBound:
    n = margins.size
    log_price = math.log(3.0) + 2.0 * math.log(1.0 + abs(j)) + math.log(2.0) - log_delta
    ramp = float(np.mean(np.clip(1.0 - math.ldexp(1.0, j) * margins, 0.0, 1.0))) * (1.0 + n * UNIT) + 4.0 * UNIT
    complexity = math.ldexp(root, j)
    value = (ramp + 2.0 * complexity + 3.0 * math.sqrt(log_price / (2.0 * n))) * (1.0 + 16.0 * UNIT)
    return MarginBound(min(1.0, value), j, min(1.0, ramp), complexity)

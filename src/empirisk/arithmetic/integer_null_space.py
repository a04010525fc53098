"""The integer weights of points that depend on each other in one way only, exactly.

Let k points have rank k - 1. Modulo a prime, elimination finds k - 1 coordinates and k - 1 points whose square matrix M
is invertible; the weights are the solution of M x = -z, z the point left over. Whatever it is said to be is checked by
Python's integers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic.integer_points import PRIME, IntegerPoints, weighted_sum
from empirisk.arithmetic.integer_systems import Integers, reciprocal, solution
from empirisk.compiled import kernel


class Dependence(NamedTuple):
    """What elimination modulo PRIME says about points, taken in their order."""

    pivots: Integers  # points that do not depend on those before them
    coordinates: Integers  # as many, in which these are independent
    others: Integers  # points that depend on pivots before them, if the prime is not an unlucky one


def residues(points: IntegerPoints) -> Integers:
    """The points modulo PRIME, one a row."""
    matrix = np.zeros((len(points.values), points.n_coordinates), dtype=np.int64)
    for row, coordinates, values in zip(matrix, points.coordinates, points.values, strict=True):
        row[list(coordinates)] = [value % PRIME for value in values]
    return matrix


def dependence(points: IntegerPoints) -> Dependence:
    """Which points depend on the points before them, modulo PRIME: all that are said to be independent are."""
    lead = _leads(residues(points))
    pivots = np.flatnonzero(lead >= 0)
    return Dependence(pivots, lead[pivots], np.flatnonzero(lead < 0))


def independent_lines(residues: Integers) -> Integers:
    """The lines that do not depend on those before them, modulo PRIME."""
    return np.flatnonzero(_leads(residues) >= 0)


def _leads(residues: Integers) -> Integers:
    lead = np.empty(len(residues), dtype=np.int64)
    _eliminate(np.array(residues), lead)
    return lead


def null_vector(points: IntegerPoints, use_flint: bool = True) -> tuple[int, ...] | None:
    """The integers without a common factor, unique up to sign, with sum_i weights_i z_i = 0.

    None where the points are independent, or where more than one weighting sums to zero. The first weight that is not
    zero is positive. A result proves that the rank is the number of points less one.
    """
    count = len(points.values)
    found = dependence(points)
    if found.others.size != 1:
        return None
    last = int(found.others[0])
    place = {int(c): k for k, c in enumerate(found.coordinates)}
    matrix = [[0] * (count - 1) for _ in place]
    right = [0] * (count - 1)
    for i in range(count):
        for c, value in zip(points.coordinates[i], points.values[i], strict=True):
            if c in place and i == last:
                right[place[c]] = -value
            elif c in place:
                matrix[place[c]][i - (i > last)] = value
    solved = solution(matrix, right, use_flint)
    if solved is None:
        return None
    weights, denominator = solved
    weights.insert(last, denominator)
    common = math.gcd(*weights)
    sign = 1 if next(w for w in weights if w) > 0 else -1
    exact = tuple(sign * w // common for w in weights)
    return exact if not any(weighted_sum(points, exact)) else None


@kernel
def _eliminate(rows, lead):
    """Row by row: lead[i] is the coordinate of the first entry that is left of row i, -1 where nothing is."""
    n, d = rows.shape
    for i in range(n):
        row = rows[i]
        for before in range(i):
            c = lead[before]
            if c >= 0 and row[c] != 0:
                factor = PRIME - row[c]
                other = rows[before]
                for j in range(d):
                    row[j] = (row[j] + factor * other[j]) % PRIME
        lead[i] = -1
        for j in range(d):
            if row[j] != 0:
                lead[i] = j
                break
        if lead[i] >= 0:
            inverse = reciprocal(row[lead[i]])
            for j in range(d):
                row[j] = row[j] * inverse % PRIME

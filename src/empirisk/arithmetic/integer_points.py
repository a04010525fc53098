"""Points with integer coordinates: their weighted sums, and a bound of their rank, by Python's integers alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

PRIME = 2**30 - 35  # the largest of one digit of Python's integers


class IntegerPoints(NamedTuple):
    """Points z_i, each coordinate times a power of two of its own that makes it integer in all of them.

    sum_i lambda_i z_i = 0 before if and only if after: no weight changes. Coordinates that are zero in all of them are
    left out; in the affine case the last one is the y_i that belongs to the intercept.
    """

    coordinates: tuple[tuple[int, ...], ...]  # of each point, where it is not zero
    values: tuple[tuple[int, ...], ...]
    n_coordinates: int
    columns: tuple[int, ...]  # of X, that the coordinates are (without the intercept)
    exponents: tuple[int, ...]  # x = value 2^exponent


def some_points(points: IntegerPoints, members: Sequence[int]) -> IntegerPoints:
    """Some of the points, in the same coordinates."""
    coordinates = tuple(points.coordinates[m] for m in members)
    return points._replace(coordinates=coordinates, values=tuple(points.values[m] for m in members))


def weighted_sum(points: IntegerPoints, weights: Sequence[int]) -> list[int]:
    """sum_i weights_i z_i, coordinate by coordinate."""
    totals = [0] * points.n_coordinates
    for weight, coordinates, values in zip(weights, points.coordinates, points.values, strict=True):
        for k, value in zip(coordinates, values, strict=True):
            totals[k] += weight * value
    return totals


def least_rank(points: IntegerPoints) -> int:
    """The rank modulo PRIME, which is never above the rank of the integers.

    Where there are many more coordinates than points, sums of them with fixed pseudo-random factors stand in for them:
    that cannot raise the rank either.
    """
    count = len(points.values)
    is_wide = points.n_coordinates > 2 * count
    draw = random.Random(0)
    factors = [[draw.getrandbits(29) for _ in range(count)] for _ in range(points.n_coordinates)] if is_wide else []
    reduced: dict[int, list[int]] = {}  # rows with a leading 1, by its place
    for coordinates, values in zip(points.coordinates, points.values, strict=True):
        row = [0] * (count if is_wide else points.n_coordinates)
        for k, value in zip(coordinates, values, strict=True):
            if is_wide:
                row = _add(row, value % PRIME, factors[k])
            else:
                row[k] = value % PRIME
        for k, other in reduced.items():
            if row[k]:
                row[k:] = _add(row[k:], PRIME - row[k], other)
        lead = next((k for k, a in enumerate(row) if a), None)
        if lead is not None:
            inverse = pow(row[lead], -1, PRIME)
            reduced[lead] = [a * inverse % PRIME for a in row[lead:]]
    return len(reduced)


def _add(row: list[int], factor: int, other: list[int]) -> list[int]:
    return [(a + factor * c) % PRIME for a, c in zip(row, other, strict=True)]

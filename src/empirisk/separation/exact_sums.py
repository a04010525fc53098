"""Exact arithmetic with floats, by Python's integers alone: a double is m 2^e.

Scores <w, x_i> + b as fractions whose denominator is a power of two, points as integers, and fractions rounded down or
up to the next double.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from empirisk.designs import CSR
from empirisk.separation.points import Points

ROWS_AT_A_TIME = 1000
LARGEST = sys.float_info.max
PRIME = 2**30 - 35  # the largest of one digit of Python's integers


class IntegerPoints(NamedTuple):
    """Some of the z_i, each coordinate times a power of two of its own that makes it integer in all of them.

    sum_i lambda_i z_i = 0 before if and only if after: no weight changes. Coordinates that are zero in all of them are
    left out; in the affine case the last one is the y_i that belongs to the intercept.
    """

    coordinates: tuple[tuple[int, ...], ...]  # of each point, where it is not zero
    values: tuple[tuple[int, ...], ...]
    n_coordinates: int
    columns: tuple[int, ...]  # of X, that the coordinates are (without the intercept)
    exponents: tuple[int, ...]  # x = value 2^exponent


def row_entries(points: Points, i: int) -> tuple[list[int], list[float]]:
    """Columns and values of the stored entries of x_i that are not zero."""
    design = points.design
    if isinstance(design, CSR):
        start, stop = int(design.starts[i]), int(design.starts[i + 1])
        columns, values = design.indices[start:stop], design.values[start:stop]
        is_stored = values != 0.0
        return columns[is_stored].tolist(), values[is_stored].tolist()
    columns = np.flatnonzero(design.values[i])
    return columns.tolist(), design.values[i, columns].tolist()


def to_integers(values: Iterable[float]) -> tuple[list[int], int]:
    """Integers v_k and an exponent e, as large as can be, with values[k] = v_k 2^e."""
    ratios = [x.as_integer_ratio() for x in values]
    shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
    integers = [above << (shift - below.bit_length() + 1) for above, below in ratios]
    common = min(((v & -v).bit_length() - 1 for v in integers if v), default=0)
    return [v >> common for v in integers], common - shift


def exact_margins(points: Points, rows: Sequence[int], w: Any, b: float) -> list[Fraction]:
    """y_i (<w, x_i> + b) of these rows."""
    weights = np.asarray(w, dtype=np.float64)
    margins = []
    for first in range(0, len(rows), ROWS_AT_A_TIME):
        block = [(i, *row_entries(points, i)) for i in rows[first : first + ROWS_AT_A_TIME]]
        met = sorted(set().union(*(columns for _, columns, _ in block)))  # of wide sparse data, few
        (*integers, intercept), exponent = to_integers([*weights[met].tolist(), float(b)])
        of_column = dict(zip(met, integers, strict=True))
        for i, columns, values in block:
            (*entries, one), scale = to_integers([*values, 1.0])
            total = sum((x * of_column[j] for j, x in zip(columns, entries, strict=True)), one * intercept)
            margins.append(int(points.y[i]) * times_power_of_two(total, exponent + scale))
    return margins


def times_power_of_two(integer: int, exponent: int) -> Fraction:
    """integer 2^exponent."""
    return Fraction(integer << exponent) if exponent >= 0 else Fraction(integer, 1 << -exponent)


def integer_points(points: Points, rows: Sequence[int]) -> IntegerPoints:
    """The z_i of these rows as integers."""
    entries = [row_entries(points, i) for i in rows]
    stored: dict[int, list[float]] = {}
    for columns, values in entries:
        for j, x in zip(columns, values, strict=True):
            stored.setdefault(j, []).append(x)
    columns_met = sorted(stored)
    place = {j: k for k, j in enumerate(columns_met)}
    scaled = {j: to_integers(stored[j]) for j in columns_met}
    remaining = {j: iter(scaled[j][0]) for j in columns_met}
    coordinates, integers = [], []
    for i, (columns, _) in zip(rows, entries, strict=True):
        sign = int(points.y[i])
        places, signed = [place[j] for j in columns], [sign * next(remaining[j]) for j in columns]
        if points.fit_intercept:
            places.append(len(columns_met))
            signed.append(sign)
        coordinates.append(tuple(places))
        integers.append(tuple(signed))
    exponents = tuple(scaled[j][1] for j in columns_met)
    count = len(columns_met) + points.fit_intercept
    return IntegerPoints(tuple(coordinates), tuple(integers), count, tuple(columns_met), exponents)


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


def rounded_down(x: Fraction) -> float:
    """The largest double that is not above x."""
    nearest = _nearest(x)
    return nearest if nearest <= x else math.nextafter(nearest, -math.inf)


def rounded_up(x: Fraction) -> float:
    """The smallest double that is not below x; infinity above the largest."""
    return -rounded_down(-x)


def _nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return LARGEST if x > 0 else -math.inf

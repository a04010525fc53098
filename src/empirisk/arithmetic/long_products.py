"""Numbers of more than 53 bits as sums of floats, and products with them that are right where most of them cancels.

An integer times a power of two is the sum of a few floats, each the rest of those before it, rounded. A dot product
with such numbers is taken as a sum of exact products (Dekker 1971) in four floats a sum, each of which takes what the
one before loses: its error is about 2^-53 of the result and 2^-200 of its largest term (Ogita, Rump and Oishi 2005).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic.exact_products import SPLIT
from empirisk.arithmetic.floats_as_integers import to_integers
from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Vector

ROWS_AT_ONCE = 256  # sums that fit into the nearest cache
MOST_PARTS = 12  # floats that a number is made of
FLOAT_BITS = 1000  # an integer of so many is not too large for a float


class LongVector(NamedTuple):
    """Numbers integers_j 2^exponent at some places j, zero at the others."""

    integers: dict[int, int]
    exponent: int = 0

    def times_power_of_two(self, power: int) -> LongVector:
        """Another exponent."""
        return LongVector(self.integers, self.exponent + power)

    def within_floats(self) -> LongVector:
        """The same, or that times a power of two which brings the largest number within what floats hold."""
        largest = self.exponent + max((v.bit_length() for v in self.integers.values()), default=0)
        return self.times_power_of_two(min(0, FLOAT_BITS - largest))

    def parts(self, size: int, most: int = MOST_PARTS) -> Matrix:
        """Floats whose sum over the first axis is this vector, or all that so many of them hold; inf where they end."""
        lines: list[Vector] = []
        rest = dict(self.integers)
        while rest and len(lines) < most:
            lines.append(np.zeros(size))
            for j, v in list(rest.items()):
                shift = max(0, v.bit_length() - FLOAT_BITS)  # beyond, an integer is no float
                nearest = float(v >> shift)
                lines[-1][j] = _with_exponent(nearest, self.exponent + shift)
                rest[j] = v - (int(nearest) << shift)
                if not rest[j]:
                    del rest[j]
        return np.array(lines).reshape(len(lines), size)


def long_vector(numbers: list[float]) -> LongVector:
    """These numbers."""
    integers, exponent = to_integers(numbers)
    return LongVector({j: v for j, v in enumerate(integers) if v}, exponent)


def long_fractions(numbers: dict[int, Fraction], bits: int = 600) -> LongVector:
    """These numbers at these places, none of them zero, each to about so many bits."""
    least = min(u.numerator.bit_length() - u.denominator.bit_length() for u in numbers.values()) - bits
    above, below = max(0, -least), max(0, least)
    return LongVector({j: (u.numerator << above) // (u.denominator << below) for j, u in numbers.items()}, least)


def long_combination(vectors: Iterable[LongVector], factors: Iterable[float]) -> LongVector:
    """sum_k factors_k vectors_k, exactly."""
    terms = []
    for vector, factor in zip(vectors, factors, strict=True):
        if factor:
            above, below = factor.as_integer_ratio()
            terms.append((vector.integers, above, vector.exponent - (below.bit_length() - 1)))
    least = min((exponent for _, _, exponent in terms), default=0)
    total: dict[int, int] = {}
    for integers, above, exponent in terms:
        factor = above << (exponent - least)
        for j, v in integers.items():
            total[j] = total.get(j, 0) + factor * v
    return LongVector({j: v for j, v in total.items() if v}, least)


def long_scores(columns: Matrix, parts: Matrix) -> Vector:
    """The products of the rows with a vector that is the sum of its parts; `columns` has the rows as its columns."""
    out = np.empty(columns.shape[1])
    with np.errstate(all="ignore"):  # what overflows is nan; only the interpreter would warn
        _long_scores(columns, np.ascontiguousarray(parts), out)
    return out


def _with_exponent(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)


@kernel(exact=True)
def two_sum(a, b):
    """a + b rounded, and what rounding took (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@kernel(exact=True)
def _long_scores(columns, parts, out):
    """Tile by tile of rows; the inner loop runs on vectors."""
    width, n = columns.shape
    sums = np.zeros((4, ROWS_AT_ONCE))
    for first in range(0, n, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, n - first)
        sums[:] = 0.0
        for p in range(parts.shape[0]):
            for j in range(width):
                t = parts[p, j]
                if t == 0.0:
                    continue
                shifted = SPLIT * t
                t_high = shifted - (shifted - t)
                t_low = t - t_high
                line = columns[j]
                for i in range(count):
                    x = line[first + i]
                    up = SPLIT * x
                    x_high = up - (up - x)
                    x_low = x - x_high
                    product = x * t
                    lost = ((x_high * t_high - product) + x_high * t_low + x_low * t_high) + x_low * t_low
                    sums[0, i], rest = two_sum(sums[0, i], product)
                    # What the first sum loses, and what the product lost, go down the other sums.
                    sums[1, i], rest = two_sum(sums[1, i], rest)
                    sums[1, i], lost = two_sum(sums[1, i], lost)
                    sums[2, i], rest = two_sum(sums[2, i], rest)
                    sums[2, i], lost = two_sum(sums[2, i], lost)
                    sums[3, i] += rest + lost
        for i in range(count):
            high, low = sums[0, i], 0.0
            for k in range(1, 4):
                high, lost = two_sum(high, sums[k, i])
                low += lost
            out[first + i] = high + low

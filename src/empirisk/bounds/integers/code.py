"""A prefix code for planes with integer weights: what a plane costs, in nats.

The plane predicts +1 where sum_j v_j 2^e_j x_j + c >= 0, with integers v_j, e_j and c. In turn the code words of

    L     the largest size allowed, one of `LIMITS`                                 |LIMITS| words
    s     how many v_j are not zero: its number of bits, then s among such          (bits(d) + 1) 2^max(bits(s) - 1, 0)
          which columns they are                                                    C(d, s)
          their values, in -L..L without 0                                          (2 L)^s
    e     the least exponent, an integer, as f(2 |e| - [e > 0])                     f(i) = (i + 1) (i + 2)
    m     each e_j is one of e .. e + 2^m - 1                                       f(m) 2^(m s)
    c     its number of bits k, then its sign and value among such                  f(k) 2^k

A word of N equals costs ln N, and a number i >= 0 without a largest ln f(i), since sum_i 1 / f(i) = 1. Every word is
told from the others by those before it, so that Kraft's inequality, sum over all planes of exp(-length) <= 1, holds,
and with probability 1 - delta all planes at once have a future error of at most B(k, n, delta exp(-length)) (Occam's
razor: Blumer, Ehrenfeucht, Haussler and Warmuth 1987; in this form Langford 2005, section 4). Columns of unequal scale
need exponents that differ, and pay m ln 2 for each weight: a scale is chosen by looking at the data, and not free.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector

LIMITS = (1, 2, 4, 8, 16, 32)
LARGEST_EXPONENT = 900  # of either sign: weights and their products with usual numbers stay floats


class IntegerPlane(NamedTuple):
    """The plane sum_j values_j 2^exponents_j x_j + intercept >= 0, j over the columns whose weight is not zero."""

    n_columns: int
    columns: NDArray[np.int64]
    values: NDArray[np.int64]
    exponents: NDArray[np.int64]
    intercept: int

    def weights(self) -> Vector:
        """A weight for each column, without rounding."""
        w = np.zeros(self.n_columns)
        w[self.columns] = np.ldexp(self.values.astype(np.float64), self.exponents)
        return w

    def length(self) -> float:
        """ln(words()), rounded up."""
        return length_of(self.words())

    def words(self) -> int:
        """The number N of the equals that the plane is one of: its share of the code is 1 / N."""
        s = self.columns.size
        limit = limit_for(self.values)
        shift, spread = scales_of(self.exponents)
        return (
            len(LIMITS)
            * words_for_count(s, self.n_columns)
            * (2 * limit) ** s
            * words_for_scales(shift, spread, s)
            * words_for_intercept(self.intercept)
        )

    def shortest(self) -> IntegerPlane:
        """The same plane by fewer words where powers of two can go from values or intercept to the exponents."""
        best = self
        while True:
            others = (_halved_values(best), _halved(best), _halved(_halved_values(best)))
            found = min(others, key=IntegerPlane.words)
            if found.words() >= best.words():
                return best
            best = found


def limit_for(values: NDArray[np.int64]) -> int:
    """The least of `LIMITS` that allows these values."""
    largest = int(np.abs(values).max(initial=0))
    for limit in LIMITS:
        if largest <= limit:
            return limit
    raise ValueError(f"weights must be integers from -{LIMITS[-1]} to {LIMITS[-1]}, got one of size {largest}")


def scales_of(exponents: NDArray[np.int64]) -> tuple[int, int]:
    """The least exponent and the least m with all of them among the 2^m from there on; both 0 where there is none."""
    if exponents.size == 0:
        return 0, 0
    least, largest = int(exponents.min()), int(exponents.max())
    return least, (largest - least).bit_length()


def words_for_count(s: int, n_columns: int) -> int:
    """Of s columns among so many: their number, and which."""
    return (n_columns.bit_length() + 1) * 2 ** max(s.bit_length() - 1, 0) * math.comb(n_columns, s)


def words_for_scales(shift: int, spread: int, s: int) -> int:
    """Of s exponents in shift .. shift + 2^spread - 1."""
    return _unbounded(2 * abs(shift) - (shift > 0)) * _unbounded(spread) * 2 ** (spread * s)


def words_for_intercept(c: int) -> int:
    """Of an integer, by its number of bits."""
    bits = abs(c).bit_length()
    return _unbounded(bits) * 2**bits


def length_of(words: int) -> float:
    """ln of an integer, rounded up: `math.log` of one that no float holds is off by some units of 2^-53 of itself."""
    return math.log(words) * (1.0 + 2.0**-48) if words > 1 else 0.0


def _halved_values(plane: IntegerPlane) -> IntegerPlane:
    """The same weights, as half the values where all are even."""
    if plane.values.size == 0 or np.any(plane.values % 2):
        return plane
    return plane._replace(values=plane.values // 2, exponents=plane.exponents + 1)


def _halved(plane: IntegerPlane) -> IntegerPlane:
    """All scores half as large where the intercept is even: without one, as near to the exponent 0 as it gets."""
    if plane.intercept == 0:
        return plane._replace(exponents=plane.exponents - scales_of(plane.exponents)[0])
    if plane.intercept % 2:
        return plane
    return plane._replace(exponents=plane.exponents - 1, intercept=plane.intercept // 2)


def _unbounded(i: int) -> int:
    return (i + 1) * (i + 2)

"""Floats as what they are: a double is an integer times a power of two."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


def to_integers(values: Iterable[float]) -> tuple[list[int], int]:
    """Integers v_k and an exponent e, as large as can be, with values[k] = v_k 2^e."""
    ratios = [x.as_integer_ratio() for x in values]
    shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
    integers = [above << (shift - below.bit_length() + 1) for above, below in ratios]
    common = min(((v & -v).bit_length() - 1 for v in integers if v), default=0)
    return [v >> common for v in integers], common - shift


def times_power_of_two(integer: int, exponent: int) -> Fraction:
    """integer 2^exponent."""
    return Fraction(integer << exponent) if exponent >= 0 else Fraction(integer, 1 << -exponent)

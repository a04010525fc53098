"""Systems of integer equations solved exactly, by Dixon's p-adic lifting.

One inverse modulo p, then one digit of the solution to the base p for each product with it and with the matrix, and
fractions from digits by Euclid's algorithm (Dixon, Numerische Mathematik 40, 1982; Wang 1981). python-flint does the
same where it is installed.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.integer_points import PRIME
from empirisk.compiled import kernel

LIMB = 20  # bits: a product with a digit below 2^30, summed over a thousand points, stays below 2^60
FIRST_DIGITS, GROWTH = 16, 1.5  # digits before the first try to find the fractions, and from try to try
CHANCE_BITS = 60  # a fraction smaller than the digits by so many bits is not there by chance

Integers = NDArray[np.int64]


def solution(matrix: list[list[int]], right: list[int], use_flint: bool = True) -> tuple[list[int], int] | None:
    """Numerators and a common denominator of the x with matrix x = right, for a matrix invertible modulo PRIME."""
    if not matrix or not any(right):
        return [0] * len(matrix), 1
    flint = _flint() if use_flint else None
    if flint is None:
        return _lifted(matrix, right)
    numerators, denominator = flint.fmpz_mat(matrix).solve(flint.fmpz_mat([[r] for r in right])).numer_denom()
    return [int(numerators[i, 0]) for i in range(len(right))], int(denominator)


@functools.cache
def _flint() -> Any:
    """python-flint, an extra; None where it is not installed."""
    return importlib.import_module("flint") if importlib.util.find_spec("flint") else None


def _lifted(matrix: list[list[int]], right: list[int]) -> tuple[list[int], int] | None:
    n = len(right)
    inverse = np.array([[v % PRIME for v in row] for row in matrix], dtype=np.int64)
    if not _invert(inverse):
        return None
    largest = max(max(map(abs, row)) for row in matrix)
    limbs = -(-(max(largest * n, *map(abs, right)).bit_length() + 2) // LIMB) + 1
    parts = np.ascontiguousarray(_limbs([v for row in matrix for v in row], limbs).reshape(limbs, n, n))
    rest = _limbs(right, limbs)
    bits = _size_of_solution(matrix, right)
    most = (2 * bits + 2 * CHANCE_BITS) // 29 + 2  # digits that suffice, more than 29 bits each
    digits = np.empty((0, n), dtype=np.int64)
    while len(digits) < most:
        more = np.empty((min(most, max(FIRST_DIGITS, int(GROWTH * len(digits)))) - len(digits), n), dtype=np.int64)
        _lift(inverse, parts, rest, more)
        digits = np.concatenate([digits, more])
        found = _fractions(digits)
        if found is not None:
            return found
    return None


def _size_of_solution(matrix: list[list[int]], right: list[int]) -> int:
    """Bits of the largest numerator or denominator, by Cramer's rule and Hadamard's bound over columns."""
    columns = [*zip(*matrix, strict=True), right]
    sizes = sorted((sum(v * v for v in column).bit_length() + 1) / 2 for column in columns)
    return math.ceil(sum(sizes[1:])) + 1


def _limbs(values: Sequence[int], count: int) -> Integers:
    """Signed digits to the base 2^LIMB, lowest first, one row a place."""
    mask = (1 << LIMB) - 1
    signs = np.array([-1 if v < 0 else 1 for v in values], dtype=np.int64)
    sizes = [abs(v) for v in values]
    return np.array([[(v >> (LIMB * k)) & mask for v in sizes] for k in range(count)], dtype=np.int64) * signs


def _numbers(digits: Integers) -> list[int]:
    """The integers with these digits to the base PRIME, lowest first, by halves."""
    if len(digits) % 2:
        digits = np.concatenate([digits, np.zeros_like(digits[:1])])
    numbers: list[list[int]] = (digits[::2] + PRIME * digits[1::2]).tolist()  # below 2^60
    base = PRIME * PRIME
    while len(numbers) > 1:
        paired = [
            [a + base * c for a, c in zip(numbers[k], numbers[k + 1], strict=True)]
            for k in range(0, len(numbers) - 1, 2)
        ]
        numbers = paired + numbers[len(paired) * 2 :]
        base *= base
    return numbers[0]


def _fractions(digits: Integers) -> tuple[list[int], int] | None:
    """Numerators over one denominator, so small beside the digits that they are not there by chance; None if not yet.

    The first number mostly gives the denominator but for a small factor. With that, numerators need half of the digits.
    """
    modulus = PRIME ** len(digits)
    number = _numbers(digits[:, :1])[0]
    denominator = _fraction(number, modulus)
    if denominator is None:
        return None
    size = max(abs(_centred(number * denominator, modulus)).bit_length(), denominator.bit_length())
    few = min(len(digits), (size + size // 8 + 2 * CHANCE_BITS) // 29 + 1)
    return _over(_numbers(digits[:few]), denominator, PRIME**few) or _over(_numbers(digits), denominator, modulus)


def _fraction(number: int, modulus: int) -> int | None:
    """The denominator of the fraction that is congruent to the number; None if it may be there by chance."""
    denominator = _denominator(number, modulus, math.isqrt(modulus))
    size = abs(_centred(number * denominator, modulus)).bit_length() + denominator.bit_length()
    return denominator if size + CHANCE_BITS <= modulus.bit_length() else None


def _over(numbers: list[int], denominator: int, modulus: int) -> tuple[list[int], int] | None:
    """Numerators over a multiple of the denominator that are congruent to the numbers; None if not all are small."""
    bound = modulus >> CHANCE_BITS
    multiple = denominator
    for number in numbers:
        numerator = number * multiple % modulus
        if abs(_centred(numerator, modulus)) > bound:
            factor: int | None = _denominator(numerator, modulus, bound)
            if factor is not None and factor.bit_length() > CHANCE_BITS // 2:  # no small one
                factor = _fraction(numerator, modulus)
            if factor is None:
                return None
            multiple *= factor
    numerators = [_centred(number * multiple, modulus) for number in numbers]
    return (numerators, multiple) if max(map(abs, numerators)) <= bound else None


def _centred(number: int, modulus: int) -> int:
    """The number of least size that is congruent."""
    number %= modulus
    return number if 2 * number <= modulus else number - modulus


def _denominator(number: int, modulus: int, bound: int) -> int:
    """The least q >= 1 for which q * number is congruent to a number of size <= bound (Wang)."""
    before, now = modulus, number
    factor_before, factor = 0, 1
    while now > bound:
        quotient, after = divmod(before, now)
        before, now = now, after
        factor_before, factor = factor, factor_before - quotient * factor
    return abs(factor)


@kernel
def reciprocal(a):
    """1 / a modulo PRIME, by Fermat's little theorem."""
    result = np.int64(1)
    power = np.int64(a)
    exponent = PRIME - 2
    while exponent > 0:
        if exponent & 1:
            result = result * power % PRIME
        power = power * power % PRIME
        exponent >>= 1
    return result


@kernel
def _invert(matrix):
    """Replace the matrix by its inverse modulo PRIME (Gauss-Jordan in place); False where it has none."""
    n = matrix.shape[0]
    swapped = np.arange(n)
    for k in range(n):
        chosen = k
        while chosen < n and matrix[chosen, k] == 0:
            chosen += 1
        if chosen == n:
            return False
        if chosen != k:
            swapped[k] = chosen
            for j in range(n):
                a = matrix[k, j]
                matrix[k, j] = matrix[chosen, j]
                matrix[chosen, j] = a
        line = matrix[k]
        inverse = reciprocal(line[k])
        line[k] = 1
        for j in range(n):
            line[j] = line[j] * inverse % PRIME
        for i in range(n):
            if i != k and matrix[i, k] != 0:
                other = matrix[i]
                factor = PRIME - other[k]
                other[k] = 0
                for j in range(n):
                    other[j] = (other[j] + factor * line[j]) % PRIME
    for k in range(n - 1, -1, -1):
        if swapped[k] != k:
            for i in range(n):
                a = matrix[i, k]
                matrix[i, k] = matrix[i, swapped[k]]
                matrix[i, swapped[k]] = a
    return True


@kernel
def _lift(inverse, parts, rest, digits):
    """Write the next digits of the solution: x = inverse rest modulo PRIME, rest := (rest - matrix x) / PRIME.

    Matrix and rest are sums over k of signed parts times 2^(LIMB k).
    """
    limbs, n = rest.shape
    low = np.empty(n, dtype=np.int64)
    high = np.empty(n, dtype=np.int64)
    for t in range(digits.shape[0]):
        x = digits[t]
        for i in range(n):
            a = np.int64(0)
            for k in range(limbs - 1, -1, -1):
                a = ((a << LIMB) + rest[k, i]) % PRIME
            low[i] = a & 0xFFFF
            high[i] = a >> 16
        for i in range(n):
            line = inverse[i]
            sum_low = np.int64(0)
            sum_high = np.int64(0)
            for j in range(n):
                sum_low += line[j] * low[j]
                sum_high += line[j] * high[j]
            x[i] = (((sum_high % PRIME) << 16) + sum_low) % PRIME
        for k in range(limbs):
            for i in range(n):
                line = parts[k, i]
                total = np.int64(0)
                for j in range(n):
                    total += line[j] * x[j]
                rest[k, i] -= total
        for i in range(n):
            for k in range(limbs - 1):  # carry upwards, so that the places below the last are in [0, 2^LIMB)
                carry = rest[k, i] >> LIMB
                rest[k, i] -= carry << LIMB
                rest[k + 1, i] += carry
            a = np.int64(0)
            for k in range(limbs - 1, -1, -1):  # divide, from the top; the division has no remainder
                a = (a << LIMB) + rest[k, i]
                quotient = a // PRIME
                rest[k, i] = quotient
                a -= quotient * PRIME

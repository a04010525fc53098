"""Decimal literals to float64, compiled, and bit for bit what Python's `float` gives.

Three steps, each left only when it cannot decide:

1. W. Clinger (1990): a mantissa up to 2^53 and a power of ten up to 10^22 are both exact, so one multiplication
   or division rounds once.
2. M. Eisel and D. Lemire (D. Lemire, "Number parsing at a gigabyte per second", 2021): the mantissa times the first
   128 bits of 5^q gives the 53 bits and the direction of rounding, except in rare cases it can recognise.
3. Those cases, subnormals and overflow come back as NaN, and `parse_exactly` asks `float` itself. So do whole numbers
   above 2^53 in digits alone: they may be ids, which readers refuse where float64 does not hold them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from empirisk.compiled import kernel

NUMBER, NOT_FINITE, NOT_A_NUMBER = 0, 1, 2  # the kinds `parse_number` tells apart

SMALLEST_POWER, LARGEST_POWER = -342, 308  # beyond, every mantissa of 18 digits gives zero or infinity
MANTISSA_FULL = 10**17  # below it one more digit fits, and 18 digits leave room for a sign and for adding 1
EXPONENT_FULL = 10**17  # more than the digits of any file can make up for
EXACT_INTEGER = 2**53
EXACT_POWERS = np.array([float(10**k) for k in range(23)])

# Mixing uint64 with a plain integer would give float64 in compiled code, so every constant is typed.
ONE, THREE = np.uint64(1), np.uint64(3)
HALF_WORD, LOW_HALF, ALL_BITS = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**64 - 1)
TOP_BIT, ROUNDING_BITS = np.uint64(63), np.uint64(0x1FF)
HIDDEN_BIT, FRACTION_BITS = np.uint64(2**52), np.uint64(2**52 - 1)
TWO_53 = np.uint64(2**53)


def _power_of_five(q: int) -> int:
    """The first 128 bits of 5^q, rounded up for -27 <= q < 0 so that products which are ties come out as ties."""
    power = 5 ** abs(q)
    if q < 0:
        return (1 << (power.bit_length() + 127)) // power + (q >= -27)
    extra = power.bit_length() - 128
    return power >> extra if extra > 0 else power << -extra


_POWERS = [_power_of_five(q) for q in range(SMALLEST_POWER, LARGEST_POWER + 1)]
FIVES_HIGH = np.array([power >> 64 for power in _POWERS], dtype=np.uint64)
FIVES_LOW = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)


@kernel(exact=True)
def _multiply(a, b):
    """The 128-bit product as two words; no step overflows, so interpreted code agrees without a warning."""
    a_low, a_high, b_low, b_high = a & LOW_HALF, a >> HALF_WORD, b & LOW_HALF, b >> HALF_WORD
    low, cross = a_low * b_low, a_low * b_high
    middle = a_high * b_low + (low >> HALF_WORD) + (cross & LOW_HALF)
    high = a_high * b_high + (middle >> HALF_WORD) + (cross >> HALF_WORD)
    return high, (middle << HALF_WORD) | (low & LOW_HALF)


@kernel(exact=True)
def _scale(mantissa, q):
    """mantissa * 10^q rounded to the nearest float64, or NaN if 128 bits cannot tell; 0 < mantissa < 2^62."""
    if q < SMALLEST_POWER or q > LARGEST_POWER:
        return np.nan
    bit_length = (np.float64(mantissa).view(np.int64) >> 52) - 1022
    w = np.uint64(mantissa) << np.uint64(64 - bit_length)
    if w >> TOP_BIT == 0:  # the conversion to float64 had rounded up to a power of two
        bit_length -= 1
        w = np.uint64(mantissa) << np.uint64(64 - bit_length)
    high, low = _multiply(w, FIVES_HIGH[q - SMALLEST_POWER])
    if high & ROUNDING_BITS == ROUNDING_BITS:  # the next 64 bits of 5^q could still carry into the answer
        carry, _ = _multiply(w, FIVES_LOW[q - SMALLEST_POWER])
        room = ALL_BITS - carry
        if low > room:
            low = low - room - ONE
            high = high + ONE
        else:
            low = low + carry
        if low == ALL_BITS and (q < -27 or q > 55):
            return np.nan
    upper = np.int64(high >> TOP_BIT)
    cut = np.uint64(upper + 9)
    bits = high >> cut  # 53 bits and one more, which rounds
    exponent = ((217706 * q) >> 16) + 1022 + upper + bit_length  # 217706 / 2^16 is log2(10), near enough for all q
    if exponent <= 0:
        return np.nan
    if low <= ONE and -4 <= q <= 23 and bits & THREE == ONE and bits << cut == high:
        bits = bits - ONE  # exactly half-way: to even
    bits = (bits + (bits & ONE)) >> ONE
    if bits >= TWO_53:
        bits = HIDDEN_BIT
        exponent += 1
    if exponent >= 0x7FF:
        return np.nan
    return np.int64((np.uint64(exponent) << np.uint64(52)) | (bits & FRACTION_BITS)).view(np.float64)


@kernel(exact=True, inlined=True)
def _word_end(buffer, p):
    """The end of 'nan', 'inf' or 'infinity' at p, in any case; p itself if there is none of them."""
    first, second, third = buffer[p] | 32, np.uint8(0), np.uint8(0)
    if first == 110 or first == 105:
        second = buffer[p + 1] | 32
        if second == 97 or second == 110:
            third = buffer[p + 2] | 32
    if first == 110 and second == 97 and third == 110:
        return p + 3
    if first != 105 or second != 110 or third != 102:
        return p
    end = p + 3
    for letter in (105, 110, 105, 116, 121):
        if buffer[end] | 32 != letter:
            return p + 3
        end += 1
    return end


@kernel(exact=True)
def _append_digits(buffer, p, number, full):
    """Append the digits that start at byte p to a number until that is `full` or more.

    Returns the number, the end of the digits, what stands there (its byte less that of 0), how many digits were left
    out, and whether any of these is not zero.
    """
    n_left_out, is_cut = np.int64(0), False
    while True:
        digit = np.int64(buffer[p]) - 48
        if digit < 0 or digit > 9:
            return number, p, digit, n_left_out, is_cut
        if number < full:
            number = 10 * number + digit
        else:
            n_left_out += 1
            is_cut = is_cut or digit != 0
        p += 1


@kernel(exact=True)
def parse_number(buffer, p):
    """Read the decimal literal that starts at byte p: (value, end, kind).

    The value of a NUMBER is NaN where only `parse_exactly` can tell. NOT_FINITE is a literal 'nan' or 'inf'. The caller
    judges what follows `end`, and sees to it that the buffer ends with a line feed: no literal runs across it.
    """
    is_whole = True
    sign = buffer[p]
    if sign == 45 or sign == 43:
        p += 1
    start = p
    mantissa, p, digit, exponent, cut_off = _append_digits(buffer, p, np.int64(0), MANTISSA_FULL)
    n_digits = p - start
    if n_digits == 0 and digit != -2:
        end = _word_end(buffer, p)
        return np.nan, end, NOT_FINITE if end > p else NOT_A_NUMBER
    if digit == -2:  # a point
        is_whole = False
        start = p + 1
        mantissa, p, digit, n_left_out, is_cut = _append_digits(buffer, start, mantissa, MANTISSA_FULL)
        exponent -= p - start - n_left_out
        cut_off = cut_off or is_cut
        n_digits += p - start
        if n_digits == 0:
            return np.nan, p, NOT_A_NUMBER
    if digit == 21 or digit == 53:  # E or e
        is_whole = False
        p += 1
        letter = buffer[p]
        if letter == 45 or letter == 43:
            p += 1
        start = p
        power, p, _, _, _ = _append_digits(buffer, p, np.int64(0), EXPONENT_FULL)
        if p == start:
            return np.nan, p, NOT_A_NUMBER
        exponent += -power if letter == 45 else power
    if mantissa <= EXACT_INTEGER and -22 <= exponent <= 22:
        value = float(mantissa)
        if exponent < 0:
            value /= EXACT_POWERS[-exponent]
        elif exponent > 0:
            value *= EXACT_POWERS[exponent]
    elif mantissa == 0:
        value = 0.0
    elif is_whole:
        value = np.nan
    else:
        value = _scale(mantissa, exponent)
        if cut_off and value != _scale(mantissa + 1, exponent):
            value = np.nan
    return -value if sign == 45 else value, p, NUMBER


def parse_exactly(buffer: np.ndarray, starts: Iterable[int]) -> np.ndarray:
    """What `float` makes of the literals that start at these bytes: for those `parse_number` left as NaN."""
    return np.array([float(buffer[start : parse_number(buffer, start)[1]].tobytes()) for start in starts])

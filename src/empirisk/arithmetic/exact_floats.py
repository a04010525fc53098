"""Numbers of other kinds as float64 without rounding: an answer is about the numbers that were given, or there is none.

Every whole number up to 2^53 is a float64; of those above, such as ids and nanoseconds since 1970, most are not.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_EXACT = 2**53
WHOLE = re.compile(r"\s*[-+]?(?:0*([0-9]+))\s*", re.ASCII)
MOST_DIGITS = 400  # of a whole number that may be a float64
WAYS_OUT = "subtract an offset, divide, or leave the column out"


def as_exact_array(values: Any) -> NDArray[Any]:
    """`np.asarray`, but objects for lists and frames of whole and other numbers: it would round the whole ones."""
    array = np.asarray(values)
    if array.dtype.kind != "f" or hasattr(values, "dtype") or not bool(np.any(np.abs(array) >= MOST_EXACT)):
        return array
    return np.array(_rows_of_frame(values), dtype=object)


def _rows_of_frame(values: Any) -> Any:
    """The cells of a frame of pandas, polars or pyarrow, each as it is: as an array a frame makes them all alike."""
    if hasattr(values, "itertuples"):
        return list(values.itertuples(index=False, name=None))
    if hasattr(values, "rows"):
        return values.rows()
    if hasattr(values, "itercolumns"):
        return list(zip(*(column.to_pylist() for column in values.itercolumns()), strict=True))
    return values


def exact_floats(values: NDArray[Any], name: str) -> NDArray[np.float64]:
    """The array as float64; ValueError for the first number that float64 does not hold."""
    check_exact(values, name)
    return values.astype(np.float64)


def check_exact(values: Any, name: str) -> None:
    """ValueError for the first number of an array or a list that float64 does not hold."""
    array = as_exact_array(values)
    at = first_inexact(array)
    if at >= 0:
        places = np.unravel_index(at, array.shape)
        where = ", ".join(f"{what} {place}" for what, place in zip(("row", "column"), places, strict=False))
        sentence = inexact(f"{name} holds", array.reshape(-1)[at], f" ({where}, counted from 0)")
        raise ValueError(sentence if name == "X" else sentence.replace(WAYS_OUT, "subtract an offset, or divide"))


def inexact(holder: str, number: Any, where: str = "") -> str:
    """What to say of a number that float64 does not hold; `holder` is what holds it."""
    exact_types = (Decimal, str, *((int, np.integer) if not isinstance(number, bool) else ()))
    advice = WAYS_OUT if isinstance(number, exact_types) else "round it first, as astype(float) does"
    return f"{holder} {_digits(number)}{where}, which float64 cannot hold exactly: {advice}"


def first_inexact(values: NDArray[Any]) -> int:
    """The place, in the flat array, of the first number that float64 does not hold; -1 where there is none."""
    flat, kind = values.reshape(-1), values.dtype.kind
    if kind in "iu" and values.dtype.itemsize == 8:
        return _first(_are_inexact_integers(flat))
    if kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return _first((flat.astype(np.float64) != flat) & ~np.isnan(flat))
    if kind == "O":
        return next((k for k, cell in enumerate(flat.tolist()) if not is_exact(cell)), -1)
    return -1


def is_exact(number: Any) -> bool:
    """Whether float64 holds it.

    A decimal number with a fraction is taken for the nearest float64, as everywhere; what is no number is not judged.
    """
    try:
        if isinstance(number, float):
            return True
        if isinstance(number, Rational):  # Python's and NumPy's integers too
            return Fraction(float(number)) == number
        if isinstance(number, np.longdouble):
            return bool(number != number or np.longdouble(float(number)) == number)
        if isinstance(number, Decimal):
            return not (number.is_finite() and _is_whole(number)) or int(float(number)) == number
    except OverflowError:
        return False
    return not isinstance(number, str) or is_exact_text(number)


def is_exact_text(text: str) -> bool:
    """Whether it is no whole number in digits alone, or one that float64 holds."""
    found = WHOLE.fullmatch(text)
    return found is None or (len(found[1]) <= MOST_DIGITS and is_exact(int(found[1])))


def _is_whole(number: Decimal) -> bool:
    return number.adjusted() > MOST_DIGITS or number == number.to_integral_value()


def _are_inexact_integers(flat: NDArray[Any]) -> NDArray[np.bool_]:
    """More than 53 binary digits from the first to the last that is one."""
    if not flat.size or (int(flat.max()) <= MOST_EXACT and int(flat.min()) >= -MOST_EXACT):
        return np.zeros(0, np.bool_)
    size = flat.astype(np.uint64) if flat.dtype.kind == "u" else np.abs(flat).view(np.uint64)  # of -2^63 too
    last_digit = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    return np.asarray(size // last_digit >= np.uint64(MOST_EXACT))


def _first(mask: NDArray[np.bool_]) -> int:
    return int(np.argmax(mask)) if bool(mask.any()) else -1


def _digits(number: Any) -> str:
    if isinstance(number, (int, Fraction)) and max(abs(number.numerator), number.denominator).bit_length() > 200:
        return "a number of more than 60 digits"
    text = str(number)
    return text if len(text) <= 60 else text[:60] + "..."

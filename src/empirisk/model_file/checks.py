"""What every part of a model file is checked with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
# What reading fields of the wrong names, types or sizes raises.
INVALID = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class ModelFileError(ValueError):
    """What cannot be written, or a file that is not whole, unchanged and of empirisk: one sentence that says why."""


def check(is_true: bool | np.bool_, otherwise: str) -> None:
    """Refuse a part of a model with this sentence, unless it is as it should be."""
    if not is_true:
        raise ValueError(otherwise)


def check_floats(arrays: Arrays, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The array of this name: finite float64 of this shape."""
    array = arrays[name]
    said = f"{name} must be {' x '.join(map(str, shape))} float64"
    check(array.dtype == np.float64 and array.shape == shape, said)
    check(bool(np.all(np.isfinite(array))), f"{name} must be finite")
    return array


def check_fields(fields: Any, names: Iterable[str], what: str) -> None:
    """An object with these fields and no others."""
    check(type(fields) is dict, f"{what} must be an object")
    odd = sorted(set(fields) ^ set(names))
    check(not odd, f"{what} has other fields than it can have: {', '.join(map(repr, odd))[:100]}")


def check_number(value: Any, name: str) -> float:
    """A finite float, and nothing that could be taken for one."""
    check(type(value) is float and math.isfinite(value), f"{name} must be a finite number")
    return float(value)


def check_texts(values: Any, name: str) -> tuple[str, ...]:
    """A list of texts."""
    check(type(values) is list and all(type(value) is str for value in values), f"{name} must be a list of texts")
    return tuple(values)


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python one."""
    return value.item() if isinstance(value, np.generic) else value

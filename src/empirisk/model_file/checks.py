"""What every part of a model file is checked with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.stored_fields import check, check_fields, check_number, check_texts

__all__ = [
    "INVALID",
    "Arrays",
    "ModelFileError",
    "check",
    "check_fields",
    "check_floats",
    "check_number",
    "check_texts",
    "plain",
]

Arrays = dict[str, NDArray[Any]]
# What reading fields of the wrong names, types or sizes raises.
INVALID = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class ModelFileError(ValueError):
    """What cannot be written, or a file that is not whole, unchanged and of empirisk: one sentence that says why."""


def check_floats(arrays: Arrays, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The array of this name: finite float64 of this shape."""
    array = arrays[name]
    said = f"{name} must be {' x '.join(map(str, shape))} float64"
    check(array.dtype == np.float64 and array.shape == shape, said)
    check(bool(np.all(np.isfinite(array))), f"{name} must be finite")
    return array


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python one."""
    return value.item() if isinstance(value, np.generic) else value

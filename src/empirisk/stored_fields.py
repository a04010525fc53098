"""What the JSON of a file must be: a field that is not as it was written is refused with a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def check(is_true: object, otherwise: str) -> None:
    """Refuse a part of a file with this sentence, unless it is as it should be."""
    if not is_true:
        raise ValueError(otherwise)


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

"""What the parameters of users must be: each check returns the value, or says in one sentence what it should be."""

from __future__ import annotations

import math
import numbers
from typing import Any, TypeGuard

import numpy as np

MOST_SEED = 2**31 - 1


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number; True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is an integer of Python or NumPy; True and False are none."""
    return isinstance(value, numbers.Integral) and is_number(value)


def check_boolean(name: str, value: object) -> bool:
    """A Python bool, from that or NumPy's."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: object, known: tuple[str, ...]) -> str:
    """One of the known texts."""
    said = f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}"
    if not isinstance(value, str):
        raise TypeError(said)
    if value not in known:
        raise ValueError(said)
    return value


def check_count(name: str, value: object, least: int = 1) -> int:
    """An integer from `least` on."""
    said = f"{name} must be an integer >= {least}, got {value!r}"
    if not is_whole(value):
        raise TypeError(said)
    if value < least:
        raise ValueError(said)
    return int(value)


def check_seed(value: object) -> int:
    """What starts a generator of random numbers, in compiled code too."""
    said = f"seed must be a whole number from 0 to 2^31 - 1, got {value!r}"
    if not is_whole(value):
        raise TypeError(said)
    if not 0 <= value <= MOST_SEED:
        raise ValueError(said)
    return int(value)


def check_positive(name: str, value: object, allows_zero: bool = False) -> float:
    """A finite number above zero, or zero too."""
    said = f"{name} must be a {'finite number >= 0' if allows_zero else 'positive finite number'}, got {value!r}"
    if not is_number(value):
        raise TypeError(said)
    if not (0.0 < value < math.inf or (allows_zero and value == 0.0)):
        raise ValueError(said)
    return float(value)


def check_share(name: str, value: object) -> float:
    """A number between 0 and 1, ends excluded."""
    said = f"{name} must be a number between 0 and 1, got {value!r}"
    if not is_number(value):
        raise TypeError(said)
    if not 0.0 < value < 1.0:
        raise ValueError(said)
    return float(value)


def check_callback(value: object) -> None:
    """A function, or None."""
    if value is not None and not callable(value):
        raise TypeError(f"callback must be a function that is told the progress, or None, got {value!r:.100}")


def check_time_limit(value: object) -> float:
    """Seconds; infinity for None."""
    if value is None:
        return math.inf
    said = f"time_limit must be a number of seconds >= 0 or None, got {value!r}"
    if not is_number(value):
        raise TypeError(said)
    if not value >= 0.0:
        raise ValueError(said)
    return float(value)


def check_fields(part: Any) -> None:
    """Refuse a named tuple whose fields are not of the kind of their defaults: a flag, a whole number, a number."""
    for name, default in type(part)._field_defaults.items():
        value = getattr(part, name)
        if isinstance(default, bool):
            wanted, fits = "True or False", isinstance(value, (bool, np.bool_))
        elif isinstance(default, int):
            wanted, fits = "a whole number from 0 to 2^31 - 1", is_whole(value) and 0 <= value <= MOST_SEED
        elif isinstance(default, float):
            wanted, fits = "a number", is_number(value) and not math.isnan(value)
        else:
            continue
        if not fits:
            raise ValueError(f"{name} of {type(part).__name__} must be {wanted}, got {value!r:.100}")

"""Problems that follow from a given one: no state holds them, and yet they are made once."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """make(problem, *numbers), which keeps what it made as long as that problem lives.

    A state has the numbers alone. What is made must not hold the problem itself, which would live for ever then.
    """
    known: weakref.WeakKeyDictionary[Any, dict[tuple[Any, ...], Made]] = weakref.WeakKeyDictionary()

    @functools.wraps(make)
    def made(problem: Any, *numbers: Any) -> Made:
        of_this = known.setdefault(problem, {})
        if numbers not in of_this:
            of_this[numbers] = make(problem, *numbers)
        return of_this[numbers]

    return made

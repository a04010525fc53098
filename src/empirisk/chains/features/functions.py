"""What templates can make of values: functions of lists of texts, None where there is nothing to say of one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

RUN = re.compile(r"(.)\1+", re.DOTALL)


class ValueFunction(NamedTuple):
    """A function of a list of texts and of so many whole numbers >= 1."""

    of_all: Callable[..., list[str | None]]
    n_numbers: int


class _Signs(dict[int, int]):
    """The sign that stands for a letter in a shape, found when it is first met."""

    def __missing__(self, code: int) -> int:
        letter = chr(code)
        sign = ("X" if letter.isupper() else "x") if letter.isalpha() else "d" if letter.isdigit() else letter
        self[code] = ord(sign)
        return self[code]


_SIGNS = _Signs()


def lower(texts: list[str]) -> list[str | None]:
    """Without capitals."""
    return [text.lower() for text in texts]


def prefix(texts: list[str], size: int) -> list[str | None]:
    """The first letters; None of a text that is shorter."""
    return [text[:size] if len(text) >= size else None for text in texts]


def suffix(texts: list[str], size: int) -> list[str | None]:
    """The last letters; None of a text that is shorter."""
    return [text[-size:] if len(text) >= size else None for text in texts]


def shape(texts: list[str]) -> list[str | None]:
    """X for each capital, x for each other letter, d for each digit, what else there is as it is: Xxxx-dd."""
    return [text.translate(_SIGNS) for text in texts]


def short_shape(texts: list[str]) -> list[str | None]:
    """The shape with each run of one sign written once: Xx-d."""
    return [RUN.sub(r"\1", text.translate(_SIGNS)) for text in texts]


FUNCTIONS = {
    "lower": ValueFunction(lower, 0),
    "prefix": ValueFunction(prefix, 1),
    "suffix": ValueFunction(suffix, 1),
    "shape": ValueFunction(shape, 0),
    "short_shape": ValueFunction(short_shape, 0),
}

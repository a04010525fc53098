"""The parts of a docstring of a loss, a regularizer, a constraint or a learner.

The first paragraph is `Sentence: formula.`, that of a learner any text; then come parts that each start a line with
their name, such as `Conjugate:` or `Use it`, and go on until the next one. What stands before the first part is a note.
"""

from __future__ import annotations

import inspect
import itertools
import re
from typing import Any, NamedTuple

USE = "Use it"
REFERENCE = "Reference"
PARTS = ("Conjugate", "Subderivative", "Smoothness", "Projection", "Support function", "Prox", USE, REFERENCE)
START = re.compile(rf"^({'|'.join(PARTS)})(?:s?:| )", re.MULTILINE)


class MissingPart(ValueError):
    """A docstring lacks what its page shows."""


class Told(NamedTuple):
    """A docstring taken apart; every text is running, one line each."""

    head: str
    note: str
    parts: dict[str, str]


class Described(NamedTuple):
    """The same, where the head is a sentence and a formula."""

    sentence: str
    formula: str
    note: str
    parts: dict[str, str]


def described(cls: Any, needed: tuple[str, ...]) -> Described:
    """The docstring of a class with a formula; raises MissingPart unless it has one, and the parts `needed`."""
    head, note, parts = told(cls, needed)
    sentence, colon, formula = head.partition(": ")
    if not colon:
        raise MissingPart(f"the docstring of {cls.__name__} must begin with 'Sentence: formula.', got {head!r}")
    return Described(sentence, formula.removesuffix("."), note, parts)


def told(cls: Any, needed: tuple[str, ...]) -> Told:
    """The docstring of a class; raises MissingPart unless it has the parts `needed`."""
    text = inspect.cleandoc(cls.__doc__ or "")
    head, _, rest = text.partition("\n\n")
    starts = list(START.finditer(rest))
    places = itertools.pairwise([*(start.start() for start in starts), len(rest)])
    parts = {
        start[1]: _line(rest[begin if start[1] == USE else start.end() : end])
        for start, (begin, end) in zip(starts, places, strict=True)
    }
    for part in needed:
        if not parts.get(part):
            raise MissingPart(f"the docstring of {cls.__name__} has no part {part!r}")
    return Told(_line(head), _line(rest[: starts[0].start()] if starts else rest), parts)


def first_use(head: Told | Described) -> str:
    """When to use it: the first sentence of that part, without its beginning."""
    return re.split(r"(?<=\.)\s", head.parts[USE].removeprefix(USE).strip(), maxsplit=1)[0]


def _line(text: str) -> str:
    return " ".join(text.split())

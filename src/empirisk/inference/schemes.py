"""Schemes of labels for chunks: which labels may follow one another, and the first place where tags do otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Vector

OUTSIDE = "O"
# The letters of a label that begins a chunk, is inside of one, ends one, and of one that is a chunk by itself.
SCHEMES = {"iob1": "BI", "iob2": "BI", "iobes": "BIES", "bilou": "BILU"}


class SchemeMask(NamedTuple):
    """What a scheme allows: pairs of labels [from, to], first labels and last labels."""

    allowed: NDArray[np.bool_]
    first: NDArray[np.bool_]
    last: NDArray[np.bool_]

    def forbid(self, transitions: Matrix, start: Vector, end: Vector) -> None:
        """-inf in the place of what is not allowed, in the weights of transitions, first and last labels."""
        transitions[~self.allowed] = -math.inf
        start[~self.first] = -math.inf
        end[~self.last] = -math.inf


def scheme_mask(labels: Sequence[str], scheme: str) -> SchemeMask:
    """What `scheme` allows of these labels, which are O or a letter, a hyphen and a type, such as B-NP.

    iob2: a chunk is B I ... I. iob1: it is I ... I, and B stands for I where a chunk of the same type has just ended.
    iobes: B I ... I E, or S alone; bilou: the same with L and U. Ramshaw and Marcus (1995); Ratinov and Roth (2009).
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(SCHEMES)}; got {scheme!r}")
    parts = [_parts(label, scheme) for label in labels]
    outside = (OUTSIDE, "")
    return SchemeMask(
        np.array([[_may_follow(before, after, scheme) for after in parts] for before in parts], dtype=bool),
        np.array([_may_follow(outside, after, scheme) for after in parts], dtype=bool),
        np.array([_may_follow(before, outside, scheme) for before in parts], dtype=bool),
    )


@kernel(exact=True, borrows=True)
def first_break(path, allowed, first, last):
    """The first token whose label breaks the scheme, given the label before it; -1 where none does.

    A label that cannot be the last one breaks it at the last token.
    """
    for t in range(path.size):
        if t == 0 and not first[path[t]]:
            return t
        if t > 0 and not allowed[path[t - 1], path[t]]:
            return t
    return -1 if last[path[path.size - 1]] else path.size - 1


def _parts(label: str, scheme: str) -> tuple[str, str]:
    """The letter and the type of a label; a letter alone has the type ''."""
    letter, hyphen, kind = label.partition("-")
    is_outside = label == OUTSIDE
    if not is_outside and (letter not in SCHEMES[scheme] or len(letter) != 1 or (hyphen and not kind)):
        letters = ", ".join(f"{each}-" for each in SCHEMES[scheme])
        raise ValueError(f"labels of the scheme {scheme} are O or begin with one of {letters}; got {label!r}")
    return letter, kind


def _may_follow(before: tuple[str, str], after: tuple[str, str], scheme: str) -> bool:
    """Whether a label can stand right after another; before the first and after the last there is O."""
    is_same = before[1] == after[1] and before[0] != OUTSIDE
    if scheme == "iob1":
        return after[0] != "B" or is_same
    if scheme == "iob2":
        return after[0] != "I" or is_same
    ends = SCHEMES[scheme][2]
    goes_on = after[0] in ("I", ends)
    if before[0] in ("B", "I"):
        return goes_on and is_same
    return not goes_on

"""Where the chunks of tag sequences are: as conlleval and seqeval read tags, broken or not, or strictly by a scheme.

A tag is a mark and a type, `B-NP`: B begins a chunk, I is inside of one, E (or L) is its end, S (or U) a whole one, O
is outside. Whether a chunk begins or ends between two tokens depends on their two tags alone, so that everything is
read from tables for all tokens at once. Before each sequence and behind it stands an O.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.parameters import check_choice

MARKS = "OBIESUL"
OTHER, POINT = len(MARKS), len(MARKS) + 1  # a mark that nobody knows, and one that conlleval takes for outside, nearly
ENDS_BEFORE = {"B": "BSO", "I": "BSO"}  # of one type: the chunk of the first ends before these; after E and S always
BEGINS_AFTER = {"I": "OES", "E": "OES"}  # of one type: a chunk begins with the first after these; with B and S always
UNTYPED = "_"  # the type of a tag that is only a mark
NO_TYPE = -1  # before the first tag of all


class Places(NamedTuple):
    """Of each place, which is a token or an O between sequences: the chunk that ends there."""

    firsts: NDArray[np.int64]  # the place that it begins at; -1 where none ends
    types: NDArray[np.int64]  # the number of its type; -1 where none ends


class Tags(NamedTuple):
    """What the distinct tags consist of."""

    marks: NDArray[np.int64]
    types: NDArray[np.int64]
    names: tuple[str, ...]  # of the types, sorted


class Scheme(NamedTuple):
    """A chunk begins at a token whose tag and the one before pass `begins`, and goes on over tokens that continue.

    A token continues where it has the type of the one before, that one is B or I, and it is I or the mark of the end.
    What was found is a chunk where the last of its tokens and the one behind pass `ends`.
    """

    marks: str
    end: str
    begins: Callable[[str, str, bool], bool]  # of (mark before, mark, whether they have one type)
    ends: Callable[[str, str, bool], bool]

    def continues(self, before: str, mark: str, is_same: bool) -> bool:
        """Whether a token belongs to the chunk of the one before."""
        return is_same and before in "BI" and mark in "I" + self.end


def _iob1_begins(before: str, mark: str, is_same: bool) -> bool:
    if mark == "I":
        return before in "OB" or not is_same
    return mark == "B" and before in "BI" and is_same


SCHEMES = {
    "iob1": Scheme("OBI", "", _iob1_begins, lambda before, mark, is_same: before + mark != "BB" or is_same),
    "iob2": Scheme("OBI", "", lambda _, mark, __: mark == "B", lambda *_: True),
    "iobes": Scheme("OBIES", "E", lambda _, mark, __: mark in "BS", lambda before, *_: before in "ES"),
    "bilou": Scheme("OBIUL", "L", lambda _, mark, __: mark in "BU", lambda before, *_: before in "LU"),
}


def tags_of(names: Sequence[str], strict: str | None) -> Tags:
    """Mark and type of each tag; with a scheme, a tag that it does not have is refused.

    As seqeval reads them: the mark is the first letter, the type what follows the first hyphen behind it; without a
    hyphen, all that follows. Strictly, hyphens on both sides of what follows the mark are no part of the type.
    """
    scheme = None if strict is None else SCHEMES[check_choice("strict", strict, tuple(SCHEMES))]
    marks, types = [], []
    for name in map(str, names):
        mark, rest = name[:1], name[1:]
        if not mark:
            raise ValueError("a tag is empty")
        if scheme is not None and mark not in scheme.marks:
            known = ", ".join(scheme.marks)
            raise ValueError(f"the tag {name!r} does not belong to the scheme {strict}, whose marks are {known}")
        marks.append(POINT if mark == "." else MARKS.find(mark) if mark in MARKS[:5] or scheme else OTHER)
        types.append((rest.split("-", 1)[-1] if scheme is None else rest.strip("-")) or UNTYPED)
    found = sorted({*types, UNTYPED})  # an O has it
    numbers = {name: k for k, name in enumerate(found)}
    return Tags(np.array(marks, np.int64), np.array([numbers[name] for name in types], np.int64), tuple(found))


def places(tags: Tags, tokens: NDArray[np.int32], starts: NDArray[np.int64], strict: str | None) -> Places:
    """The chunks of the sequences that start there; `tokens` are the numbers of their tags."""
    at = np.arange(tokens.size) + np.repeat(np.arange(1, starts.size), np.diff(starts))  # an O before each sequence
    outside = tags.names.index(UNTYPED)
    marks = np.full(tokens.size + starts.size, MARKS.index("O"))
    types = np.full(marks.size, outside)
    marks[at], types[at] = tags.marks[tokens], tags.types[tokens]
    if strict is None:
        first, last = _lenient(marks, types)
    else:
        first, last = _strict(marks, types, SCHEMES[strict])
    found = Places(np.full(marks.size, -1), np.full(marks.size, -1))
    found.firsts[last], found.types[last] = first, types[last]
    return found


def _lenient(marks: NDArray[np.int64], types: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last place of each chunk: what ends goes back to the newest beginning, whatever it was."""
    types = types.copy()
    types[0] = NO_TYPE
    before, now = marks[:-1], marks[1:]
    is_other = types[:-1] != types[1:]
    ends = _ENDS[before, now] | (is_other & ~_IS_OUTSIDE[before])
    begins = _BEGINS[before, now] | (is_other & ~_IS_OUTSIDE[now])
    newest = np.maximum.accumulate(np.where(begins, np.arange(1, marks.size), 1))
    last = np.flatnonzero(ends)
    return newest[last - 1], last


def _strict(
    marks: NDArray[np.int64], types: NDArray[np.int64], scheme: Scheme
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last place of each chunk. Inside of a chunk none begins."""
    same = (types[:-1] == types[1:]).astype(np.int64)
    pairs = marks[:-1], marks[1:], same
    begins, continues, ends = (_table(rule)[pairs] for rule in (scheme.begins, scheme.continues, scheme.ends))
    # Both are possible in iob1 alone, after a B, which is in a chunk where one begins with it.
    begins[1:] &= ~(continues[1:] & begins[:-1])
    first = np.flatnonzero(begins) + 1
    stops = np.flatnonzero(~continues) + 1  # places that do not belong to what is before them
    behind = stops[np.searchsorted(stops, first, side="right")]
    is_chunk = ends[behind - 1]
    return first[is_chunk], behind[is_chunk] - 1


def _table(rule: Callable[[str, str, bool], bool]) -> NDArray[np.bool_]:
    return np.array([[[rule(before, mark, bool(same)) for same in (0, 1)] for mark in MARKS] for before in MARKS])


def _pairs(is_one: Callable[[str, str], bool]) -> NDArray[np.bool_]:
    found = np.zeros((POINT + 1, POINT + 1), np.bool_)
    found[: len(MARKS), : len(MARKS)] = [[is_one(before, mark) for mark in MARKS] for before in MARKS]
    return found


_IS_OUTSIDE = np.isin(np.arange(POINT + 1), (MARKS.index("O"), POINT))
_ENDS = _pairs(lambda before, mark: mark in ENDS_BEFORE.get(before, ""))
_ENDS[[MARKS.index("E"), MARKS.index("S")]] = True
_BEGINS = _pairs(lambda before, mark: before in BEGINS_AFTER.get(mark, ""))
_BEGINS[:, [MARKS.index("B"), MARKS.index("S")]] = True

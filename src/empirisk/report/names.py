"""Names in the room that a picture has for them: shortened, and still told apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from empirisk.report.markup import cut, fitting, width
from empirisk.texts import visible

LEAST_COLUMNS = 8  # in less room only the beginnings are shown


def told_apart(names: Sequence[str], columns: int) -> list[str]:
    """The names, each at most so many columns wide, and different wherever the names are.

    A name that is too wide loses its middle. Those that would then be the same keep what follows the beginning that
    they share, and at last get a number.
    """
    full = [visible(str(name)) for name in names]
    if columns < LEAST_COLUMNS:
        return [cut(name, columns) for name in full]
    shown = [_without_middle(name, columns) for name in full]
    for alike in _collisions(full, shown):
        side_by_side = zip(*(full[k] for k in alike), strict=False)
        shared = sum(1 for _ in itertools.takewhile(lambda letters: len(set(letters)) == 1, side_by_side))
        for k in alike:
            head = fitting(full[k], columns // 4)
            shown[k] = head + "…" + cut(full[k][max(shared, len(head)) :], columns - 1 - width(head))
    for alike in _collisions(full, shown):
        for k in alike:  # a number is new where no other name is shown so
            candidates = (fitting(full[k], columns - len(f"…{n}")) + f"…{n}" for n in range(1, len(names) + 2))
            shown[k] = next(one for one in candidates if one not in shown)
    return shown


def _without_middle(name: str, columns: int) -> str:
    if width(name) <= columns:
        return name
    tail = fitting(name[::-1], (columns - 1) // 2)[::-1]
    return fitting(name, columns - 1 - width(tail)) + "…" + tail


def _collisions(full: Sequence[str], shown: Sequence[str]) -> list[list[int]]:
    """The places of names that differ and are shown alike."""
    groups: dict[str, list[int]] = {}
    for k, short in enumerate(shown):
        groups.setdefault(short, []).append(k)
    return [places for places in groups.values() if len({full[k] for k in places}) > 1]

"""Names as columns without hashing: a dictionary, each name a column of its own in the order of appearance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from empirisk.data.blocks import Block
from empirisk.data.streams.parsed import Parsed


class ExactNames:
    """The names so far; at most so many. Where it is closed no name is added, and all others share a column."""

    def __init__(self, names: Iterable[str], most: int, is_closed: bool = False) -> None:
        self._order = list(names)  # read while others are added
        self._columns = {name: column for column, name in enumerate(self._order)}
        self._added: dict[str, int] = {}
        self._most, self._is_closed = most, is_closed

    def columns_of(self, parsed: Parsed, block: Block) -> np.ndarray:
        """The column of each entry, new names being added; DataError, and nothing added, where there are too many."""
        assert parsed.names is not None
        known, added = self._columns, dict[str, int]()
        columns = np.empty(len(parsed.names), np.int64)
        for place, name in enumerate(parsed.names):
            column = known.get(name)
            if column is None:
                column = len(known) if self._is_closed else added.setdefault(name, len(known) + len(added))
            columns[place] = column
        found = columns[parsed.indices]
        beyond = np.flatnonzero(found >= self._most)
        if beyond.size:
            k = int(beyond[0])
            said = f"expected at most {self._most} names, found one more: {parsed.names[parsed.indices[k]]!r:.80}"
            raise block.error(said, int(parsed.row_starts[parsed.row_of(k)]))
        self._added = added
        return found

    def commit(self) -> None:
        """Keep the names that were added last."""
        self._columns.update(self._added)
        self._order.extend(self._added)

    def first(self, count: int) -> tuple[str, ...]:
        """The first names."""
        return tuple(self._order[:count])


def distinct_pairs(groups: np.ndarray, keys: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The first place of each distinct pair in the order of appearance, and of each pair its number among these."""
    _, firsts, places = np.unique((groups << 32) | keys, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(order.size)
    return firsts[order].tolist(), ranks[places]

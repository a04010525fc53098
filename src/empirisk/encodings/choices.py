"""What a user asks of the columns of a table. Loads nothing: help pages need the names alone."""

from __future__ import annotations

from typing import NamedTuple

POLICIES = ("error", "drop", "mean", "median", "indicator")  # for missing values


class ColumnChoices(NamedTuple):
    """Columns by name, several in one text with commas between them; what is not named is guessed from its cells."""

    drop: tuple[str, ...] = ()  # are no features
    only: tuple[str, ...] = ()  # no others are features
    categorical: tuple[str, ...] = ()  # numbers that are names, and text of many values
    date: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # words, and not a name
    missing: str = "error"  # one of POLICIES
    pairs: bool = True  # of words, in texts
    min_count: int = 2  # texts that a word or a pair must be in

    def asked(self) -> tuple[str, ...]:
        """The parameters that are not as usual."""
        return tuple(name for name, usual in self._field_defaults.items() if getattr(self, name) != usual)

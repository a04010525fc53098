"""Columns that were asked for by name, found in a table; a name that is not there gives those that are near it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from empirisk.data.errors import DataError, shortened
from empirisk.data.table import Table
from empirisk.encodings.cells import listed, near_or_all
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.registry import KINDS
from empirisk.protocols import Unsupported


class NamedColumns(NamedTuple):
    """The columns of a table that are features, and the kinds that were asked for."""

    used: tuple[str, ...]  # in the order of the table
    dropped: tuple[str, ...]
    kinds: dict[str, str]  # column -> the name of its kind


def named_columns(table: Table, choices: ColumnChoices, exclude: Collection[str]) -> NamedColumns:
    """What the choices say of this table; `exclude` names the label and the weights, which are no features."""
    places: dict[str, str] = {}
    for parameter in ("drop", *(kind.parameter for kind in KINDS.values() if kind.parameter is not None)):
        for name in found_columns(table, parameter, getattr(choices, parameter), exclude):
            if name in places:
                raise Unsupported(f"{parameter}=... names the column {name!r}, which {places[name]}=... names too")
            places[name] = parameter
    only = found_columns(table, "only", choices.only, exclude)
    for name, parameter in places.items():
        if only and name not in only:
            raise Unsupported(f"{parameter}=... names the column {name!r}, which is not among those of only=...")
    dropped = [
        name
        for name in table.names
        if name not in exclude and (places.get(name) == "drop" or (only and name not in only))
    ]
    used = tuple(name for name in table.names if name not in exclude and name not in dropped)
    if not used:
        besides = [*exclude, *dropped]
        said = "expected columns to learn from" + (f" besides {listed(besides)}" if besides else "")
        raise DataError(f"{said}, found none", table.path, 1)
    by_parameter = {kind.parameter: name for name, kind in KINDS.items()}
    kinds = {name: by_parameter[parameter] for name, parameter in places.items() if parameter in by_parameter}
    return NamedColumns(used, tuple(dropped), kinds)


def verbatim_names(choices: ColumnChoices) -> frozenset[str]:
    """What may be the names of columns whose cells must be read as they are written."""
    kinds = [kind.parameter for kind in KINDS.values() if kind.takes_text and kind.parameter is not None]
    texts = [text for parameter in kinds for text in getattr(choices, parameter)]
    return possible_names(texts)


def possible_names(asked: Collection[str]) -> frozenset[str]:
    """The names that texts may stand for before the table is known: each as a whole, and between its commas."""
    return frozenset(part for text in asked for part in (text, *_parts(text)))


def _parts(text: str) -> list[str]:
    return [part for part in map(str.strip, text.split(",")) if part]


def found_columns(
    table: Table, parameter: str, asked: Collection[str], exclude: Collection[str] = ()
) -> tuple[str, ...]:
    """Each once: a text that is no name itself is a list with commas."""
    known = tuple(dict.fromkeys((*table.names, *table.texts)))
    names: dict[str, None] = {}
    for text in asked:
        names |= dict.fromkeys([text] if text in known else _parts(text) or [text])
    for name in names:
        if name not in known:
            message = f"expected the column {shortened(name)!r} of {parameter}=..., found none of this name"
            raise DataError(message + near_or_all(name, known), table.path, 1)
        if name in exclude:
            raise Unsupported(f"{parameter}=... names the column {name!r}, which is the label or the weights")
    return tuple(names)

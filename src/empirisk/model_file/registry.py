"""The one registry of kinds of models: how each becomes JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.capabilities import name_of
from empirisk.model_file.checks import Arrays


class Kind(NamedTuple):
    """How one kind of model becomes JSON and arrays, and back."""

    cls: type
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]]
    from_parts: Callable[[dict[str, Any], Arrays], Any]


KINDS: dict[str, Kind] = {}


def kind_of(cls: type) -> str:
    """What files call the models of a class: its name in their way, without the word model."""
    return name_of(cls).removesuffix("_model")


def register(
    cls: type,
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]],
    from_parts: Callable[[dict[str, Any], Arrays], Any],
) -> None:
    """Add a kind of model, under the name of its class."""
    known = KINDS.get(kind_of(cls))
    if known is not None and known.cls is not cls:
        raise ValueError(f"there are models of the kind {kind_of(cls)!r} already, in {known.cls.__module__}")
    KINDS[kind_of(cls)] = Kind(cls, to_parts, from_parts)
